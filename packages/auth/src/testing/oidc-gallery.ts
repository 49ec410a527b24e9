import { sampleField, sampleForm } from './sample-form.ts'

const user = { username: 'ada', email: 'ada@example.org' }
const client = { id: '5f0c2a9be1d84c7ab1d3a6f2c4e8091b', name: 'Notes for the analytical engine' }
const scopeCheckbox = (name: string, label: string, value: boolean, helpText?: string) =>
  sampleField(name, 'checkbox', { label, value, required: false, ...(helpText === undefined ? {} : { helpText }) })
const scopes = sampleForm(
  scopeCheckbox('scope_openid', 'Confirm your identity', true),
  scopeCheckbox('scope_profile', 'View your name and username', true),
  scopeCheckbox('scope_email', 'View your email address', false),
  scopeCheckbox('scope_offline_access', "Access your account while you're away", false),
)

/** Pages of our OpenID Connect provider, including those on which staff manage its clients. */
export const oidcGalleryPages: Readonly<
  Record<string, { readonly template: string; readonly context: Readonly<Record<string, unknown>> }>
> = {
  '/identity/o/interaction/made-up/': {
    template: 'idp/oidc/authorization_form',
    context: {
      user,
      client,
      form: scopes,
      leads_to: { kind: 'host', text: 'notes.example.com' },
      addresses: [
        { id: 'id_email_1', email: 'ada@example.org', checked: true },
        { id: 'id_email_2', email: 'ada.lovelace.of.the.analytical.engine@mathematics.example.org', checked: false },
      ],
    },
  },
  '/identity/o/device': {
    template: 'idp/oidc/device_authorization_confirm_form',
    context: {
      user,
      client,
      user_code: 'WDJB-MJHT',
      autorization_url: '/identity/o/device?code=WDJB-MJHT',
      scopes: ['Confirm your identity', 'View your email address'],
      device: { ip: '2001:db8:1234:5678:9abc:def0:1234:5678', name: 'Firefox on Linux' },
    },
  },
  '/accounts/admin/clients/made-up/': {
    template: 'admin/client_form',
    context: {
      user,
      client,
      form: sampleForm(
        sampleField('name', 'text', { label: 'Display name', value: client.name }),
        scopeCheckbox(
          'is_public',
          'Public client',
          false,
          "For mobile and desktop apps, single-page apps, and command-line tools, which can't keep a secret.",
        ),
        sampleField('redirect_uris', 'textarea', {
          label: 'Redirect URIs',
          required: false,
          value: 'https://notes.example.com/callback\nhttp://127.0.0.1/callback',
          errors: [{ code: 'invalid', message: 'Enter a valid value.' }],
        }),
        scopeCheckbox('grant_authorization', 'Users sign in with a browser (authorization code)', true),
        scopeCheckbox('grant_refresh', 'Stays signed in (refresh tokens)', false),
      ),
    },
  },
  '/accounts/admin/clients/made-up/secret/': {
    template: 'admin/client_secret',
    context: { user, client, secret: 'made-up-made-up-made-up-made-up-made-up-made-up-50' },
  },
}
