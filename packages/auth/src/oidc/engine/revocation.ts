import type { TokenRow, TokenType } from '../token-rows.sql.ts'
import { isPossibleToken, liveScopes } from '../tokens.ts'
import type { OidcClient } from '../clients.ts'
import { jsonResponse } from '../../kernel/http/json-response.ts'
import { OAuthError } from './oauth-error.ts'
import { endGrant } from './grants.ts'
import type { Call, EngineParts } from './parts.ts'

/** Ends a token of the client; a refresh token with everything that was made of it. @see RFC 7009 */
export async function revokeToken(parts: EngineParts, call: Call, client: OidcClient): Promise<Response> {
  const found = await findNamedToken(parts, call)
  const row = found?.row
  if (row !== undefined && row.clientId === client.id) {
    const { db } = parts.oidc.kernel.database
    const grantId = row.details?.['grantId']
    await parts.rows.take(db, row.type, found?.hash ?? '')
    if (row.type === 'rt' && typeof grantId === 'string') await endGrant(parts, db, grantId)
  }
  return new Response(null, { status: 200 })
}

/**
 * Whether a token is alive, and what it is worth: of the client's own tokens, or to a confidential client.
 * @see RFC 7662
 */
export async function introspect(parts: EngineParts, call: Call, client: OidcClient): Promise<Response> {
  const found = await findNamedToken(parts, call)
  const row = found?.row
  const isTold = row !== undefined && (row.clientId === client.id || client.type === 'confidential')
  return jsonResponse((isTold ? await toIntrospection(parts, call, row) : null) ?? { active: false }, 200)
}

async function toIntrospection({ oidc }: EngineParts, { issuer }: Call, row: TokenRow): Promise<object | null> {
  const { db } = oidc.kernel.database
  const client = await oidc.clients.byId(db, row.clientId)
  const user = row.userId === null ? null : await oidc.kernel.users.byId(db, row.userId)
  if (client === null || (row.userId !== null && user?.isActive !== true)) return null
  return {
    active: true,
    client_id: row.clientId,
    sub: user === null ? undefined : oidc.adapter.getUserSub(client, user),
    scope: liveScopes(row, client).join(' '),
    iat: Math.floor(row.createdAtMs / 1_000),
    exp: row.expiresAtMs === null ? undefined : Math.floor(row.expiresAtMs / 1_000),
    iss: issuer,
    aud: row.details?.['aud'],
    token_type: row.type === 'at' ? 'Bearer' : undefined,
  }
}

/** A hint says where to look first; a wrong one costs a second look. */
async function findNamedToken(
  { oidc, rows }: EngineParts,
  { form }: Call,
): Promise<{ readonly row: TokenRow; readonly hash: string } | null> {
  const token = form.get('token')
  if (token === null) throw new OAuthError('invalid_request', 'The parameter token is missing.')
  if (!isPossibleToken(token)) return null
  const hash = oidc.adapter.hashToken(token)
  const types: readonly TokenType[] = form.get('token_type_hint') === 'refresh_token' ? ['rt', 'at'] : ['at', 'rt']
  for (const type of types) {
    const row = await rows.byHash(oidc.kernel.database.db, type, hash, oidc.kernel.clock.now())
    if (row !== null) return { row, hash }
  }
  return null
}
