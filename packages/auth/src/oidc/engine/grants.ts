import { jsonResponse } from '../../kernel/http/responses.ts'
import type { AuthDb, User } from '../../kernel/users/user.ts'
import type { OidcClient } from '../clients.ts'
import type { NewTokenRow, TokenRow, TokenType } from '../token-rows.sql.ts'
import { isPossibleToken, liveScopes } from '../tokens.ts'
import { OAuthError } from './oauth-error.ts'
import type { EngineParts, Call } from './parts.ts'

const ID_BYTES = 32
/** How long a grant without tokens is kept, longer than any code's lifetime. */
const UNUSED_MS = 1_800_000

/** The input of `storeGrant`. */
interface NewGrant {
  readonly client: OidcClient
  readonly user: User
  readonly scopes: readonly string[]
  /** Requested but not allowed. */
  readonly rejected: readonly string[]
  readonly resources: readonly string[]
}

/** Stores a grant and returns its ID. Creates or extends the user's consent if it doesn't cover the scopes. */
export async function storeGrant(
  { oidc, consents }: EngineParts,
  db: AuthDb,
  { client, user, scopes, rejected, resources }: NewGrant,
): Promise<string> {
  // A user who wasn't asked hasn't consented, and will be asked if staff turn on the consent page.
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
 * Stores a token of a grant, and extends the grant to the token's expiry. Returns `false` without storing the token if
 * the grant has ended meanwhile; ending it takes the same lock.
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

/** Removes a grant and its tokens. */
export async function endGrant({ consents, rows }: EngineParts, db: AuthDb, grantId: string): Promise<void> {
  const known = await consents.grant(db, grantId)
  if (known === null) return
  await rows.withLock(db, known.userId, async (tx) => {
    const grant = await consents.takeGrant(tx, grantId)
    if (grant !== null) await rows.removeByClientAndUser(tx, grant.clientId, grant.userId, grantId)
  })
}

/** Revokes a token of the client. For a refresh token, removes its grant and all the grant's tokens. @see RFC 7009 */
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
 * Handles token introspection. A confidential client can look up any token, a public client only its own.
 * @see RFC 7662
 */
export async function introspect(parts: EngineParts, call: Call, client: OidcClient): Promise<Response> {
  const found = await findNamedToken(parts, call)
  const row = found?.row
  const isVisible = row !== undefined && (row.clientId === client.id || client.type === 'confidential')
  return jsonResponse((isVisible ? await toIntrospection(parts, call, row) : null) ?? { active: false }, 200)
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

/** Finds the token of a request. The hint decides which type is tried first. */
async function findNamedToken(
  { oidc, rows }: EngineParts,
  { form }: Call,
): Promise<{ readonly row: TokenRow; readonly hash: string } | null> {
  const token = form.get('token')
  if (token === null) throw new OAuthError('invalid_request', 'The token parameter is missing.')
  if (!isPossibleToken(token)) return null
  const hash = oidc.adapter.hashToken(token)
  const types: readonly TokenType[] = form.get('token_type_hint') === 'refresh_token' ? ['rt', 'at'] : ['at', 'rt']
  for (const type of types) {
    const row = await rows.byHash(oidc.kernel.database.db, type, hash, oidc.kernel.clock.now())
    if (row !== null) return { row, hash }
  }
  return null
}
