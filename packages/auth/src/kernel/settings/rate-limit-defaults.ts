import type { RateLimitDefault } from './rate-limit-setting.ts'

/** The limited actions of `account` and `mfa`. `key` is the address, user name or phone number concerned. */
export const ACCOUNT_RATE_LIMITS = {
  login: { rates: '30/m/ip', per: ['ip'] },
  login_failed: { rates: '10/m/ip,5/300s/key', per: ['ip', 'key'] },
  signup: { rates: '20/m/ip', per: ['ip'] },
  request_login_code: { rates: '20/m/ip,3/m/key', per: ['ip', 'key'] },
  reset_password: { rates: '20/m/ip,5/m/key', per: ['ip', 'key'] },
  reset_password_from_key: { rates: '20/m/ip', per: ['ip'] },
  change_password: { rates: '5/m/user', per: ['ip', 'user'] },
  manage_email: { rates: '10/m/user', per: ['ip', 'user'] },
  change_phone: { rates: '1/m/user', per: ['ip', 'user'] },
  reauthenticate: { rates: '10/m/user', per: ['ip', 'user'] },
  /** With codes instead of links the default is `CONFIRM_EMAIL_BY_CODE`. */
  confirm_email: { rates: '1/180s/key', per: ['ip', 'key'] },
  verify_phone: { rates: '1/30s/key,3/m/ip', per: ['ip', 'key'] },
  /** Many apps may be behind one address, and each comes every few minutes. */
  refresh_token: { rates: '120/m/ip', per: ['ip'] },
  /** Of whoever looks at a page where a passkey signs in: each look stores a challenge. */
  login_webauthn: { rates: '60/m/ip', per: ['ip'] },
  add_webauthn: { rates: '10/m/user', per: ['ip', 'user'] },
  list_sessions: { rates: '60/m/user', per: ['ip', 'user'] },
  /** Each begin stores a state, and so a session. */
  provider_login: { rates: '60/m/ip', per: ['ip'] },
  /** Tokens of providers that apps bring: each costs calls to the provider. */
  provider_token: { rates: '30/m/ip', per: ['ip'] },
} as const satisfies Readonly<Record<string, RateLimitDefault>>

/** A code is sent to one address at most this often. */
export const CONFIRM_EMAIL_BY_CODE = '1/10s/key'

/** The limited actions of the OpenID Connect provider. */
export const IDP_OIDC_RATE_LIMITS = {
  /** Of whoever is not signed in: each authorization that is begun stores an interaction. */
  authorize: { rates: '120/m/ip', per: ['ip'] },
  device_user_code: { rates: '5/m/ip', per: ['ip'] },
  /** Devices that ask for a code. */
  device_code: { rates: '30/m/ip', per: ['ip'] },
  /** Wrong secrets of clients. */
  client_failed: { rates: '20/m/ip,20/m/key', per: ['ip', 'key'] },
  register_client: { rates: '20/h/ip', per: ['ip'] },
} as const satisfies Readonly<Record<string, RateLimitDefault>>
