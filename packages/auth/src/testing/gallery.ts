import type { BoundField, BoundForm } from '../kernel/forms/form.ts'
import type { InputError } from '../errors.ts'
import { oidcGalleryPages } from './oidc-gallery.ts'
import { socialGalleryPages } from './social-gallery.ts'

/** A page with its context, rendered without a database. */
export interface GalleryPage {
  readonly template: string
  readonly context: Readonly<Record<string, unknown>>
}

export const galleryField = (name: string, more: Partial<BoundField> = {}): BoundField => ({
  name,
  id: `id_${name}`,
  label: name,
  type: 'text',
  required: true,
  value: '',
  errors: [],
  ...more,
})

const form = (fields: readonly BoundField[], errors: readonly InputError[] = []): BoundForm => ({ fields, errors })

const email = galleryField('email', { label: 'Email', type: 'email', autocomplete: 'email', autofocus: true })
const password = galleryField('password', { label: 'Password', type: 'password', autocomplete: 'current-password' })
const remember = galleryField('remember', {
  label: 'Keep me signed in',
  type: 'checkbox',
  required: false,
  value: false,
})

const radio = (id: number, address: string, verified: boolean, primary: boolean) => ({
  id: `email_radio_${id}`,
  checked: primary,
  emailaddress: { id, email: address, verified, primary },
})
const radios = [
  radio(1, 'ada@example.org', true, true),
  radio(2, 'ada.lovelace.of.the.analytical.engine@mathematics.example.org', false, false),
]

const signup = form(
  [
    { ...email, value: 'ada@example', errors: [{ code: 'invalid', message: 'Enter an email address.' }] },
    galleryField('username', { label: 'Username', autocomplete: 'username', value: 'ada', required: false }),
    {
      ...galleryField('password1', { label: 'Password', type: 'password', autocomplete: 'new-password' }),
      helpText: 'At least 8 characters, and nothing that others would guess.',
      errors: [
        {
          code: 'password_too_short',
          message: 'Use at least {min, plural, one {# character} other {# characters}}.',
          values: { min: 8 },
        },
        { code: 'password_too_common', message: 'Many people use this password.' },
      ],
    },
  ],
  [{ code: 'rate_limited', message: 'Too many requests. Try again later.' }],
)

const entrance = {
  login_url: '/accounts/login/',
  signup_url: '/accounts/signup/',
  request_login_code_url: '/accounts/login/code/',
  LOGIN_BY_CODE_ENABLED: true,
  redirect_field_name: 'next',
  redirect_field_value: '/console/',
}

/** Returns the context that every page gets. */
export const frameContext = (path: string): Readonly<Record<string, unknown>> => ({
  request: { path, method: 'GET', language: 'en' },
  user: null,
  site: { domain: 'id.example.org', name: 'Gatepost' },
  messages: [],
  csrf_token: 'made-up-token',
  has: (name: string) => name in PATHS,
  url: (name: string) => PATHS[name],
  asset: (name: string) => `/assets/${name}`,
})

const PATHS: Readonly<Record<string, string>> = {
  account_login: '/accounts/login/',
  account_signup: '/accounts/signup/',
  account_logout: '/accounts/logout/',
  account_email: '/accounts/email/',
  account_change_password: '/accounts/password/change/',
  account_set_password: '/accounts/password/set/',
  account_change_phone: '/accounts/phone/change/',
  account_reset_password: '/accounts/password/reset/',
  mfa_index: '/accounts/2fa/',
  mfa_activate_totp: '/accounts/2fa/totp/activate/',
  mfa_deactivate_totp: '/accounts/2fa/totp/deactivate/',
  mfa_view_recovery_codes: '/accounts/2fa/recovery-codes/',
  mfa_generate_recovery_codes: '/accounts/2fa/recovery-codes/generate/',
  mfa_download_recovery_codes: '/accounts/2fa/recovery-codes/download/',
  mfa_list_webauthn: '/accounts/2fa/webauthn/',
  mfa_add_webauthn: '/accounts/2fa/webauthn/add/',
  mfa_edit_webauthn: '/accounts/2fa/webauthn/keys/1/edit/',
  mfa_remove_webauthn: '/accounts/2fa/webauthn/keys/1/remove/',
  mfa_login_webauthn: '/accounts/2fa/webauthn/login/',
  usersessions_list: '/accounts/sessions/',
  socialaccount_connections: '/accounts/3rdparty/',
  admin_social_apps: '/accounts/admin/social-apps/',
  admin_add_social_app: '/accounts/admin/social-apps/add/',
  admin_edit_social_app: '/accounts/admin/social-apps/1/',
  admin_remove_social_app: '/accounts/admin/social-apps/1/remove/',
  idp_oidc_applications: '/accounts/applications/',
  admin_oidc_clients: '/accounts/admin/clients/',
  admin_add_oidc_client: '/accounts/admin/clients/add/',
  admin_edit_oidc_client: '/accounts/admin/clients/made-up/',
  admin_renew_oidc_client_secret: '/accounts/admin/clients/made-up/secret/',
  admin_remove_oidc_client: '/accounts/admin/clients/made-up/remove/',
}

const user = { username: 'ada', email: 'ada@example.org' }
const code = galleryField('code', { label: 'Code', autocomplete: 'one-time-code', autofocus: true })

const minutesAgo = { iso: '2026-11-21T12:00:00.000Z', text: '5 minutes ago' }
const lastYear = { iso: '2025-11-03T12:00:00.000Z', text: 'November 3, 2025' }
const authenticator = (type: string, name: string, more: object = {}) => ({
  id: 1,
  type,
  name,
  is_passwordless: null,
  created_at: lastYear,
  last_used_at: minutesAgo,
  ...more,
})
const session = (device: string, ip: string, isCurrent: boolean) => ({
  id: 7,
  device,
  ip,
  created_at: lastYear,
  last_seen_at: minutesAgo,
  is_current: isCurrent,
})
/** A placeholder for a QR code. */
const QR = `data:image/svg+xml;base64,${Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><rect width="4" height="4" fill="#fff"/><path d="M0 0h1v1H0zm2 1h1v1H2zM1 3h2v1H1z"/></svg>',
).toString('base64')}`
const credential = galleryField('credential', {
  type: 'hidden',
  errors: [{ code: 'incorrect_code', message: 'Incorrect code.' }],
})

/** Pages for second factors and sessions. */
const secondFactorPages: Readonly<Record<string, GalleryPage>> = {
  '/accounts/2fa/': {
    template: 'mfa/index',
    context: {
      user,
      is_mfa_enabled: true,
      can_generate_codes: true,
      MFA_SUPPORTED_TYPES: ['totp', 'webauthn', 'recovery_codes'],
      authenticators: {
        totp: authenticator('totp', ''),
        webauthn: [],
        recovery_codes: { ...authenticator('recovery_codes', ''), unused_count: 2, total_count: 10 },
      },
    },
  },
  '/accounts/2fa/totp/activate/': {
    template: 'mfa/totp/activate_form',
    context: {
      user,
      form: form([{ ...code, inputMode: 'numeric', autofocus: false }]),
      totp_svg_data_uri: QR,
      totp_url: 'otpauth://totp/ada?secret=made-up',
      totp_secret_groups: ['MADE', 'UPMA', 'DEUP', 'MADE', 'UPMA', 'DEUP', 'MADE', 'UPMA'],
    },
  },
  '/accounts/2fa/authenticate/': {
    template: 'mfa/authenticate',
    context: {
      ...entrance,
      form: form([code]),
      webauthn_form: form([credential]),
      js_data: { request_options: { publicKey: { challenge: 'AA' } } },
      authenticator_types: ['recovery_codes', 'totp', 'webauthn'],
    },
  },
  '/accounts/2fa/recovery-codes/': {
    template: 'mfa/recovery_codes/index',
    context: {
      user,
      unused_codes: ['64942586', '03959085', '07990366', '16418492', '08962862', '26762693', '03257366', '85808163'],
      total_count: 10,
      can_view_codes: true,
      can_download_codes: true,
      can_generate_codes: true,
    },
  },
  '/accounts/2fa/webauthn/': {
    template: 'mfa/webauthn/authenticator_list',
    context: {
      user,
      authenticators: [
        authenticator('webauthn', 'Phone', { is_passwordless: true }),
        authenticator('webauthn', 'A key with a name as long as a name of a key may be, on the ring of the house', {
          is_passwordless: false,
          last_used_at: null,
        }),
      ],
    },
  },
  '/accounts/2fa/webauthn/add/': {
    template: 'mfa/webauthn/add_form',
    context: {
      user,
      form: form([
        galleryField('name', { label: 'Key name', required: false, value: 'Main key' }),
        galleryField('passwordless', {
          label: 'Use for passwordless sign-in',
          type: 'checkbox',
          required: false,
          value: false,
          helpText: 'Creates a passkey: sign in with your fingerprint, face, or PIN instead of a password.',
        }),
        { ...credential, errors: [] },
      ]),
      js_data: { creation_options: { publicKey: { challenge: 'AA' } } },
    },
  },
  '/accounts/2fa/trust/': { template: 'mfa/trust', context: { ...entrance, trust_duration: '14 days' } },
  '/accounts/sessions/': {
    template: 'usersessions/usersession_list',
    context: {
      user,
      show_last_seen_at: true,
      session_count: 2,
      sessions: [
        session('Firefox on Linux', '2001:db8:1234:5678:9abc:def0:1234:5678', true),
        session('Safari on iPhone', '203.0.113.7', false),
      ],
    },
  },
}

/** The pages by the path at which they're shown. */
export const galleryPages: Readonly<Record<string, GalleryPage>> = {
  '/accounts/login/': {
    template: 'account/login',
    context: { ...entrance, PASSKEY_LOGIN_ENABLED: true, form: form([email, password, remember]) },
  },
  '/accounts/signup/': { template: 'account/signup', context: { ...entrance, form: signup } },
  '/accounts/login/code/confirm/': {
    template: 'account/confirm_login_code',
    context: {
      ...entrance,
      verify_form: form([code]),
      can_resend: true,
      email: 'ada@example.org',
      messages: [{ level: 'success', text: 'A code is on its way to ada@example.org.' }],
    },
  },
  '/accounts/email/': {
    template: 'account/email',
    context: {
      user,
      emailaddresses: radios.map(({ emailaddress }) => emailaddress),
      emailaddress_radios: radios,
      can_add_email: true,
      add_email_form: form([{ ...email, autofocus: false }]),
      messages: [
        { level: 'success', text: 'You have confirmed ada@example.org.' },
        { level: 'error', text: 'Your primary address cannot be removed.' },
      ],
    },
  },
  '/accounts/password/change/': {
    template: 'account/password_change',
    context: {
      user,
      form: form([
        galleryField('oldpassword', { label: 'Current password', type: 'password', autocomplete: 'current-password' }),
        galleryField('password1', { label: 'New password', type: 'password', autocomplete: 'new-password' }),
        galleryField('password2', { label: 'New password again', type: 'password', autocomplete: 'new-password' }),
      ]),
    },
  },
  ...secondFactorPages,
  ...oidcGalleryPages,
  ...socialGalleryPages,
}
