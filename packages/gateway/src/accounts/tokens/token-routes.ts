import { gatewayRoute, answers, type GatewayRoute, ok } from '../../server/gateway-route.ts'
import { SCOPES } from '../caller.ts'
import { parseRowScopes, type Tokens } from './tokens.ts'
import type { TokenRow } from './token-store.sql.ts'
import { z } from 'zod'

const DAY_SECONDS = 86_400
const LIFE_DAYS = 90

/** Schema of a scope. */
export const scope = z.enum([...SCOPES])

const tokenShape = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    account: z.string().describe('Account that the token acts in'),
    user_id: z.string().nullable().describe('User who created it; null: the owner token'),
    scopes: z.array(scope),
    created_at: z.int(),
    expires_at: z.int().nullable(),
    last_used_at: z.int().nullable().describe('Accurate to one minute'),
  })
  .meta({ id: 'Token', description: 'A personal access token, without its secret text' })

const createBody = z.strictObject({
  name: z.string().trim().min(1).max(100),
  scopes: z.array(scope).min(1).max(SCOPES.size).optional().describe('Default: all channel scopes'),
  expires_in: z
    .int()
    .min(60)
    .max(3650 * DAY_SECONDS)
    .nullable()
    .default(LIFE_DAYS * DAY_SECONDS)
    .describe('Seconds; null: never expires'),
})

const toTokenView = (row: TokenRow): z.input<typeof tokenShape> => ({
  id: row.id,
  name: row.name,
  account: row.account_id,
  user_id: row.user_id,
  scopes: [...parseRowScopes(row)],
  created_at: row.created_at_ms,
  expires_at: row.expires_at_ms,
  last_used_at: row.last_used_at_ms,
})

/** Routes below `/api/tokens`. */
export const tokenRoutes = (tokens: Tokens): readonly GatewayRoute[] => [
  gatewayRoute({
    method: 'GET',
    path: '/api/tokens',
    id: 'listTokens',
    scope: 'account',
    summary: 'Personal access tokens of the account, newest first',
    perAccount: true,
    answers: answers('All tokens that are not revoked', z.strictObject({ tokens: z.array(tokenShape) })),
    errors: [],
    handle: async ({ principal }) => ok({ tokens: (await tokens.list(principal.accountId)).map(toTokenView) }),
  }),
  gatewayRoute({
    method: 'POST',
    path: '/api/tokens',
    id: 'createToken',
    scope: 'account',
    needsRecentSignIn: true,
    summary: 'Create a personal access token. Its text is only returned once',
    perAccount: true,
    body: { schema: createBody },
    answers: answers('The token', tokenShape.extend({ token: z.string() }).meta({ id: 'NewToken' })),
    errors: ['scope_not_allowed', 'too_many_tokens'],
    async handle({ caller, principal, body }) {
      const { text, row } = await tokens.create(caller, principal.accountId, {
        name: body.name,
        scopes: body.scopes ?? null,
        expiresInSeconds: body.expires_in,
      })
      return ok({ ...toTokenView(row), token: text }, row.id)
    },
  }),
  gatewayRoute({
    method: 'DELETE',
    path: '/api/tokens/{id}',
    id: 'revokeToken',
    scope: 'account',
    summary: 'Revoke a personal access token',
    perAccount: true,
    answers: answers('Revoked', z.strictObject({ ok: z.literal(true) })),
    errors: ['unknown_token'],
    async handle({ principal, params }) {
      await tokens.revoke(principal.accountId, params['id'] ?? '')
      return ok({ ok: true })
    },
  }),
]
