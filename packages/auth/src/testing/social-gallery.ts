import { sampleField, sampleForm } from './sample-form.ts'

const user = { username: 'ada', email: 'ada@example.org', isStaff: true }
const minutesAgo = { iso: '2026-11-21T12:00:00.000Z', text: '5 minutes ago' }
const lastYear = { iso: '2025-11-03T12:00:00.000Z', text: 'November 3, 2025' }
const entrance = {
  login_url: '/accounts/login/',
  signup_url: '/accounts/signup/',
  redirect_field_name: 'next',
  redirect_field_value: '/console/',
  SOCIALACCOUNT_ENABLED: true,
}
const names = ['Acme', 'Apple', 'GitHub', 'Google', 'The identity provider of the whole Example Organisation', '微信']
const providers = names.map((name, tone) => ({
  id: `p${tone}`,
  name,
  initial: Array.from(name)[0],
  tone,
  method: 'post',
}))
const functions = {
  get_providers: () => providers,
  provider_login_url: (provider: { readonly id: string }) => `/accounts/${provider.id}/login/`,
}
const field = sampleField
const account = (provider_name: string, name: string) => ({
  id: 1,
  provider: 'x',
  provider_name,
  uid: '1',
  name,
  display: name,
  date_joined: lastYear,
  last_login: minutesAgo,
})
const app = { id: 1, name: 'Acme', provider_name: 'OpenID Connect', client_id: '5f0c2a9be1d84c7ab1d3a6f2c4e8091b' }
const callback = 'https://id.example.org/accounts/oidc/acme/login/callback/'
const SETTINGS = JSON.stringify({ server_url: 'https://login.acme.example', oauth_pkce_enabled: true }, null, 2)
const NO_PASSWORD = {
  code: 'no_password',
  message: "Set a password first. Otherwise, you won't be able to sign in.",
}

/** Pages of social login, by the path at which they're shown. */
export const socialGalleryPages: Readonly<
  Record<string, { readonly template: string; readonly context: Readonly<Record<string, unknown>> }>
> = {
  '/accounts/login/providers/': {
    template: 'account/login',
    context: {
      ...entrance,
      ...functions,
      form: sampleForm(
        field('email', 'email', { label: 'Email address', autofocus: true }),
        field('password', 'password'),
      ),
    },
  },
  '/accounts/login/providers-only/': {
    template: 'account/login',
    context: { ...entrance, ...functions, SOCIALACCOUNT_ONLY: true, form: sampleForm() },
  },
  '/accounts/google/login/': {
    template: 'socialaccount/login',
    context: { ...entrance, provider: providers[3], process: 'login' },
  },
  '/accounts/3rdparty/login/error/': {
    template: 'socialaccount/authentication_error',
    context: { ...entrance, auth_error: { provider: providers[4], code: 'denied', exception: null } },
  },
  '/accounts/3rdparty/login/cancelled/': { template: 'socialaccount/login_cancelled', context: entrance },
  '/accounts/3rdparty/signup/': {
    template: 'socialaccount/signup',
    context: {
      ...entrance,
      account: account('GitHub', 'ada'),
      form: sampleForm(
        field('email', 'email', {
          label: 'Email address',
          value: 'ada@example',
          errors: [{ code: 'invalid', message: 'Enter an e-mail address.' }],
        }),
        field('username', 'text', { label: 'Username', value: 'ada' }),
      ),
    },
  },
  '/accounts/3rdparty/': {
    template: 'socialaccount/connections',
    context: {
      ...functions,
      user,
      form: {
        fields: [],
        errors: [NO_PASSWORD],
        accounts: [
          account('GitHub', 'ada'),
          account('The identity provider of the whole Example Organisation', 'ada.lovelace@mathematics.example.org'),
        ],
      },
    },
  },
  '/accounts/telegram/login/callback/': {
    template: 'telegram/callback',
    context: { ...entrance, provider: { name: 'Telegram' } },
  },
  '/accounts/dummy/authenticate/': {
    template: 'dummy/authenticate_form',
    context: {
      ...entrance,
      action_url: '/accounts/dummy/authenticate/',
      form: sampleForm(
        field('id', 'text', { label: 'Account ID', autofocus: true }),
        field('email', 'email', { label: 'Email address', required: false }),
        field('email_verified', 'checkbox', { label: 'The address is verified', required: false }),
      ),
    },
  },
  '/accounts/openid/login/': {
    template: 'openid/login',
    context: {
      ...entrance,
      next: '',
      process: 'login',
      form: sampleForm(field('openid', 'text', { label: 'OpenID' })),
    },
  },
  '/accounts/admin/social-apps/': {
    template: 'admin/social_app_list',
    context: { user, apps: [app, { ...app, name: 'GitHub', is_fixed: true, callback_url: callback }] },
  },
  '/accounts/admin/social-apps/add/': {
    template: 'admin/social_app_choose',
    context: { user, providers: providers.map(({ id, name }) => ({ id, name })) },
  },
  '/accounts/admin/social-apps/1/': {
    template: 'admin/social_app_form',
    context: {
      user,
      app,
      provider: { id: 'openid_connect', name: 'OpenID Connect' },
      callback_url: callback,
      form: sampleForm(
        field('client_id', 'text', { label: 'Client ID', value: app.client_id }),
        field('provider_id', 'text', {
          label: 'Provider ID in URLs',
          value: 'acme',
          helpText: "Connected accounts depend on this value. Don't change it later.",
        }),
        field('name', 'text', { label: 'Display name', value: 'Acme', required: false }),
        field('secret', 'password', {
          label: 'Client secret',
          required: false,
          helpText: 'Leave blank to keep the current value.',
        }),
        field('settings', 'textarea', {
          label: 'Additional settings',
          required: false,
          value: SETTINGS,
          helpText: 'A JSON object. Secrets are shown as asterisks and stay unchanged unless you replace them.',
        }),
      ),
    },
  },
  '/accounts/admin/social-apps/1/remove/': { template: 'admin/social_app_confirm', context: { user, app } },
}
