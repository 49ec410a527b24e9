import { jsonResponse } from '../../kernel/http/responses.ts'
import type { AuthDb, User } from '../../kernel/users/user.ts'
import type { OidcClient } from '../clients.ts'
import type { NewTokenRow, TokenRow, TokenType } from '../token-rows.sql.ts'
import { isPossibleToken, liveScopes } from '../tokens.ts'
import { OAuthError } from './oauth-error.ts'
import type { EngineParts, Call } from './parts.ts'

const ID_BYTES = 32
/** Of a grant of which nothing was made yet: longer than any code lives. */
const UNUSED_MS = 1_800_000

/** What one authorization allows. */
interface NewGrant {
  readonly client: OidcClient
  readonly user: User
  readonly scopes: readonly string[]
  /** Asked for, and not allowed. */
  readonly rejected: readonly string[]
  readonly resources: readonly string[]
}

/** Stores a grant as the protocol engine reads it, and answers its id. The consent must be there. */
export async function storeGrant(
  { oidc, consents }: EngineParts,
  db: AuthDb,
  { client, user, scopes, rejected, resources }: NewGrant,
): Promise<string> {
  // Who was not asked has agreed to nothing: they are, once staff want the client to ask.
  const agreed = client.skipConsent ? [] : scopes
  const before = await consents.find(db, client.id, user.id)
  const isCovered = agreed.every((scope) => before?.scopes.includes(scope))
  const consent =
    before !== null && isCovered ? before : await consents.give(db, client.id, user.id, { scopes: agreed })
  const id = Buffer.from(oidc.kernel.random(ID_BYTES)).toString('base64url')
  const of = (some: readonly string[]) => ({
    ...(some.length > 0 && { openid: { scope: some.join(' ') } }),
    ...(some.length > 0 && { resources: Object.fromEntries(resources.map((one) => [one, some.join(' ')])) }),
  })
  const payload = {
    accountId: oidc.adapter.getUserSub(client, user),
    clientId: client.id,
    ...of(scopes),
    ...(rejected.length > 0 && { rejected: of(rejected) }),
  }
  await consents.putGrant(db, id, {
    clientId: client.id,
    userId: user.id,
    mark: consent.mark,
    payload,
    expiresAtMs: oidc.kernel.clock.now() + UNUSED_MS,
  })
  return id
}

/**
 * Stores a token of a grant, which lives at least as long from then on. `false`: the grant was ended meanwhile, and the
 * token is not stored: both happen under one lock.
 */
export async function storeToken(parts: EngineParts, row: NewTokenRow, grantId: string | null): Promise<boolean> {
  const { oidc, rows, consents } = parts
  const { userId } = row
  if (userId === null || grantId === null) {
    await rows.insert(oidc.kernel.database.db, row)
    return true
  }
  return rows.withLock(oidc.kernel.database.db, userId, async (tx) => {
    const grant = await consents.grant(tx, grantId)
    if (grant === null) return false
    const email = (await consents.find(tx, grant.clientId, userId))?.email ?? null
    const expiresAtMs = Math.max(grant.expiresAtMs, row.expiresAtMs ?? 0)
    if (expiresAtMs > grant.expiresAtMs) await consents.putGrant(tx, grantId, { ...grant, expiresAtMs })
    await rows.insert(tx, { ...row, email })
    return true
  })
}

/** Ends everything that was made of a grant. */
export async function endGrant({ consents, rows }: EngineParts, db: AuthDb, grantId: string): Promise<void> {
  const known = await consents.grant(db, grantId)
  if (known === null) return
  await rows.withLock(db, known.userId, async (tx) => {
    const grant = await consents.takeGrant(tx, grantId)
    if (grant !== null) await rows.removeByClientAndUser(tx, grant.clientId, grant.userId, grantId)
  })
}

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
