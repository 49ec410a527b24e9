import type { Oidc } from '../oidc.ts'
import type { InputError } from '../../errors.ts'
import type { BoundField, BoundForm } from '../../kernel/forms/form.ts'
import type { GrantType, OidcClient, OidcClientInput } from '../clients.ts'
import type { Visit } from '../../kernel/visit.ts'

/** What staff see and write of a client; the rest is for the API. */
type Shown = Pick<
  OidcClient,
  | 'name'
  | 'type'
  | 'scopes'
  | 'grantTypes'
  | 'redirectUris'
  | 'postLogoutRedirectUris'
  | 'corsOrigins'
  | 'allowUriWildcards'
  | 'skipConsent'
>
type Field = Pick<BoundField, 'name' | 'label' | 'type'> & Partial<BoundField>

/** What a form for a new client begins with. */
export const NEW_CLIENT: Shown = {
  name: '',
  type: 'confidential',
  scopes: ['openid', 'profile', 'email'],
  grantTypes: ['authorization_code', 'refresh_token'],
  redirectUris: [],
  postLogoutRedirectUris: [],
  corsOrigins: [],
  allowUriWildcards: false,
  skipConsent: false,
}

const GRANT_FIELDS: readonly (readonly [GrantType, Field])[] = [
  [
    'authorization_code',
    { name: 'grant_authorization', label: 'Users sign in with a browser (authorization code)', type: 'checkbox' },
  ],
  ['refresh_token', { name: 'grant_refresh', label: 'Stays signed in (refresh tokens)', type: 'checkbox' }],
  [
    'urn:ietf:params:oauth:grant-type:device_code',
    { name: 'grant_device', label: 'Runs on devices without a browser (device code)', type: 'checkbox' },
  ],
  [
    'client_credentials',
    { name: 'grant_service', label: 'Acts on its own behalf (client credentials)', type: 'checkbox' },
  ],
]

/** What comes before the grants, and what comes behind the scopes. */
const FIRST_FIELDS: readonly (readonly [Field, (client: Shown) => string | boolean])[] = [
  [{ name: 'name', label: 'Display name', type: 'text', required: true, autofocus: true }, ({ name }) => name],
  [
    {
      name: 'is_public',
      label: 'Public client',
      type: 'checkbox',
      helpText: "For mobile and desktop apps, single-page apps, and command-line tools, which can't keep a secret.",
    },
    ({ type }) => type === 'public',
  ],
  [
    {
      name: 'redirect_uris',
      label: 'Redirect URIs',
      type: 'textarea',
      helpText:
        'One per line, exactly as the client sends them: https, http on localhost, or a custom scheme such as org.example.app:/callback.',
    },
    ({ redirectUris }) => redirectUris.join('\n'),
  ],
  [
    {
      name: 'post_logout_redirect_uris',
      label: 'Post-logout redirect URIs',
      type: 'textarea',
    },
    ({ postLogoutRedirectUris }) => postLogoutRedirectUris.join('\n'),
  ],
  [
    {
      name: 'cors_origins',
      label: 'Allowed CORS origins',
      type: 'textarea',
      helpText: 'One per line, for example https://app.example.org.',
    },
    ({ corsOrigins }) => corsOrigins.join('\n'),
  ],
]
const LAST_FIELDS: typeof FIRST_FIELDS = [
  [
    {
      name: 'skip_consent',
      label: 'Skip the consent screen',
      type: 'checkbox',
      helpText: 'Only for your own apps.',
    },
    ({ skipConsent }) => skipConsent,
  ],
  [
    {
      name: 'allow_uri_wildcards',
      label: 'Allow wildcards in host names',
      type: 'checkbox',
      helpText:
        'Allows URIs such as https://*.preview.example.org. Anyone who can publish on a matching host can receive the access that users grant.',
    },
    ({ allowUriWildcards }) => allowUriWildcards,
  ],
]

/** By the parameter of an error: its field. */
const FIELD_OF: Readonly<Record<string, string>> = {
  name: 'name',
  type: 'is_public',
  redirectUris: 'redirect_uris',
  postLogoutRedirectUris: 'post_logout_redirect_uris',
  corsOrigins: 'cors_origins',
}
/** What this type of client may not use (see `mayUse`). */
const grantField = ({ type }: Shown): string => (type === 'public' ? 'grant_service' : 'grant_device')

const scopeField = (scope: string): string => `scope_${scope}`
const scopesOf = (oidc: Oidc): readonly string[] => Object.keys(oidc.adapter.scopeDisplay)

/** What was posted. Scopes and grants that the form does not offer stay as they are. */
export function givenClient(oidc: Oidc, { form }: Visit, before: Shown): OidcClientInput & { name: string } {
  const lines = (name: string): readonly string[] => (form.get(name) ?? '').split(/\r?\n/)
  const offered = new Set(scopesOf(oidc))
  return {
    name: form.get('name') ?? '',
    type: form.has('is_public') ? 'public' : 'confidential',
    scopes: [
      ...before.scopes.filter((scope) => !offered.has(scope) && before !== NEW_CLIENT),
      ...[...offered].filter((scope) => form.has(scopeField(scope))),
    ],
    grantTypes: GRANT_FIELDS.flatMap(([grant, { name }]) => (form.has(name) ? [grant] : [])),
    redirectUris: lines('redirect_uris'),
    postLogoutRedirectUris: lines('post_logout_redirect_uris'),
    corsOrigins: lines('cors_origins'),
    allowUriWildcards: form.has('allow_uri_wildcards'),
    skipConsent: form.has('skip_consent'),
  }
}

/** The form of a client. @param errors Of what was posted; their parameters are members of a client. */
export function clientForm(oidc: Oidc, client: Shown & OidcClientInput, errors: readonly InputError[] = []): BoundForm {
  const fields = fieldsOf(oidc, client)
  const placed = errors.map((error) => ({
    error,
    field: error.param === 'grantTypes' ? grantField(client) : FIELD_OF[error.param ?? ''],
  }))
  return {
    fields: fields.map((field) =>
      bound(
        field,
        placed.flatMap((each) => (each.field === field.name ? [each.error] : [])),
      ),
    ),
    errors: placed.flatMap(({ error, field }) => (field === undefined ? [error] : [])),
  }
}

const bound = (field: Field, errors: readonly InputError[]): BoundField => ({
  required: false,
  value: '',
  ...field,
  id: `id_${field.name}`,
  errors,
})

function fieldsOf(oidc: Oidc, client: Shown): readonly Field[] {
  const { scopeDisplay } = oidc.adapter
  return [
    ...FIRST_FIELDS.map(([field, value]) => ({ ...field, value: value(client) })),
    ...GRANT_FIELDS.map(([grant, field]) => ({ ...field, value: client.grantTypes.includes(grant) })),
    ...scopesOf(oidc).map((scope) => ({
      name: scopeField(scope),
      label: scopeDisplay[scope] ?? scope,
      type: 'checkbox' as const,
      value: client.scopes.includes(scope),
    })),
    ...LAST_FIELDS.map(([field, value]) => ({ ...field, value: value(client) })),
  ]
}
