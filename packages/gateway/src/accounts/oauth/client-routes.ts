import type { HostedAuth, UserId } from '@gatepost/auth'
import type { OidcClient, OidcClientInput, OidcAdapterInput } from '@gatepost/auth/oidc'
import { z } from 'zod'
import { MCP_PATH } from '../../mcp/mcp-routes.ts'
import { GatewayError } from '../../server/errors.ts'
import { gatewayRoute, answers, type GatewayRoute, ok } from '../../server/gateway-route.ts'
import type { Caller } from '../caller.ts'
import type { People } from '../people.ts'

/** Dependencies of the OAuth client routes. */
export interface ClientParts {
  readonly auth: HostedAuth
  readonly people: Pick<People, 'user'>
}

const lines = (about: string) => z.array(z.string().trim().min(1).max(2000)).max(50).describe(about)

const fields = {
  name: z.string().trim().min(1).max(100).describe('Name shown on the consent page'),
  type: z.enum(['confidential', 'public']).describe("public: a program on users' devices, which can't keep a secret"),
  scopes: lines('Scopes that the client may request'),
  default_scopes: lines('Scopes granted if the client requests none'),
  grant_types: z.array(
    z.enum([
      'authorization_code',
      'client_credentials',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ]),
  ),
  response_types: z.array(z.enum(['code', 'id_token', 'id_token token'])),
  redirect_uris: lines('Redirect URIs, matched exactly'),
  post_logout_redirect_uris: lines('Redirect URIs after a sign-out that the client starts'),
  cors_origins: lines('Origins that may call the token endpoint from a browser'),
  allow_uri_wildcards: z.boolean().describe('Whether `*` in the host of a redirect URI matches one label'),
  skip_consent: z.boolean().describe('Skip the consent page; only for your own programs'),
}

const clientShape = z
  .strictObject({ id: z.string(), ...fields, owner: z.string().nullable(), created_at: z.int() })
  .meta({ id: 'OidcClient', description: 'An OAuth client of this service' })

const withSecret = clientShape
  .extend({ secret: z.string().nullable().describe('Only returned once; null: the client has none') })
  .meta({ id: 'NewOidcClient' })

const changeBody = z
  .strictObject(fields)
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'Nothing to change.')
const createBody = z.strictObject(fields).partial().extend({ name: fields.name })

const toClientView = (client: OidcClient): z.input<typeof clientShape> => ({
  id: client.id,
  name: client.name,
  type: client.type,
  scopes: [...client.scopes],
  default_scopes: [...client.defaultScopes],
  grant_types: [...client.grantTypes],
  response_types: [...client.responseTypes],
  redirect_uris: [...client.redirectUris],
  post_logout_redirect_uris: [...client.postLogoutRedirectUris],
  cors_origins: [...client.corsOrigins],
  allow_uri_wildcards: client.allowUriWildcards,
  skip_consent: client.skipConsent,
  owner: client.ownerId === null ? null : String(client.ownerId),
  created_at: client.createdAtMs,
})

const NAMES = {
  name: 'name',
  type: 'type',
  scopes: 'scopes',
  default_scopes: 'defaultScopes',
  grant_types: 'grantTypes',
  response_types: 'responseTypes',
  redirect_uris: 'redirectUris',
  post_logout_redirect_uris: 'postLogoutRedirectUris',
  cors_origins: 'corsOrigins',
  allow_uri_wildcards: 'allowUriWildcards',
  skip_consent: 'skipConsent',
} as const satisfies Record<keyof typeof fields, keyof OidcClient>

/** Converts the body to the auth package's input. */
const toClientInput = (body: Readonly<Record<string, unknown>>): OidcClientInput =>
  Object.fromEntries(Object.entries(NAMES).flatMap(([name, key]) => (name in body ? [[key, body[name]]] : [])))

/** Routes below `/api/admin/clients`. */
export const clientRoutes = (parts: ClientParts): readonly GatewayRoute[] => [
  listClientsRoute(parts.auth),
  createClientRoute(parts),
  changeClientRoute(parts.auth),
  renewSecretRoute(parts),
  removeClientRoute(parts.auth),
]

/**
 * Returns the user who receives the client's secret. A client that acts for itself has its owner's permissions, so only
 * the owner may know the secret. `null`: the owner token.
 */
async function findOwner(people: ClientParts['people'], { userId }: Caller): Promise<UserId | null> {
  if (userId === null) return null
  const user = await people.user(userId)
  if (user === null) throw new GatewayError('unauthorized')
  return user.id
}

const getClientId = (params: Readonly<Record<string, string>>): string => params['client'] ?? ''

const listClientsRoute = (auth: HostedAuth): GatewayRoute =>
  gatewayRoute({
    method: 'GET',
    path: '/api/admin/clients',
    id: 'listClients',
    scope: 'admin',
    summary: 'OAuth clients of this service',
    answers: answers(
      'All OAuth clients',
      z.strictObject({
        clients: z.array(clientShape),
        scopes: z.array(z.string()).describe('Scopes that a client can be allowed'),
      }),
    ),
    errors: [],
    handle: async () =>
      ok({
        clients: (await auth.module('oidc').clients.list(auth.kernel.database.db)).map(toClientView),
        scopes: Object.keys(auth.module('oidc').adapter.scopeDisplay),
      }),
  })

const createClientRoute = ({ auth, people }: ClientParts): GatewayRoute =>
  gatewayRoute({
    method: 'POST',
    path: '/api/admin/clients',
    id: 'createClient',
    scope: 'admin',
    needsRecentSignIn: true,
    summary: 'Register an OAuth client. Its secret is only returned once',
    body: { schema: createBody },
    answers: answers('The OAuth client', withSecret),
    errors: ['invalid_input'],
    async handle({ body, caller }) {
      const given = { ...toClientInput(body), name: body.name, ownerId: await findOwner(people, caller) }
      const { client, secret } = await auth.module('oidc').clients.create(auth.kernel.database.db, given)
      return ok({ ...toClientView(client), secret }, client.id)
    },
  })

const changeClientRoute = (auth: HostedAuth): GatewayRoute =>
  gatewayRoute({
    method: 'PATCH',
    path: '/api/admin/clients/{client}',
    id: 'changeClient',
    scope: 'admin',
    needsRecentSignIn: true,
    summary: 'Change an OAuth client. Omitted members stay as they are',
    body: { schema: changeBody },
    answers: answers('The current state', clientShape),
    errors: ['invalid_input', 'not_found'],
    handle: async ({ body, params }) =>
      ok(
        toClientView(
          await auth.module('oidc').clients.update(auth.kernel.database.db, getClientId(params), toClientInput(body)),
        ),
      ),
  })

const renewSecretRoute = ({ auth, people }: ClientParts): GatewayRoute =>
  gatewayRoute({
    method: 'POST',
    path: '/api/admin/clients/{client}/secret',
    id: 'renewClientSecret',
    scope: 'admin',
    needsRecentSignIn: true,
    summary: "Replace an OAuth client's secret and become its owner. The old secret stops working",
    answers: answers(
      'The secret, only returned once',
      z.strictObject({ secret: z.string() }).meta({ id: 'ClientSecret' }),
    ),
    errors: ['not_found', 'public_client'],
    async handle({ params, caller }) {
      const id = getClientId(params)
      if ((await auth.module('oidc').clients.byId(auth.kernel.database.db, id))?.type === 'public')
        throw new GatewayError('public_client')
      return ok({
        secret: await auth
          .module('oidc')
          .clients.renewSecret(auth.kernel.database.db, id, await findOwner(people, caller)),
      })
    },
  })

const removeClientRoute = (auth: HostedAuth): GatewayRoute =>
  gatewayRoute({
    method: 'DELETE',
    path: '/api/admin/clients/{client}',
    id: 'removeClient',
    scope: 'admin',
    summary: 'Remove an OAuth client and revoke its access',
    answers: answers('Removed', z.strictObject({ ok: z.literal(true) })),
    errors: ['not_found'],
    async handle({ params }) {
      await auth.module('oidc').clients.remove(auth.kernel.database.db, getClientId(params))
      return ok({ ok: true })
    },
  })

/** Client id of the command line. */
export const CLI_CLIENT = 'gatepost-cli'

/** Descriptions of scopes on the consent page. */
const SCOPE_DISPLAY = {
  'channels:read': 'View your channels and their conversations',
  'channels:write': 'Set up, enable, and disable your channels',
  'channels:send': 'Send messages through your channels',
  account: 'View your account and create access tokens',
  admin: 'Use your admin permissions on all accounts',
} as const

/** Returns the resources that a token can be limited to (RFC 8707): the MCP server. @param mount Path prefix of the service. */
export const resourcesAt = (mount: string): readonly string[] => [`${mount}${MCP_PATH}`]

/** Scopes for dynamically registered clients: nothing that changes the service or an account. */
export const REGISTRATION_SCOPES: readonly string[] = ['openid', 'channels:read', 'channels:send']

/** Adds the API's scopes to those of OpenID Connect. */
export const oidcHooks: OidcAdapterInput = (defaults) => ({
  scopeDisplay: { ...defaults.scopeDisplay, ...SCOPE_DISPLAY },
  readOnlyScopes: [...defaults.readOnlyScopes, 'channels:read'],
  sensitiveScopes: ['account', 'admin'],
  consentScopes: ['admin'],
})

/** Registers the OAuth client of `gatepost login`, unless it exists. Staff may have changed it. */
export async function ensureCliClient(auth: HostedAuth): Promise<void> {
  const { clients } = auth.module('oidc')
  const { db } = auth.kernel.database
  const isThere = async (): Promise<boolean> => (await clients.byId(db, CLI_CLIENT)) !== null
  if (!auth.kernel.settings.idpOidc.enabled || (await isThere())) return
  try {
    await clients.create(db, {
      id: CLI_CLIENT,
      name: 'Gatepost command line',
      type: 'public',
      scopes: ['openid', ...Object.keys(SCOPE_DISPLAY)],
      defaultScopes: ['openid', 'channels:read', 'channels:write', 'channels:send', 'account'],
      grantTypes: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
      responseTypes: [],
    })
  } catch (error) {
    // Another node that is starting may have registered it first.
    if (!(await isThere())) throw error
  }
}
