import { codeFormat } from './code-format.ts'
import { HOST } from './host.ts'
import { choice, flag, nullable, seconds, secretText, textLike } from './kind.ts'
import { IDP_OIDC_RATE_LIMITS } from './rate-limit-defaults.ts'
import { defaultLimits, rateLimits } from './rate-limit-setting.ts'
import { setting } from './setting.ts'

const LIMITS = defaultLimits(IDP_OIDC_RATE_LIMITS)

/** The OpenID Connect provider: `IDP_OIDC_…`. */
export const IDP_OIDC = {
  enabled: setting({ name: 'IDP_OIDC_ENABLED', kind: flag, fallback: false, about: 'Switches the module on.' }),
  accessTokenExpiresIn: setting({
    name: 'IDP_OIDC_ACCESS_TOKEN_EXPIRES_IN',
    kind: seconds(),
    fallback: 3_600,
    about: 'Life of an access token, in seconds.',
  }),
  accessTokenFormat: setting({
    name: 'IDP_OIDC_ACCESS_TOKEN_FORMAT',
    kind: choice('opaque', 'jwt'),
    fallback: 'opaque',
    about: 'Form of access tokens.',
  }),
  authorizationCodeExpiresIn: setting({
    name: 'IDP_OIDC_AUTHORIZATION_CODE_EXPIRES_IN',
    kind: seconds(1, 600),
    fallback: 60,
    about: 'Life of an authorization code, in seconds.',
  }),
  deviceCodeExpiresIn: setting({
    name: 'IDP_OIDC_DEVICE_CODE_EXPIRES_IN',
    kind: seconds(),
    fallback: 300,
    about: 'Life of a device code, in seconds.',
  }),
  deviceCodeInterval: setting({
    name: 'IDP_OIDC_DEVICE_CODE_INTERVAL',
    kind: seconds(1, 300),
    fallback: 5,
    about: 'Seconds that a device waits between two questions.',
  }),
  idTokenExpiresIn: setting({
    name: 'IDP_OIDC_ID_TOKEN_EXPIRES_IN',
    kind: seconds(),
    fallback: 300,
    about: 'Life of an id token, in seconds.',
  }),
  privateKey: setting({
    name: 'IDP_OIDC_PRIVATE_KEY',
    kind: secretText,
    fallback: '',
    secret: true,
    about:
      'PEM of the RSA key that signs; of several the first one, the others are published too. Empty: one is made, and shared by the database.',
  }),
  rateLimits: setting({
    name: 'IDP_OIDC_RATE_LIMITS',
    kind: rateLimits(IDP_OIDC_RATE_LIMITS, LIMITS),
    fallback: LIMITS,
    fallbackText: 'see the table of limits',
    about: 'Rates of actions, over the defaults; null for one, false for all: no limit.',
  }),
  dynamicClientRegistrationEnabled: setting({
    name: 'IDP_OIDC_DYNAMIC_CLIENT_REGISTRATION_ENABLED',
    kind: flag,
    fallback: false,
    about: 'Anybody may register a public client (RFC 7591), as agents do; people still consent to each.',
  }),
  refreshTokenExpiresIn: setting({
    name: 'IDP_OIDC_REFRESH_TOKEN_EXPIRES_IN',
    kind: seconds(),
    fallback: 30 * 86_400,
    about: 'Life of a refresh token from its last use, in seconds.',
  }),
  rotateRefreshToken: setting({
    name: 'IDP_OIDC_ROTATE_REFRESH_TOKEN',
    kind: flag,
    fallback: true,
    about: 'Each refresh gives a new refresh token.',
  }),
  rpInitiatedLogoutAsksForOpLogout: setting({
    name: 'IDP_OIDC_RP_INITIATED_LOGOUT_ASKS_FOR_OP_LOGOUT',
    kind: flag,
    fallback: true,
    about: 'A logout that a client starts always asks; false: only when the standard demands it.',
  }),
  userinfoEndpoint: setting({
    name: 'IDP_OIDC_USERINFO_ENDPOINT',
    kind: nullable(textLike('an http(s) URL', 'https://example.org/userinfo', /^https?:\/\/[^\s/?#\\]+\S*$/, 2_000)),
    fallback: null,
    about: 'URL that replaces the built-in endpoint for the claims of a user.',
  }),
  userCodeFormat: setting({
    name: 'IDP_OIDC_USER_CODE_FORMAT',
    kind: codeFormat,
    fallback: (get) => get(HOST.userCodeFormat),
    fallbackText: 'GATEPOST_USER_CODE_FORMAT',
    about: 'Form of the codes that a device shows.',
  }),
}
