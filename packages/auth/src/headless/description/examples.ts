import type { Shapes } from './types.ts'

const AT = 1_767_225_600.25
const EMAIL = 'ada@example.org'

const USER = { id: 1, display: 'ada', email: EMAIL, username: 'ada', has_usable_password: true }
const PROVIDER = { id: 'github', name: 'GitHub', flows: ['provider_redirect' as const], client_id: 'site-1' }
const ACCOUNT = { uid: '583231', provider: PROVIDER, display: 'ada' }
const ADDRESS = { email: EMAIL, verified: true, primary: true }
const USED = { created_at: AT, last_used_at: null }
const TOTP = { type: 'totp' as const, ...USED }
const CODES = { type: 'recovery_codes' as const, ...USED, total_code_count: 10, unused_code_count: 2 }
const KEY = { type: 'webauthn' as const, id: 7, name: 'Laptop', is_passwordless: true, ...USED }
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

/** Made-up examples of all responses. */
export const SHAPE_EXAMPLES: Shapes = {
  Config: {
    status: 200,
    data: {
      account: {
        login_methods: ['email'],
        is_open_for_signup: true,
        email_verification_by_code_enabled: false,
        login_by_code_enabled: true,
        password_reset_by_code_enabled: false,
        authentication_method: 'email',
      },
      mfa: { supported_types: ['totp', 'recovery_codes'], passkey_login_enabled: false },
    },
  },
  Authenticated: {
    status: 200,
    data: { user: USER, methods: [{ method: 'password', at: AT, email: EMAIL }] },
    meta: { is_authenticated: true },
  },
  AuthenticationFlows: {
    status: 401,
    data: { flows: [{ id: 'login' }, { id: 'signup' }, { id: 'verify_email', is_pending: true }] },
    meta: { is_authenticated: false },
  },
  Status: { status: 200 },
  Errors: { status: 400, errors: [{ message: 'Incorrect code.', code: 'incorrect_code', param: 'code' }] },
  Conflict: {
    status: 409,
    errors: [
      {
        message: 'Verify all your email addresses before you set up two-factor authentication.',
        code: 'unverified_email',
      },
    ],
  },
  Refused: { status: 400 },
  EmailVerificationInfo: { status: 200, data: { email: EMAIL, user: USER }, meta: { is_authenticating: false } },
  PasswordResetInfo: { status: 200, data: { user: USER } },
  EmailAddresses: { status: 200, data: [ADDRESS, { email: 'ada@example.net', verified: false, primary: false }] },
  PhoneNumbers: { status: 200, data: [{ phone: '+4915112345678', verified: true }] },
  Sessions: {
    status: 200,
    data: [{ id: 12, user_agent: 'Mozilla/5.0', ip: '192.0.2.1', created_at: AT, is_current: true, last_seen_at: AT }],
  },
  Authenticators: { status: 200, data: [TOTP, CODES, KEY] },
  TotpAuthenticator: { status: 200, data: TOTP },
  TotpAdded: { status: 200, data: TOTP, meta: { recovery_codes_generated: true } },
  TotpOffer: {
    status: 404,
    meta: { secret: SECRET, totp_url: `otpauth://totp/Example:ada?secret=${SECRET}&issuer=Example` },
  },
  RecoveryCodes: { status: 200, data: { ...CODES, unused_codes: ['48291357', '73920184'] } },
  WebauthnAuthenticator: { status: 200, data: KEY },
  WebauthnAdded: { status: 200, data: KEY, meta: { recovery_codes_generated: false } },
  CreationOptions: {
    status: 200,
    data: { creation_options: { publicKey: { challenge: 'q1Zb4w', rp: { id: 'example.org', name: 'Example' } } } },
  },
  RequestOptions: {
    status: 200,
    data: { request_options: { publicKey: { challenge: 'q1Zb4w', rpId: 'example.org', allowCredentials: [] } } },
  },
  ProviderAccounts: { status: 200, data: [ACCOUNT] },
  ProviderSignup: {
    status: 200,
    data: { email: [ADDRESS], account: ACCOUNT, user: { display: 'ada', has_usable_password: false } },
  },
  AccessTokens: { status: 200, data: { access_token: 'eyJhbGciOi…', refresh_token: 'eyJhbGciOi…' } },
}
