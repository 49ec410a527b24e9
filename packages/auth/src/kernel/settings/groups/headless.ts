import {
  choice,
  classChoice,
  flag,
  fromJson,
  isPlainText,
  isRecord,
  type Kind,
  kind,
  listOf,
  nullable,
  orDefault,
  secretText,
  seconds,
  textLine,
  textLike,
} from '../kind.ts'
import { appSwitch, MODULE_APPS } from '../installed-apps.ts'
import { type Get, setting } from '../setting.ts'

const FRONTEND_NAMES = [
  'account_confirm_email',
  'account_reset_password',
  'account_reset_password_from_key',
  'account_signup',
  'socialaccount_login_error',
] as const

/** The front end's URLs or paths by page name. `{key}` is replaced. */
export type FrontendUrls = Readonly<Partial<Record<(typeof FRONTEND_NAMES)[number], string>>>

const frontendUrls: Kind<FrontendUrls> = kind<FrontendUrls>(
  `an object of paths or http(s) URLs for ${FRONTEND_NAMES.join(', ')}`,
  { account_confirm_email: 'https://app.example.org/verify/{key}' },
  (value) => {
    if (!isRecord(value)) return undefined
    const urls: Partial<Record<(typeof FRONTEND_NAMES)[number], string>> = {}
    for (const [written, url] of Object.entries(value)) {
      const name = FRONTEND_NAMES.find((known) => known === written)
      if (!name || !isPlainText(url, 2_000) || !/^(\/(?!\/)|https?:\/\/)\S*$/.test(url)) return undefined
      urls[name] = url
    }
    return urls
  },
  fromJson,
)

const algorithm = choice('RS256', 'RS384', 'RS512', 'HS256', 'HS384', 'HS512')

const strategy = classChoice(
  {
    session: 'session',
    sessiontokenstrategy: 'session',
    strategysession: 'session',
    jwt: 'jwt',
    jwttokenstrategy: 'jwt',
    strategyjwt: 'jwt',
  } as const,
  'jwt',
)

const only = setting({
  name: 'HEADLESS_ONLY',
  kind: flag,
  fallback: false,
  about: 'Serves no pages, only the JSON API and provider callbacks. Turns on HEADLESS_ENABLED.',
})

/** The JSON API: `HEADLESS_…`, optionally with the product's prefix. */
export const HEADLESS = {
  enabled: {
    ...appSwitch('HEADLESS_ENABLED', MODULE_APPS.headless),
    finish: (value: boolean, get: Get) => value || get(only),
  },
  only,
  path: setting({
    name: 'HEADLESS_PATH',
    kind: textLike('a path with a slash at both ends', '/_allauth/', /^\/([A-Za-z0-9_~.-]+\/)+$/, 200),
    fallback: '/_allauth/',
    about: 'Path of the JSON API, followed by {client}/v1/.',
  }),
  clients: setting({
    name: 'HEADLESS_CLIENTS',
    kind: listOf(choice('app', 'browser'), 'app, browser'),
    fallback: ['app', 'browser'],
    about: 'Client types that are served.',
  }),
  frontendUrls: setting({
    name: 'HEADLESS_FRONTEND_URLS',
    kind: frontendUrls,
    fallback: {},
    about: 'Front end pages that emails and redirects lead to. {key} is replaced.',
  }),
  jwtAccessTokenExpiresIn: setting({
    name: 'HEADLESS_JWT_ACCESS_TOKEN_EXPIRES_IN',
    kind: seconds(),
    fallback: 300,
    about: 'Lifetime of an access token, in seconds.',
  }),
  jwtAlgorithm: setting({
    name: 'HEADLESS_JWT_ALGORITHM',
    aliases: ['HEADLESS_TOKEN_JWT_ALGORITHM'],
    kind: algorithm,
    fallback: 'RS256',
    about: 'Signature algorithm of access tokens.',
  }),
  jwtAudience: setting({
    name: 'HEADLESS_JWT_AUDIENCE',
    kind: nullable(textLine(200)),
    fallback: null,
    about: 'Audience of tokens (claim aud). null: no such claim.',
  }),
  jwtAuthorizationHeaderScheme: setting({
    name: 'HEADLESS_JWT_AUTHORIZATION_HEADER_SCHEME',
    kind: textLike('one word', 'Bearer', /^[A-Za-z0-9-]+$/, 40),
    fallback: 'Bearer',
    about: 'Scheme in the Authorization header.',
  }),
  jwtIssuer: setting({
    name: 'HEADLESS_JWT_ISSUER',
    kind: nullable(textLine(200)),
    fallback: null,
    about: 'Issuer of tokens (claim iss). null: no such claim.',
  }),
  jwtPrivateKey: setting({
    name: 'HEADLESS_JWT_PRIVATE_KEY',
    aliases: ['HEADLESS_TOKEN_JWT_SECRET_KEY'],
    kind: secretText,
    fallback: '',
    secret: true,
    about:
      'For RS algorithms, the PEM of a key with at least 2048 bits. If there are several keys, the first one signs and the ' +
      'others, which can be public keys, are still accepted. For HS algorithms, a secret of at least 32 bytes (HS256), 48 ' +
      '(HS384), or 64 (HS512). Empty: derived from the secret key.',
  }),
  jwtRefreshTokenExpiresIn: setting({
    name: 'HEADLESS_JWT_REFRESH_TOKEN_EXPIRES_IN',
    kind: seconds(),
    fallback: 86_400,
    about: 'Lifetime of a refresh token, in seconds.',
  }),
  jwtRefreshTokenGracePeriod: setting({
    name: 'HEADLESS_JWT_REFRESH_TOKEN_GRACE_PERIOD',
    kind: seconds(0, 300),
    fallback: 10,
    about: 'How long a used refresh token still returns its replacement, in seconds. After that, it ends its session.',
  }),
  jwtRotateRefreshToken: setting({
    name: 'HEADLESS_JWT_ROTATE_REFRESH_TOKEN',
    kind: flag,
    fallback: true,
    about: 'Issues a new refresh token with each refresh.',
  }),
  jwtStatefulValidationEnabled: setting({
    name: 'HEADLESS_JWT_STATEFUL_VALIDATION_ENABLED',
    kind: flag,
    fallback: false,
    about: 'Makes access tokens invalid as soon as their session ends.',
  }),
  serveSpecification: setting({
    name: 'HEADLESS_SERVE_SPECIFICATION',
    kind: flag,
    fallback: false,
    about: 'Serves the OpenAPI document.',
  }),
  specificationTemplateName: setting({
    name: 'HEADLESS_SPECIFICATION_TEMPLATE_NAME',
    kind: nullable(textLine(200)),
    fallback: 'headless/spec/redoc_cdn.html',
    about: 'Template of the HTML view of the OpenAPI document. null: no HTML view.',
  }),
  tokenStrategy: setting({
    name: 'HEADLESS_TOKEN_STRATEGY',
    kind: orDefault(strategy),
    fallback: 'session',
    about: 'How apps authenticate: session or jwt.',
  }),
}
