import { requireSignedIn } from '../../account/refusals.ts'
import { AuthError, type InputError, InvalidInput } from '../../errors.ts'
import type { BoundForm, BoundField } from '../../kernel/forms/form.ts'
import type { PageAnswer, PageHandler, PageRoute } from '../../kernel/http/route.ts'
import { createTimeFormatter } from '../../kernel/templates/time-text.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { OidcClient, GrantType, OidcClientInput } from '../clients.ts'
import type { Oidc } from '../oidc.ts'

const LIST = 'admin_oidc_clients'

/** Returns the pages on which staff manage the clients of our OpenID Connect provider. */
export const clientPages = (oidc: Oidc): readonly PageRoute[] => [
  { name: LIST, path: 'admin/clients/', access: 'auth', GET: (request) => list(oidc, request) },
  {
    name: 'admin_add_oidc_client',
    path: 'admin/clients/add/',
    access: 'auth',
    GET: async () => editPage(null, clientForm(oidc, NEW_CLIENT)),
    POST: (request) => create(oidc, request),
  },
  {
    name: 'admin_edit_oidc_client',
    path: 'admin/clients/{id}/',
    access: 'auth',
    GET: withClient(oidc, async (_request, client) => editPage(client, clientForm(oidc, client))),
    POST: withClient(oidc, (request, client) => update(oidc, request, client)),
  },
  {
    name: 'admin_renew_oidc_client_secret',
    path: 'admin/clients/{id}/secret/',
    access: 'auth',
    GET: withClient(oidc, async (_request, client) => askPage(client, 'secret')),
    POST: withClient(oidc, async (request, client) =>
      secretPage(client, await oidc.clients.renewSecret(request.db, client.id, requireSignedIn(request).id)),
    ),
  },
  {
    name: 'admin_remove_oidc_client',
    path: 'admin/clients/{id}/remove/',
    access: 'auth',
    GET: withClient(oidc, async (_request, client) => askPage(client, 'remove')),
    POST: withClient(oidc, (request, client) => remove(oidc, request, client)),
  },
]

/** Loads the client for a page. @throws {AuthError} `not_found` */
function withClient(oidc: Oidc, work: (request: Visit, client: OidcClient) => Promise<PageAnswer>): PageHandler {
  return async (request, { id = '' }) => {
    const client = await oidc.clients.byId(request.db, id)
    if (client === null) throw new AuthError('not_found')
    return work(request, client)
  }
}

const toList = (oidc: Oidc): PageAnswer => ({ kind: 'redirect', to: oidc.kernel.url(LIST) })

async function list(oidc: Oidc, request: Visit): Promise<PageAnswer> {
  const time = createTimeFormatter(request.language, request.nowMs)
  const clients = await oidc.clients.list(request.db)
  return {
    kind: 'page',
    template: 'admin/client_list',
    context: {
      clients: clients.map(({ id, name, type, createdAtMs }) => ({
        id,
        name,
        is_public: type === 'public',
        created_at: time(createdAtMs),
      })),
    },
  }
}

async function create(oidc: Oidc, request: Visit): Promise<PageAnswer> {
  const given = readClientForm(oidc, request, NEW_CLIENT)
  try {
    const ownerId = requireSignedIn(request).id
    const { client, secret } = await oidc.clients.create(request.db, { ...given, ownerId })
    return secretPage(client, secret)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return editPage(null, clientForm(oidc, { ...NEW_CLIENT, ...given }, error.errors))
  }
}

async function update(oidc: Oidc, request: Visit, client: OidcClient): Promise<PageAnswer> {
  const given = readClientForm(oidc, request, client)
  try {
    await oidc.clients.update(request.db, client.id, given)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return editPage(client, clientForm(oidc, { ...client, ...given }, error.errors))
  }
  await oidc.account.adapter.addMessage(request, 'success', 'admin/messages/client_saved', {
    client: toClientSummary(client),
  })
  return toList(oidc)
}

async function remove(oidc: Oidc, request: Visit, client: OidcClient): Promise<PageAnswer> {
  await oidc.clients.remove(request.db, client.id)
  await oidc.account.adapter.addMessage(request, 'info', 'admin/messages/client_removed', {
    client: toClientSummary(client),
  })
  return toList(oidc)
}

const toClientSummary = ({ id, name, type }: OidcClient): Readonly<Record<string, unknown>> => ({
  id,
  name,
  is_public: type === 'public',
})

/** Returns the form page. @param client `null` for a new client. */
const editPage = (client: OidcClient | null, form: BoundForm): PageAnswer => ({
  kind: 'page',
  template: 'admin/client_form',
  context: { form, client: client === null ? null : toClientSummary(client) },
  form,
})

const askPage = (client: OidcClient, action: 'secret' | 'remove'): PageAnswer => ({
  kind: 'page',
  template: 'admin/client_confirm',
  context: { client: toClientSummary(client), action },
})

/** Returns the page that shows a secret once. @param secret `null` for a public client. */
const secretPage = (client: OidcClient, secret: string | null): PageAnswer => ({
  kind: 'page',
  template: 'admin/client_secret',
  context: { client: toClientSummary(client), secret },
})

/** The members of a client that staff can edit on the page; the others are available only in the API. */
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

/** The initial values of the form for a new client. */
const NEW_CLIENT: Shown = {
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

/** The fields before the grants. `LAST_FIELDS` has those after the scopes. */
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

/** The form field for each `param` of an error. */
const FIELD_BY_PARAM: Readonly<Record<string, string>> = {
  name: 'name',
  type: 'is_public',
  redirectUris: 'redirect_uris',
  postLogoutRedirectUris: 'post_logout_redirect_uris',
  corsOrigins: 'cors_origins',
}
/** Returns the field of the grant that this type of client can't use (see `isGrantAllowed`). */
const grantField = ({ type }: Shown): string => (type === 'public' ? 'grant_service' : 'grant_device')

const scopeField = (scope: string): string => `scope_${scope}`
const listScopes = (oidc: Oidc): readonly string[] => Object.keys(oidc.adapter.scopeDisplay)

/** Reads the posted form. Keeps scopes that the form doesn't offer. */
function readClientForm(oidc: Oidc, { form }: Visit, before: Shown): OidcClientInput & { name: string } {
  const lines = (name: string): readonly string[] => (form.get(name) ?? '').split(/\r?\n/)
  const offered = new Set(listScopes(oidc))
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

/** Returns the form for a client. @param errors Errors of the posted values, with members of a client as `param`. */
function clientForm(oidc: Oidc, client: Shown & OidcClientInput, errors: readonly InputError[] = []): BoundForm {
  const fields = buildClientFields(oidc, client)
  const placed = errors.map((error) => ({
    error,
    field: error.param === 'grantTypes' ? grantField(client) : FIELD_BY_PARAM[error.param ?? ''],
  }))
  return {
    fields: fields.map((field) =>
      bindClientField(
        field,
        placed.flatMap((each) => (each.field === field.name ? [each.error] : [])),
      ),
    ),
    errors: placed.flatMap(({ error, field }) => (field === undefined ? [error] : [])),
  }
}

const bindClientField = (field: Field, errors: readonly InputError[]): BoundField => ({
  required: false,
  value: '',
  ...field,
  id: `id_${field.name}`,
  errors,
})

function buildClientFields(oidc: Oidc, client: Shown): readonly Field[] {
  const { scopeDisplay } = oidc.adapter
  return [
    ...FIRST_FIELDS.map(([field, value]) => ({ ...field, value: value(client) })),
    ...GRANT_FIELDS.map(([grant, field]) => ({ ...field, value: client.grantTypes.includes(grant) })),
    ...listScopes(oidc).map((scope) => ({
      name: scopeField(scope),
      label: scopeDisplay[scope] ?? scope,
      type: 'checkbox' as const,
      value: client.scopes.includes(scope),
    })),
    ...LAST_FIELDS.map(([field, value]) => ({ ...field, value: value(client) })),
  ]
}
