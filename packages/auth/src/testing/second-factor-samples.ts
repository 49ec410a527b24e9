import { HOSTILE, sampleField, sampleForm } from './sample-form.ts'

type Context = Readonly<Record<string, unknown>>

const user = { id: 1, username: HOSTILE, email: 'somebody@example.org' }
const wrong = [{ code: 'incorrect_code', message: 'Incorrect code.' }]
const code = sampleForm(sampleField('code', 'text', { autocomplete: 'one-time-code', errors: wrong }))
const credential = sampleField('credential', 'hidden')
const key = sampleForm({ ...credential, errors: wrong })
const named = sampleForm(sampleField('name', 'text', { value: HOSTILE }), credential)
const none = sampleForm()
const time = { iso: '2026-11-21T12:00:00.000Z', text: HOSTILE }
const authenticator = (is_passwordless: boolean | null, last_used_at: unknown = time): Context => ({
  id: 1,
  name: HOSTILE,
  is_passwordless,
  created_at: time,
  last_used_at,
})
const js_data = { request_options: { publicKey: { challenge: HOSTILE } } }
const alternatives = [{ id: 'x', description: HOSTILE, url: '/x' }]
const TYPES = ['totp', 'webauthn', 'recovery_codes']
const index = { user, MFA_SUPPORTED_TYPES: TYPES, can_generate_codes: true, is_mfa_enabled: true }
const codes = {
  user,
  unused_codes: [HOSTILE, '12345678'],
  total_count: 10,
  can_view_codes: true,
  can_download_codes: true,
  can_generate_codes: true,
}
const session = (is_current: boolean, ip: string): Context => ({
  id: 7,
  ip,
  device: HOSTILE,
  created_at: time,
  last_seen_at: time,
  is_current,
})

/** Samples of the pages for second factors and sessions, like `pageSamples` for accounts. */
export const secondFactorSamples: readonly (readonly [template: string, state: string, context: Context])[] = [
  ['mfa/index', 'with nothing', { ...index, is_mfa_enabled: false, authenticators: { webauthn: [] } }],
  [
    'mfa/index',
    'with everything',
    {
      ...index,
      authenticators: {
        totp: authenticator(null, null),
        webauthn: [authenticator(true)],
        recovery_codes: { ...authenticator(null), unused_count: 1, total_count: 10 },
      },
    },
  ],
  ['mfa/authenticate', 'app', { form: code, authenticator_types: ['recovery_codes', 'totp'] }],
  ['mfa/authenticate', 'everything', { form: code, webauthn_form: key, js_data, authenticator_types: TYPES }],
  ['mfa/authenticate', 'key', { form: code, webauthn_form: key, js_data, authenticator_types: ['webauthn'] }],
  ['mfa/reauthenticate', '', { user, form: code, reauthentication_alternatives: alternatives }],
  ['mfa/webauthn/reauthenticate', '', { user, form: key, js_data, reauthentication_alternatives: alternatives }],
  ['mfa/trust', '', { trust_duration: HOSTILE }],
  [
    'mfa/totp/activate_form',
    '',
    {
      user,
      form: code,
      totp_svg_data_uri: 'data:image/svg+xml;base64,AA',
      totp_url: `otpauth://totp/${HOSTILE}`,
      totp_secret_groups: ['ABCD', HOSTILE],
    },
  ],
  ['mfa/totp/deactivate_form', '', { user, form: { fields: [], errors: wrong }, authenticator: authenticator(null) }],
  ['mfa/recovery_codes/index', '', codes],
  ['mfa/recovery_codes/index', 'masked', { ...codes, can_view_codes: false, unused_codes: ['****'] }],
  ['mfa/recovery_codes/index', 'used up', { ...codes, unused_codes: [] }],
  ['mfa/recovery_codes/index', 'once', { ...codes, can_generate_codes: false, MFA_RECOVERY_CODES_SHOW_ONCE: true }],
  ['mfa/recovery_codes/generate', '', { user, form: none, unused_code_count: 3 }],
  ['mfa/recovery_codes/generate', 'first', { user, form: { fields: [], errors: wrong }, unused_code_count: 0 }],
  [
    'mfa/webauthn/authenticator_list',
    '',
    { user, authenticators: [authenticator(true), authenticator(false, null), authenticator(null)] },
  ],
  ['mfa/webauthn/authenticator_list', 'empty', { user, authenticators: [] }],
  ['mfa/webauthn/add_form', '', { user, form: named, js_data }],
  ['mfa/webauthn/signup_form', '', { form: named, js_data }],
  ['mfa/webauthn/edit_form', '', { user, form: named, authenticator: authenticator(true) }],
  ['mfa/webauthn/authenticator_confirm_delete', '', { user, form: none, authenticator: authenticator(true) }],
  [
    'usersessions/usersession_list',
    '',
    { user, session_count: 2, show_last_seen_at: true, sessions: [session(true, ''), session(false, '192.0.2.1')] },
  ],
  ['usersessions/usersession_list', 'alone', { user, session_count: 1, sessions: [session(true, '192.0.2.1')] }],
]
