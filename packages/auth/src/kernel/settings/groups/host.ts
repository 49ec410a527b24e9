import { PACKAGE_LANGUAGES } from '../../templates/translations.ts'
import {
  codeFormat,
  DEFAULT_CODE_FORMAT,
  classChoice,
  flag,
  isPlainText,
  kind,
  listOf,
  nullable,
  redirect,
  seconds,
  textLine,
  textLike,
  wholeNumber,
} from '../kind.ts'
import { DEFAULT_PASSWORD_RULES, passwordRules } from '../password-rules.ts'
import { appSwitch, installedApps, SITES_APP } from '../installed-apps.ts'
import { setting } from '../setting.ts'
import { DEFAULT_USER_TABLE, userTable } from '../user-table.ts'

const development = setting({
  name: 'GATEPOST_DEVELOPMENT',
  kind: flag,
  fallback: false,
  about:
    'Development mode. Cookies are also sent over http, and email is printed on the console unless a mail server is set.',
})

const pathPrefix = setting({
  name: 'GATEPOST_ACCOUNTS_PATH',
  kind: textLike('a path with a slash at both ends', '/accounts/', /^\/([A-Za-z0-9_~.-]+\/)*$/, 200),
  fallback: '/accounts/',
  about: 'Path prefix of the pages.',
})

const languageCode = kind<string>('a language code such as de or zh-hans', 'de', (value) => {
  // Django's list has pairs of code and name.
  const code: unknown = Array.isArray(value) ? value[0] : value
  return isPlainText(code, 20) && /^[a-z]{2,3}([_-][a-z0-9]{2,8})*$/i.test(code)
    ? code.toLowerCase().replaceAll('_', '-')
    : undefined
})

const keyType = classChoice(
  { autofield: 'integer', bigautofield: 'bigint', integer: 'integer', bigint: 'bigint' } as const,
  'bigint',
)

const hashers = classChoice(
  {
    argon2passwordhasher: 'argon2',
    pbkdf2passwordhasher: 'pbkdf2_sha256',
    pbkdf2sha1passwordhasher: 'pbkdf2_sha1',
    bcryptsha256passwordhasher: 'bcrypt_sha256',
    bcryptpasswordhasher: 'bcrypt',
    scryptpasswordhasher: 'scrypt',
    md5passwordhasher: 'md5',
  } as const,
  'argon2',
)

const headerName = textLike('a header name', 'CF-Connecting-IP', /^[A-Za-z0-9-]+$/, 100)
const hostPattern = textLike(
  'a host name, .example.org for its subdomains, or *',
  'id.example.org',
  /^(\*|\.?[A-Za-z0-9.:[\]-]+)$/,
  260,
)
const originPattern = textLike(
  'an origin such as https://*.example.org',
  'https://example.org',
  /^https?:\/\/[A-Za-z0-9.*:[\]-]+$/,
  260,
)

/** Settings of the whole package, and those that the reference takes from Django (reference, sections 1.1 and 1.2). */
export const HOST = {
  development,
  pathPrefix,
  trustedProxyCount: setting({
    name: 'GATEPOST_TRUSTED_PROXY_COUNT',
    kind: wholeNumber(0, 20),
    fallback: 0,
    about: 'Number of your own proxies that append to X-Forwarded-For. 0 ignores the header.',
  }),
  trustedClientIpHeader: setting({
    name: 'GATEPOST_TRUSTED_CLIENT_IP_HEADER',
    kind: nullable(headerName),
    fallback: null,
    about:
      'Header with the client IP address, such as CF-Connecting-IP. No other source is used, so a request without it has no known IP address.',
  }),
  userCodeFormat: setting({
    name: 'GATEPOST_USER_CODE_FORMAT',
    kind: codeFormat,
    fallback: DEFAULT_CODE_FORMAT,
    about: "Default format of codes that people type. The length doesn't include dashes.",
  }),
  defaultAutoField: setting({
    name: 'GATEPOST_DEFAULT_AUTO_FIELD',
    kind: nullable(keyType),
    fallback: null,
    about: "Key type of the package's tables. null: 32 bits for account and socialaccount, 64 bits for the others.",
  }),
  installedApps,
  sitesEnabled: appSwitch(
    'SITES_ENABLED',
    SITES_APP,
    "Reads the site's name and domain from the row SITE_ID of the site table.",
  ),
  siteId: setting({
    name: 'SITE_ID',
    kind: wholeNumber(1, 2_147_483_647),
    fallback: 1,
    about: 'Row of the site table. Used only with SITES_ENABLED.',
  }),
  siteName: setting({
    name: 'SITE_NAME',
    kind: nullable(textLine(50)),
    fallback: null,
    about: 'Site name in emails and titles. null: the host of the request.',
  }),
  siteDomain: setting({
    name: 'SITE_DOMAIN',
    kind: nullable(textLike('a host with an optional port', 'id.example.org', /^[A-Za-z0-9.[\]:-]+$/, 260)),
    fallback: null,
    about: 'Host name shown in emails. null: the host of the request. Links always use the host of the request.',
  }),
  languages: setting({
    name: 'LANGUAGES',
    kind: listOf(languageCode, 'language codes'),
    fallback: PACKAGE_LANGUAGES,
    about: 'Available languages.',
  }),
  languageCode: setting({
    name: 'LANGUAGE_CODE',
    kind: languageCode,
    fallback: 'en',
    about:
      'Default language, for visitors whose browser requests none of LANGUAGES. Always available, even if not listed there.',
  }),
  loginUrl: setting({
    name: 'LOGIN_URL',
    kind: redirect,
    fallback: (get) => `${get(pathPrefix)}login/`,
    fallbackText: 'login/ below GATEPOST_ACCOUNTS_PATH',
    about: 'Where signed-out visitors are redirected.',
  }),
  loginRedirectUrl: setting({
    name: 'LOGIN_REDIRECT_URL',
    kind: redirect,
    fallback: '/accounts/profile/',
    about: 'Where to go after sign-in: a path, a URL, or the name of a page.',
  }),
  logoutRedirectUrl: setting({
    name: 'LOGOUT_REDIRECT_URL',
    kind: nullable(redirect),
    fallback: null,
    about: 'Default for ACCOUNT_LOGOUT_REDIRECT_URL.',
  }),
  passwordHashers: setting({
    name: 'PASSWORD_HASHERS',
    kind: listOf(hashers, 'argon2, pbkdf2_sha256, pbkdf2_sha1, bcrypt_sha256, bcrypt, scrypt, md5 (or their classes)'),
    fallback: ['argon2', 'pbkdf2_sha256', 'pbkdf2_sha1', 'bcrypt_sha256', 'bcrypt', 'scrypt', 'md5'],
    about: 'Accepted formats of stored password hashes. New hashes use argon2, which is always accepted.',
    finish: (formats) => (formats.includes('argon2') ? formats : ['argon2' as const, ...formats]),
  }),
  passwordRenewHashes: setting({
    name: 'PASSWORD_RENEW_HASHES',
    kind: nullable(flag),
    fallback: null,
    about:
      'Replaces stored hashes in an older format at sign-in, which ends sessions of an old site. false: only weak ones. ' +
      'null: only weak ones while an old site uses the database, otherwise all.',
  }),
  passwordValidators: setting({
    name: 'AUTH_PASSWORD_VALIDATORS',
    kind: passwordRules,
    fallback: DEFAULT_PASSWORD_RULES,
    fallbackText: 'minimum_length (8), user_attribute_similarity, common_password, numeric_password',
    about: 'Rules for new passwords. With an empty list, only ACCOUNT_PASSWORD_MIN_LENGTH applies.',
  }),
  passwordResetTimeout: setting({
    name: 'PASSWORD_RESET_TIMEOUT',
    kind: seconds(),
    fallback: 259_200,
    about: 'Lifetime of password reset links, in seconds.',
  }),
  userTable: setting({
    name: 'AUTH_USER_TABLE',
    kind: userTable,
    fallback: DEFAULT_USER_TABLE,
    fallbackText: 'auth_user with integer keys',
    about: 'Table, key type, and columns of users. Omitted keys keep their defaults.',
  }),
  allowedHosts: setting({
    name: 'ALLOWED_HOSTS',
    kind: listOf(hostPattern, 'host names'),
    fallback: [],
    about: 'Hosts that this server responds to and that redirects can lead to.',
  }),
  csrfTrustedOrigins: setting({
    name: 'CSRF_TRUSTED_ORIGINS',
    kind: listOf(originPattern, 'origins'),
    fallback: [],
    about: 'Other origins whose form submissions are accepted and that redirects can lead to.',
  }),
  secureSslRedirect: setting({
    name: 'SECURE_SSL_REDIRECT',
    kind: flag,
    fallback: false,
    about: 'Redirects http requests to https.',
  }),
}
