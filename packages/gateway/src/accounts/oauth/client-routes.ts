import type { HostedAuth, UserId } from '@gatepost/auth'
import type { OidcClient, OidcClientInput, OidcAdapterInput } from '@gatepost/auth/extend'
import { z } from 'zod'
import { MCP_PATH } from '../../mcp/mcp-routes.ts'
import { GatewayError } from '../../server/errors.ts'
import { gatewayRoute, answers, type GatewayRoute, ok } from '../../server/gateway-route.ts'
import type { Caller } from '../caller.ts'
import type { People } from '../people.ts'

/** What the routes of clients need. */
export interface ClientParts {
  readonly auth: HostedAuth
  readonly people: Pick<People, 'user'>
}

const lines = (about: string) => z.array(z.string().trim().min(1).max(2000)).max(50).describe(about)

const fields = {
  name: z.string().trim().min(1).max(100).describe('As people read it when they are asked'),
  type: z.enum(['confidential', 'public']).describe('public: a program on devices of people, which can keep no secret'),
  scopes: lines('What it may ask for'),
  default_scopes: lines('What it is given when it names nothing'),
  grant_types: z.array(
    z.enum([
      'authorization_code',
      'client_credentials',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ]),
  ),
  response_types: z.array(z.enum(['code', 'id_token', 'id_token token'])),
  redirect_uris: lines('Where people come back to: exactly these'),
  post_logout_redirect_uris: lines('Where a sign-out that it starts may lead'),
  cors_origins: lines('Origins of pages that may call the token endpoint'),
  allow_uri_wildcards: z.boolean().describe('A `*` in the host of a redirect URI stands for one label'),
  skip_consent: z.boolean().describe('Nobody is asked: for programs of your own alone'),
}

const clientShape = z
  .strictObject({ id: z.string(), ...fields, owner: z.string().nullable(), created_at: z.int() })
  .meta({ id: 'OidcClient', description: 'A program that people sign in to through this service' })

const withSecret = clientShape
  .extend({ secret: z.string().nullable().describe('In this answer and nowhere else; null: it has none') })
  .meta({ id: 'NewOidcClient' })

const changeBody = z
  .strictObject(fields)
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'Say what to change.')
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

/** What was given, by the names of the package. */
const toClientInput = (body: Readonly<Record<string, unknown>>): OidcClientInput =>
  Object.fromEntries(Object.entries(NAMES).flatMap(([name, key]) => (name in body ? [[key, body[name]]] : [])))

/** `/api/admin/clients` */
export const clientRoutes = (parts: ClientParts): readonly GatewayRoute[] => [
  listClientsRoute(parts.auth),
  createClientRoute(parts),
  changeClientRoute(parts.auth),
  renewSecretRoute(parts),
  removeClientRoute(parts.auth),
]

/**
 * Who is shown the secret of a client: what calls in its own name has the rights of its owner, so nobody else may know
 * it. `null`: the owner token.
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
    summary: 'Programs that people sign in to through this service',
    answers: answers(
      'All of them',
      z.strictObject({
        clients: z.array(clientShape),
        scopes: z.array(z.string()).describe('What a client can be allowed to ask for'),
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
    summary: 'Register a program; its secret is in this answer and nowhere else',
    body: { schema: createBody },
    answers: answers('The client', withSecret),
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
    summary: 'Change a client; what is left out stays',
    body: { schema: changeBody },
    answers: answers('As it is now', clientShape),
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
    summary: 'Give a client a new secret, and make it your own; the old secret is not taken any more',
    answers: answers('The secret, this once', z.strictObject({ secret: z.string() }).meta({ id: 'ClientSecret' })),
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
    summary: 'Remove a client with everything that it was allowed',
    answers: answers('Removed', z.strictObject({ ok: z.literal(true) })),
    errors: ['not_found'],
    async handle({ params }) {
      await auth.module('oidc').clients.remove(auth.kernel.database.db, getClientId(params))
      return ok({ ok: true })
    },
  })

/** The command line, as a client of our own OpenID Connect provider. */
export const CLI_CLIENT = 'gatepost-cli'

/** What people read on the page where they are asked. */
const SCOPE_DISPLAY = {
  'channels:read': 'View your channels and their conversations',
  'channels:write': 'Set up, enable, and disable your channels',
  'channels:send': 'Send messages through your channels',
  account: 'View your account and create access tokens',
  admin: 'Use your admin permissions on all accounts',
} as const

/** What a token can be asked for alone (RFC 8707): the tools of agents. @param mount Path that the service is shown at. */
export const resourcesAt = (mount: string): readonly string[] => [`${mount}${MCP_PATH}`]

/** What programs may ask for that nobody of staff knows: nothing that changes the service or an account. */
export const REGISTRATION_SCOPES: readonly string[] = ['openid', 'channels:read', 'channels:send']

/** Clients may be allowed what the API knows. */
export const oidcHooks: OidcAdapterInput = (defaults) => ({
  scopeDisplay: { ...defaults.scopeDisplay, ...SCOPE_DISPLAY },
})

/** Makes the client that `gatepost login` signs in with, unless it is there: staff may have changed its rights. */
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
    // Another node that starts at the same time was faster.
    if (!(await isThere())) throw error
  }
}
