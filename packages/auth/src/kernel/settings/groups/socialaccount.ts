import { ACCOUNT_EMAIL, emailVerification } from './account-email.ts'
import { ACCOUNT_SIGNUP } from './account-signup.ts'
import { callable, flag, nullable, orDefault, seconds, textLike } from '../kind.ts'
import { adapter } from '../adapter.ts'
import { appSwitch, MODULE_APPS } from '../installed-apps.ts'
import { jsonObject } from '../json-object.ts'
import { setting } from '../setting.ts'

const only = setting({
  name: 'SOCIALACCOUNT_ONLY',
  kind: flag,
  fallback: false,
  about: 'Disables local accounts, so people can sign in only with a provider.',
})

const emailRequired = setting({
  name: 'SOCIALACCOUNT_EMAIL_REQUIRED',
  kind: flag,
  fallback: (get) => get(ACCOUNT_SIGNUP.signupFields).some(({ name, required }) => name === 'email' && required),
  fallbackText: 'whether ACCOUNT_SIGNUP_FIELDS requires email',
  about: 'Requires an email address when signing up with a provider.',
})

/** The input of SOCIALACCOUNT_SOCIALACCOUNT_STR. */
export interface LinkedAccount {
  readonly provider: string
  readonly uid: string
  readonly extraData: unknown
}

/** Social login: `SOCIALACCOUNT_…`. */
export const SOCIALACCOUNT = {
  enabled: appSwitch('SOCIALACCOUNT_ENABLED', MODULE_APPS.socialaccount),
  only,
  adapter: setting({
    name: 'SOCIALACCOUNT_ADAPTER',
    kind: adapter,
    fallback: null,
    about: 'Hooks of social login, instead of the option adapters.social of createAuth.',
  }),
  autoSignup: setting({
    name: 'SOCIALACCOUNT_AUTO_SIGNUP',
    kind: flag,
    fallback: true,
    about: 'Creates the account without a form if the provider supplies enough data.',
  }),
  emailAuthentication: setting({
    name: 'SOCIALACCOUNT_EMAIL_AUTHENTICATION',
    kind: flag,
    fallback: false,
    about: 'Signs users in by an email address that the provider has verified.',
  }),
  emailAuthenticationAutoConnect: setting({
    name: 'SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT',
    kind: flag,
    fallback: false,
    about: 'Also connects the social account in that case.',
  }),
  emailRequired,
  emailVerification: setting({
    name: 'SOCIALACCOUNT_EMAIL_VERIFICATION',
    kind: orDefault(emailVerification),
    fallback: (get) => (get(only) ? 'none' : get(ACCOUNT_EMAIL.emailVerification)),
    fallbackText: 'ACCOUNT_EMAIL_VERIFICATION; none with SOCIALACCOUNT_ONLY',
    about: 'Email verification for social logins.',
  }),
  loginOnGet: setting({
    name: 'SOCIALACCOUNT_LOGIN_ON_GET',
    kind: flag,
    fallback: false,
    about: 'Starts a social login as soon as its link is opened, without a button.',
  }),
  openidConnectUrlPrefix: setting({
    name: 'SOCIALACCOUNT_OPENID_CONNECT_URL_PREFIX',
    kind: textLike('a path segment, or empty', 'oidc', /^[A-Za-z0-9_-]*$/, 50),
    fallback: 'oidc',
    about: 'Path segment for OpenID Connect providers.',
  }),
  providers: setting({
    name: 'SOCIALACCOUNT_PROVIDERS',
    kind: jsonObject,
    fallback: {},
    secret: true,
    about:
      'Settings by provider ID: APP or APPS, SCOPE, AUTH_PARAMS, OAUTH_PKCE_ENABLED, VERIFIED_EMAIL, EMAIL_AUTHENTICATION.',
  }),
  queryEmail: setting({
    name: 'SOCIALACCOUNT_QUERY_EMAIL',
    kind: flag,
    fallback: (get) => get(emailRequired),
    fallbackText: 'SOCIALACCOUNT_EMAIL_REQUIRED',
    about: 'Requests the email address from providers.',
  }),
  requestsTimeout: setting({
    name: 'SOCIALACCOUNT_REQUESTS_TIMEOUT',
    kind: seconds(1, 120),
    fallback: 5,
    about: 'Timeout for requests to providers, in seconds.',
  }),
  socialaccountStr: setting({
    name: 'SOCIALACCOUNT_SOCIALACCOUNT_STR',
    kind: nullable(callable<(account: LinkedAccount) => string>(({ uid }) => uid)),
    fallback: null,
    about: 'Function that returns the display text of a connected account.',
  }),
  storeTokens: setting({
    name: 'SOCIALACCOUNT_STORE_TOKENS',
    kind: flag,
    fallback: false,
    about: 'Stores access and refresh tokens, encrypted.',
  }),
}
