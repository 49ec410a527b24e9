import { HOSTILE, sampleField, sampleForm } from './sample-form.ts'

type Context = Readonly<Record<string, unknown>>

const user = { id: 1, username: HOSTILE, email: 'somebody@example.org' }
const client = { id: 'made-up', name: HOSTILE, is_public: false }
const time = { iso: '2026-11-21T12:00:00.000Z', text: HOSTILE }
const box = sampleField('scope_email', 'checkbox', { label: HOSTILE, value: true })
const consent = (kind: string): Context => ({
  user,
  client,
  form: {
    ...sampleForm(box),
    errors: [{ code: 'required', message: 'Select at least one permission, or deny the request.' }],
  },
  leads_to: { kind, text: HOSTILE },
  addresses: [{ id: 'id_email_1', email: HOSTILE, checked: true }],
})
const device = (ip: string | null, name: string | null): Context => ({
  user,
  client,
  user_code: HOSTILE,
  autorization_url: '/identity/o/device?code=x',
  scopes: [HOSTILE],
  device: { ip, name },
})
const code = sampleForm(
  sampleField('code', 'text', {
    value: HOSTILE,
    errors: [{ code: 'incorrect_code', message: 'Incorrect code.' }],
  }),
)
const hidden = sampleForm(sampleField('state', 'hidden', { value: HOSTILE }))

/** Every page of our OpenID Connect provider, in the form of `page-samples.ts`. */
export const oidcSamples: readonly (readonly [template: string, state: string, context: Context])[] = [
  ['idp/oidc/authorization_form', 'for a site', consent('host')],
  ['idp/oidc/authorization_form', 'for a program on the device', { ...consent('device'), addresses: [] }],
  ['idp/oidc/authorization_form', 'for an app', consent('app')],
  ['idp/oidc/continue', '', { url: '/identity/o/authorize/made-up' }],
  ['idp/oidc/device_authorization_code_form', '', { user, form: code, autorization_url: '/identity/o/device' }],
  ['idp/oidc/device_authorization_confirm_form', '', device('192.0.2.7', HOSTILE)],
  ['idp/oidc/device_authorization_confirm_form', 'of an unknown program', device('192.0.2.7', null)],
  ['idp/oidc/device_authorization_confirm_form', 'from nowhere', { ...device(null, null), scopes: [] }],
  ['idp/oidc/device_authorization_confirmed', '', { user, client, user_code: HOSTILE }],
  ['idp/oidc/device_authorization_denied', '', { user, client, user_code: HOSTILE }],
  ['idp/oidc/error', '', { error: { code: 'invalid_request', description: HOSTILE }, error_form: null }],
  ['idp/oidc/error', 'of a form', { error: null, error_form: code }],
  ['idp/oidc/logout', '', { user, client, form: hidden, action_url: '/identity/o/logout' }],
  ['idp/oidc/logout', 'of no client', { user, client: null, form: hidden, action_url: '/identity/o/logout' }],
  ['idp/oidc/applications', '', { user, applications: [{ client, scopes: [HOSTILE], since: time }] }],
  ['idp/oidc/applications', 'none', { user, applications: [] }],
  [
    'admin/client_list',
    '',
    {
      user,
      clients: [
        { ...client, created_at: time },
        { ...client, is_public: true, created_at: time },
      ],
    },
  ],
  ['admin/client_list', 'none', { user, clients: [] }],
  [
    'admin/client_form',
    'new',
    { user, client: null, form: sampleForm(sampleField('name', 'text', { value: HOSTILE })) },
  ],
  [
    'admin/client_form',
    '',
    { user, client, form: sampleForm(sampleField('redirect_uris', 'textarea', { value: HOSTILE })) },
  ],
  ['admin/client_confirm', 'remove', { user, client, action: 'remove' }],
  ['admin/client_confirm', 'new secret', { user, client, action: 'secret' }],
  ['admin/client_secret', '', { user, client, secret: HOSTILE }],
  ['admin/client_secret', 'none', { user, client: { ...client, is_public: true }, secret: null }],
]
