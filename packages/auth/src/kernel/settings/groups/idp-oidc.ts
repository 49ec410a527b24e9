import { codeFormat, choice, flag, nullable, seconds, secretText, textLike } from '../kind.ts'
import { HOST } from './host.ts'
import { appSwitch, MODULE_APPS } from '../installed-apps.ts'
import { IDP_OIDC_RATE_LIMITS, defaultLimits, rateLimits } from '../rate-limit-setting.ts'
import { setting } from '../setting.ts'

const LIMITS = defaultLimits(IDP_OIDC_RATE_LIMITS)

/** The OpenID Connect provider: `IDP_OIDC_…`. */
export const IDP_OIDC = {
  enabled: appSwitch('IDP_OIDC_ENABLED', MODULE_APPS.idpOidc),
  accessTokenExpiresIn: setting({
    name: 'IDP_OIDC_ACCESS_TOKEN_EXPIRES_IN',
    kind: seconds(),
    fallback: 3_600,
    about: 'Lifetime of an access token, in seconds.',
  }),
  accessTokenFormat: setting({
    name: 'IDP_OIDC_ACCESS_TOKEN_FORMAT',
    kind: choice('opaque', 'jwt'),
    fallback: 'opaque',
    about: 'Format of access tokens.',
  }),
  authorizationCodeExpiresIn: setting({
    name: 'IDP_OIDC_AUTHORIZATION_CODE_EXPIRES_IN',
    kind: seconds(1, 600),
    fallback: 60,
    about: 'Lifetime of an authorization code, in seconds.',
  }),
  deviceCodeExpiresIn: setting({
    name: 'IDP_OIDC_DEVICE_CODE_EXPIRES_IN',
    kind: seconds(),
    fallback: 300,
    about: 'Lifetime of a device code, in seconds.',
  }),
  deviceCodeInterval: setting({
    name: 'IDP_OIDC_DEVICE_CODE_INTERVAL',
    kind: seconds(1, 300),
    fallback: 5,
    about: 'Minimum time between two polls by a device, in seconds.',
  }),
  idTokenExpiresIn: setting({
    name: 'IDP_OIDC_ID_TOKEN_EXPIRES_IN',
    kind: seconds(),
    fallback: 300,
    about: 'Lifetime of an ID token, in seconds.',
  }),
  privateKey: setting({
    name: 'IDP_OIDC_PRIVATE_KEY',
    kind: secretText,
    fallback: '',
    secret: true,
    about:
      'PEM of the RSA key that signs tokens. If there are several keys, the first one signs and all are published. Empty: a key is generated and shared through the database.',
  }),
  rateLimits: setting({
    name: 'IDP_OIDC_RATE_LIMITS',
    kind: rateLimits(IDP_OIDC_RATE_LIMITS, LIMITS),
    fallback: LIMITS,
    fallbackText: 'see the table of limits',
    about: 'Rate limits by action, merged with the defaults. null turns off one limit, false turns off all.',
  }),
  dynamicClientRegistrationEnabled: setting({
    name: 'IDP_OIDC_DYNAMIC_CLIENT_REGISTRATION_ENABLED',
    kind: flag,
    fallback: false,
    about: 'Lets anyone register a public client (RFC 7591), as agents do. Users must still consent to each client.',
  }),
  refreshTokenExpiresIn: setting({
    name: 'IDP_OIDC_REFRESH_TOKEN_EXPIRES_IN',
    kind: seconds(),
    fallback: 30 * 86_400,
    about: 'Lifetime of a refresh token after its last use, in seconds.',
  }),
  rotateRefreshToken: setting({
    name: 'IDP_OIDC_ROTATE_REFRESH_TOKEN',
    kind: flag,
    fallback: true,
    about: 'Issues a new refresh token with each refresh.',
  }),
  rpInitiatedLogoutAsksForOpLogout: setting({
    name: 'IDP_OIDC_RP_INITIATED_LOGOUT_ASKS_FOR_OP_LOGOUT',
    kind: flag,
    fallback: true,
    about: 'Always asks the user when a client starts a sign-out. false: asks only when the standard requires it.',
  }),
  userinfoEndpoint: setting({
    name: 'IDP_OIDC_USERINFO_ENDPOINT',
    kind: nullable(textLike('an http(s) URL', 'https://example.org/userinfo', /^https?:\/\/[^\s/?#\\]+\S*$/, 2_000)),
    fallback: null,
    about: 'URL that replaces the built-in userinfo endpoint.',
  }),
  userCodeFormat: setting({
    name: 'IDP_OIDC_USER_CODE_FORMAT',
    kind: codeFormat,
    fallback: (get) => get(HOST.userCodeFormat),
    fallbackText: 'GATEPOST_USER_CODE_FORMAT',
    about: 'Format of the codes that devices show.',
  }),
}
