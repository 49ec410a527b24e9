import { ACCOUNT_EMAIL, emailVerification } from './account-email.ts'
import { ACCOUNT_SIGNUP } from './account-signup.ts'
import { callable, flag, nullable, orDefault, seconds, textLike } from './kind.ts'
import { jsonObject } from './json-object.ts'
import { setting } from './setting.ts'

const only = setting({
  name: 'SOCIALACCOUNT_ONLY',
  kind: flag,
  fallback: false,
  about: 'No local accounts: people sign in at a provider, and nowhere else.',
})

const emailRequired = setting({
  name: 'SOCIALACCOUNT_EMAIL_REQUIRED',
  kind: flag,
  fallback: (get) => get(ACCOUNT_SIGNUP.signupFields).some(({ name, required }) => name === 'email' && required),
  fallbackText: 'whether ACCOUNT_SIGNUP_FIELDS requires email',
  about: 'The sign-up form after a provider login requires an address.',
})

/** What the text of a linked account is made from. */
export interface LinkedAccount {
  readonly provider: string
  readonly uid: string
  readonly extraData: unknown
}

/** Login through identity providers: `SOCIALACCOUNT_…`. */
export const SOCIALACCOUNT = {
  enabled: setting({
    name: 'SOCIALACCOUNT_ENABLED',
    kind: flag,
    fallback: false,
    about: 'Switches the module on.',
  }),
  only,
  autoSignup: setting({
    name: 'SOCIALACCOUNT_AUTO_SIGNUP',
    kind: flag,
    fallback: true,
    about: 'Creates the user without a form when the provider tells enough.',
  }),
  emailAuthentication: setting({
    name: 'SOCIALACCOUNT_EMAIL_AUTHENTICATION',
    kind: flag,
    fallback: false,
    about: 'An address that the provider has verified signs in its local owner.',
  }),
  emailAuthenticationAutoConnect: setting({
    name: 'SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT',
    kind: flag,
    fallback: false,
    about: 'Such a login also links the account.',
  }),
  emailRequired,
  emailVerification: setting({
    name: 'SOCIALACCOUNT_EMAIL_VERIFICATION',
    kind: orDefault(emailVerification),
    fallback: (get) => (get(only) ? 'none' : get(ACCOUNT_EMAIL.emailVerification)),
    fallbackText: 'ACCOUNT_EMAIL_VERIFICATION; none with SOCIALACCOUNT_ONLY',
    about: 'Verification of addresses for logins through a provider.',
  }),
  loginOnGet: setting({
    name: 'SOCIALACCOUNT_LOGIN_ON_GET',
    kind: flag,
    fallback: false,
    about: 'A link starts the login at the provider at once, without a button.',
  }),
  openidConnectUrlPrefix: setting({
    name: 'SOCIALACCOUNT_OPENID_CONNECT_URL_PREFIX',
    kind: textLike('a path segment, or empty', 'oidc', /^[A-Za-z0-9_-]*$/, 50),
    fallback: 'oidc',
    about: 'Path segment before the providers of OpenID Connect.',
  }),
  providers: setting({
    name: 'SOCIALACCOUNT_PROVIDERS',
    kind: jsonObject,
    fallback: {},
    secret: true,
    about: 'Provider id -> APP or APPS, SCOPE, AUTH_PARAMS, OAUTH_PKCE_ENABLED, VERIFIED_EMAIL, EMAIL_AUTHENTICATION.',
  }),
  queryEmail: setting({
    name: 'SOCIALACCOUNT_QUERY_EMAIL',
    kind: flag,
    fallback: (get) => get(emailRequired),
    fallbackText: 'SOCIALACCOUNT_EMAIL_REQUIRED',
    about: 'Asks providers for the address.',
  }),
  requestsTimeout: setting({
    name: 'SOCIALACCOUNT_REQUESTS_TIMEOUT',
    kind: seconds(1, 120),
    fallback: 5,
    about: 'Longest wait for a provider, in seconds.',
  }),
  socialaccountStr: setting({
    name: 'SOCIALACCOUNT_SOCIALACCOUNT_STR',
    kind: nullable(callable<(account: LinkedAccount) => string>(({ uid }) => uid)),
    fallback: null,
    about: 'Function that gives the text of a linked account.',
  }),
  storeTokens: setting({
    name: 'SOCIALACCOUNT_STORE_TOKENS',
    kind: flag,
    fallback: false,
    about: 'Keeps access and refresh tokens, sealed.',
  }),
}
