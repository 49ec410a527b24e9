import { HOSTILE, sampleField, sampleForm } from './sample-form.ts'

type Context = Readonly<Record<string, unknown>>

const user = { id: 1, username: HOSTILE, email: 'somebody@example.org', isStaff: true }
const provider = { id: 'made-up', name: HOSTILE, initial: '<', tone: 3, method: 'post' }
const wrong = [{ code: 'invalid', message: 'This password is too common.' }]
const time = { iso: '2026-11-21T12:00:00.000Z', text: HOSTILE }
const account = { id: 7, provider: 'made-up', provider_name: HOSTILE, uid: HOSTILE, name: HOSTILE, display: HOSTILE }
const linked = { ...account, date_joined: time, last_login: time }
const disconnect = sampleForm(sampleField('account', 'hidden'))
const app = { id: 3, name: HOSTILE, provider_name: HOSTILE, client_id: HOSTILE }
const appForm = sampleForm(
  sampleField('client_id', 'text', { value: HOSTILE, errors: wrong }),
  sampleField('secret', 'password'),
  sampleField('settings', 'textarea', { value: `</textarea>${HOSTILE}` }),
)
/** The functions that the provider tags call. */
const functions = {
  get_providers: () => [provider, { ...provider, id: 'openid', method: 'get' }],
  provider_login_url: () => `/accounts/made-up/login/?next=${HOSTILE}`,
}

/** Samples of the social login pages, like `pageSamples` for accounts. */
export const socialSamples: readonly (readonly [template: string, state: string, context: Context])[] = [
  ['account/login', 'with providers', { ...functions, form: sampleForm(sampleField('login')) }],
  ['account/login', 'with providers only', { ...functions, form: sampleForm(), SOCIALACCOUNT_ONLY: true }],
  ['account/signup', 'with providers', { ...functions, form: sampleForm(sampleField('email', 'email')) }],
  ['socialaccount/login', '', { provider, process: 'login' }],
  ['socialaccount/login', 'to connect', { user, provider, process: 'connect' }],
  ['socialaccount/login_redirect', '', { provider, redirect_to: `https://id.example.org/?x=${HOSTILE}` }],
  ['socialaccount/login_redirect', 'to ourselves', { provider: null, redirect_to: `/accounts/x/?x=${HOSTILE}` }],
  ['socialaccount/login_cancelled', '', {}],
  ['socialaccount/authentication_error', '', {}],
  [
    'socialaccount/authentication_error',
    'of a provider',
    { auth_error: { provider, code: 'unknown', exception: new Error(HOSTILE) } },
  ],
  [
    'socialaccount/authentication_error',
    'refused, while somebody is signed in',
    { user, auth_error: { provider, code: 'denied', exception: null } },
  ],
  ['socialaccount/signup', '', { account, form: sampleForm(sampleField('email', 'email', { errors: wrong })) }],
  [
    'socialaccount/signup',
    'without a name there',
    { account: { ...account, display: account.provider_name }, form: sampleForm(sampleField('email', 'email')) },
  ],
  ['socialaccount/connections', '', { ...functions, user, form: { ...disconnect, accounts: [linked, linked] } }],
  [
    'socialaccount/connections',
    'refused',
    { ...functions, user, form: { ...disconnect, errors: wrong, accounts: [{ ...linked, name: 'another' }] } },
  ],
  [
    'socialaccount/connections',
    'with a field of the host',
    {
      ...functions,
      user,
      form: { ...disconnect, errors: wrong, accounts: [linked] },
      more: { ...sampleForm(sampleField('reason', 'text', { errors: wrong })), errors: wrong },
    },
  ],
  ['socialaccount/connections', 'with nothing', { user, form: { ...disconnect, accounts: [] } }],
  ['telegram/callback', '', { provider }],
  ['dummy/authenticate_form', '', { form: sampleForm(sampleField('id', 'text', { errors: wrong })), action_url: '/x' }],
  ['openid/login', '', { form: sampleForm(sampleField('openid')), next: HOSTILE, process: HOSTILE }],
  ['openid/login', 'without a way on', { form: sampleForm(sampleField('openid')), next: '', process: '' }],
  ['admin/social_app_list', '', { user, apps: [app, { ...app, is_fixed: true, callback_url: HOSTILE }] }],
  ['admin/social_app_list', 'with nothing', { user, apps: [] }],
  ['admin/social_app_choose', '', { user, providers: [{ id: HOSTILE, name: HOSTILE }] }],
  ['admin/social_app_form', 'new', { user, form: appForm, app: null, provider, callback_url: null }],
  [
    'admin/social_app_form',
    '',
    { user, form: appForm, app, provider: { id: 'x', name: 'Acme' }, callback_url: HOSTILE },
  ],
  ['admin/social_app_confirm', '', { user, app }],
]
