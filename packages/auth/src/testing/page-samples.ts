import { oidcSamples } from './oidc-samples.ts'
import { HOSTILE, sampleField as field, sampleForm as form } from './sample-form.ts'
import { socialSamples } from './social-samples.ts'
import { secondFactorSamples } from './second-factor-samples.ts'

type Context = Readonly<Record<string, unknown>>

const PAGES = ['account_login', 'account_logout', 'account_signup', 'account_email', 'account_change_password'].concat([
  'account_set_password',
  'account_reset_password',
  'account_change_phone',
  'mfa_index',
  'usersessions_list',
  'idp_oidc_applications',
  'socialaccount_connections',
  'admin_social_apps',
  'admin_oidc_clients',
])

const code = form(field('code', 'text', { autocomplete: 'one-time-code' }))
const wrong = [{ code: 'invalid', message: 'This password is too common.' }]

const user = { id: 1, username: HOSTILE, email: 'somebody@example.org' }
const address = (email: string, verified: boolean, primary: boolean): unknown => ({ id: 1, email, verified, primary })
const primary = address('first@example.org', true, true)
const pending = address(`${HOSTILE}@example.org`, false, false)

/** The context of all pages and of entrance pages. */
const frame = (language: string): Context => ({
  request: { path: '/accounts/', method: 'GET', language },
  site: { name: HOSTILE, domain: 'id.example.org' },
  messages: [{ level: 'success', text: HOSTILE }],
  csrf_token: 'a-token',
  has: (name: string) => PAGES.includes(name),
  url: (name: string) => `/accounts/${name}/`,
  asset: (name: string) => `/accounts/assets/${name}`,
  login_url: '/accounts/login/',
  signup_url: '/accounts/signup/',
  signup_by_passkey_url: '/accounts/signup/passkey/',
  request_login_code_url: '/accounts/login/code/',
  redirect_field_name: 'next',
  redirect_field_value: HOSTILE,
  SOCIALACCOUNT_ENABLED: true,
  SOCIALACCOUNT_ONLY: false,
  LOGIN_BY_CODE_ENABLED: true,
  PASSKEY_LOGIN_ENABLED: true,
  PASSKEY_SIGNUP_ENABLED: true,
})

const emails: Context = {
  user,
  form: form(field('email', 'email')),
  add_email_form: form(field('email', 'email', { value: HOSTILE, errors: wrong })),
  emailaddresses: [primary, pending],
  emailaddress_radios: [primary, pending].map((emailaddress, at) => ({
    id: `r${at}`,
    checked: at === 0,
    emailaddress,
  })),
  can_add_email: true,
}
const codePage: Context = { verify_form: code, form: code, can_resend: true, email: HOSTILE }
const changing: Context = {
  ...codePage,
  can_change: true,
  change_form: form(field('email', 'email', { errors: wrong })),
}
const passwords = form(field('password1', 'password', { errors: wrong }), field('password2', 'password'))
const confirmation = { key: 'k', email: HOSTILE, email_address: { verified: false } }

/** All pages of accounts with the context from their handlers. A page is listed once per state. */
const pages: readonly (readonly [template: string, state: string, context: Context])[] = [
  ['account/login', '', { form: form(field('login'), field('password', 'password'), field('remember', 'checkbox')) }],
  ['account/signup', 'with errors', { form: passwords, honeypot_field: 'website' }],
  ['account/signup_by_passkey', '', { form: form(field('email', 'email')) }],
  ['account/signup_closed', '', {}],
  ['account/account_inactive', '', {}],
  ['account/logout', '', { user }],
  ['account/email', '', emails],
  ['account/email', 'without addresses', { ...emails, emailaddresses: [], emailaddress_radios: [] }],
  ['account/email_change', 'waiting', { ...emails, current_emailaddress: primary, new_emailaddress: pending }],
  ['account/email_change', 'unverified', { ...emails, current_emailaddress: pending, new_emailaddress: null }],
  ['account/email_change', 'without address', { ...emails, current_emailaddress: null, new_emailaddress: null }],
  ['account/email_confirm', '', { confirmation, can_confirm: true, email: HOSTILE }],
  ['account/email_confirm', 'taken', { confirmation, can_confirm: false, email: HOSTILE }],
  ['account/email_confirm', 'bad link', { confirmation: null, can_confirm: false, email: '' }],
  ['account/email_confirm', 'done', { confirmation: { email_address: { verified: true } }, email: HOSTILE }],
  ['account/confirm_email_verification_code', '', changing],
  [
    'account/confirm_phone_verification_code',
    '',
    { ...changing, user, phone: HOSTILE, action: 'change', cancel_url: '/c' },
  ],
  ['account/confirm_login_code', 'mail', codePage],
  ['account/confirm_login_code', 'phone', { ...codePage, phone: HOSTILE }],
  ['account/confirm_password_reset_code', '', { ...codePage, can_resend: undefined }],
  ['account/request_login_code', '', { form: form(field('email', 'email')) }],
  ['account/password_change', '', { user, form: passwords }],
  ['account/password_set', '', { user, form: passwords }],
  ['account/password_reset', '', { user, form: form(field('email', 'email')) }],
  ['account/password_reset_done', '', {}],
  [
    'account/password_reset_from_key',
    '',
    { form: passwords, action_url: '/accounts/password/reset/key/1-set-password/' },
  ],
  ['account/password_reset_from_key', 'bad link', { token_fail: true }],
  ['account/password_reset_from_key_done', '', {}],
  ['account/phone_change', '', { user, form: form(field('phone', 'tel')), phone: HOSTILE, phone_verified: false }],
  ['account/phone_change', 'without phone', { user, form: form(field('phone', 'tel')), phone: null }],
  [
    'account/reauthenticate',
    '',
    { user, form: passwords, reauthentication_alternatives: [{ id: 'x', description: HOSTILE, url: '/x' }] },
  ],
  ['account/reauthenticate_proceed', '', { user, action_url: '/x', fields: [{ name: HOSTILE, value: HOSTILE }] }],
  ['account/verification_sent', '', {}],
  ['account/verified_email_required', '', { user }],
  ['account/verified_email_required', 'without address', { user: { ...user, email: '' } }],
  ['429', '', { status: 429, error: { code: 'rate_limited', message: HOSTILE } }],
  ['error', 'not found', { status: 404, error: { code: 'not_found', message: HOSTILE } }],
  ['error', 'unexpected', { status: 500, error: { code: 'internal_error', message: HOSTILE } }],
]

/** Returns the pages with their complete context in a language. */
export const pageSamples = (
  language: string,
): readonly (readonly [name: string, template: string, context: Context])[] =>
  [...pages, ...secondFactorSamples, ...oidcSamples, ...socialSamples].map(([template, state, context]) => [
    state === '' ? template : `${template} (${state})`,
    template,
    { ...frame(language), ...context },
  ])

/** Returns the context of mail, with hostile values. */
export const mailSample = (language: string): Context => ({
  request: { path: '/accounts/', method: 'POST', language },
  current_site: { name: 'Example', domain: 'id.example.org' },
  site: { name: 'Example', domain: 'id.example.org' },
  email: 'somebody@example.org',
  user,
  username: HOSTILE,
  key: 'MTI:1xUfmq:made-up',
  activate_url: 'https://id.example.org/accounts/confirm-email/MTI:1xUfmq:made-up-made-up-made-up-made-up-made-up/',
  signup_url: 'https://id.example.org/accounts/signup/',
  password_reset_url: 'https://id.example.org/accounts/password/reset/key/2-made-up/',
  from_email: 'before@example.org',
  to_email: 'after@example.org',
  deleted_email: 'deleted@example.org',
  confirmed_email: 'confirmed@example.org',
  timestamp: '2026-11-21 16:53 UTC',
  ip: '203.0.113.7',
  user_agent: `${HOSTILE} ${'long '.repeat(30)}`,
})
