import { sampleField, sampleForm } from './sample-form.ts'

const user = { username: 'ada', email: 'ada@example.org' }
const client = { id: '5f0c2a9be1d84c7ab1d3a6f2c4e8091b', name: 'Notes for the analytical engine' }
const box = (name: string, label: string, value: boolean, helpText?: string) =>
  sampleField(name, 'checkbox', { label, value, required: false, ...(helpText === undefined ? {} : { helpText }) })
const scopes = sampleForm(
  box('scope_openid', 'Know that it is you', true),
  box('scope_profile', 'See your name and user name', true),
  box('scope_email', 'See your e-mail address', false),
)

/** Pages of our OpenID Connect provider, and those where staff manage its clients. */
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
      scopes: ['Know that it is you', 'See your e-mail address'],
      device: { ip: '2001:db8:1234:5678:9abc:def0:1234:5678', name: 'Firefox on Linux' },
    },
  },
  '/accounts/admin/clients/made-up/': {
    template: 'admin/client_form',
    context: {
      user,
      client,
      form: sampleForm(
        sampleField('name', 'text', { label: 'Name that people see', value: client.name }),
        box(
          'is_public',
          'It keeps no secret',
          false,
          'An app on phones or desktops, a page in a browser, a command line: whoever has it can read what is in it.',
        ),
        sampleField('redirect_uris', 'textarea', {
          label: 'Addresses to come back to after signing in',
          required: false,
          value: 'https://notes.example.com/callback\nhttp://127.0.0.1/callback',
          errors: [{ code: 'invalid', message: 'This does not look right. Check it and try again.' }],
        }),
        box('grant_authorization', 'People sign in to it in a browser', true),
        box('grant_refresh', 'It stays signed in (refresh tokens)', false),
      ),
    },
  },
  '/accounts/admin/clients/made-up/secret/': {
    template: 'admin/client_secret',
    context: { user, client, secret: 'made-up-made-up-made-up-made-up-made-up-made-up-50' },
  },
}
