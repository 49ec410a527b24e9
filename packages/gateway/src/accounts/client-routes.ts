import { GatewayError } from '../server/errors.ts'
import { accountRoute, answers, type GatewayRoute, ok } from '../server/gateway-route.ts'
import type { Caller } from './caller.ts'
import type { People } from './people.ts'
import type { Core, UserId } from '@gatepost/auth'
import type { OidcClient, OidcClientInput } from '@gatepost/auth/extend'
import { z } from 'zod'

/** What the routes of clients need. */
export interface ClientParts {
  readonly core: Pick<Core, 'oidc' | 'database'>
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

const viewOf = (client: OidcClient): z.input<typeof clientShape> => ({
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
const inputOf = (body: Readonly<Record<string, unknown>>): OidcClientInput =>
  Object.fromEntries(Object.entries(NAMES).flatMap(([name, key]) => (name in body ? [[key, body[name]]] : [])))

/** `/api/admin/clients` */
export const clientRoutes = (parts: ClientParts): readonly GatewayRoute[] => [
  listRoute(parts.core),
  createRoute(parts),
  changeRoute(parts.core),
  renewSecretRoute(parts),
  removeRoute(parts.core),
]

type ClientCore = ClientParts['core']

/**
 * Who is shown the secret of a client: what calls in its own name has the rights of its owner, so nobody else may know
 * it. `null`: the owner token.
 */
async function ownerOf(people: ClientParts['people'], { userId }: Caller): Promise<UserId | null> {
  if (userId === null) return null
  const user = await people.user(userId)
  if (user === null) throw new GatewayError('unauthorized')
  return user.id
}

const idOf = (params: Readonly<Record<string, string>>): string => params['client'] ?? ''

const listRoute = ({ oidc: { adapter, clients }, database: { db } }: ClientCore): GatewayRoute =>
  accountRoute({
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
      ok({ clients: (await clients.list(db)).map(viewOf), scopes: Object.keys(adapter.scopeDisplay) }),
  })

const createRoute = ({ core: { oidc, database }, people }: ClientParts): GatewayRoute =>
  accountRoute({
    method: 'POST',
    path: '/api/admin/clients',
    id: 'createClient',
    scope: 'admin',
    summary: 'Register a program; its secret is in this answer and nowhere else',
    body: { schema: createBody },
    answers: answers('The client', withSecret),
    errors: ['invalid_input'],
    async handle({ body, caller }) {
      const given = { ...inputOf(body), name: body.name, ownerId: await ownerOf(people, caller) }
      const { client, secret } = await oidc.clients.create(database.db, given)
      return ok({ ...viewOf(client), secret }, client.id)
    },
  })

const changeRoute = ({ oidc: { clients }, database: { db } }: ClientCore): GatewayRoute =>
  accountRoute({
    method: 'PATCH',
    path: '/api/admin/clients/{client}',
    id: 'changeClient',
    scope: 'admin',
    summary: 'Change a client; what is left out stays',
    body: { schema: changeBody },
    answers: answers('As it is now', clientShape),
    errors: ['invalid_input', 'not_found'],
    handle: async ({ body, params }) => ok(viewOf(await clients.update(db, idOf(params), inputOf(body)))),
  })

const renewSecretRoute = ({ core: { oidc, database }, people }: ClientParts): GatewayRoute =>
  accountRoute({
    method: 'POST',
    path: '/api/admin/clients/{client}/secret',
    id: 'renewClientSecret',
    scope: 'admin',
    summary: 'Give a client a new secret, and make it your own; the old secret is not taken any more',
    answers: answers('The secret, this once', z.strictObject({ secret: z.string() }).meta({ id: 'ClientSecret' })),
    errors: ['not_found', 'public_client'],
    async handle({ params, caller }) {
      const id = idOf(params)
      if ((await oidc.clients.byId(database.db, id))?.type === 'public') throw new GatewayError('public_client')
      return ok({ secret: await oidc.clients.renewSecret(database.db, id, await ownerOf(people, caller)) })
    },
  })

const removeRoute = ({ oidc: { clients }, database: { db } }: ClientCore): GatewayRoute =>
  accountRoute({
    method: 'DELETE',
    path: '/api/admin/clients/{client}',
    id: 'removeClient',
    scope: 'admin',
    summary: 'Remove a client with everything that it was allowed',
    answers: answers('Removed', z.strictObject({ ok: z.literal(true) })),
    errors: ['not_found'],
    async handle({ params }) {
      await clients.remove(db, idOf(params))
      return ok({ ok: true })
    },
  })
