import type { Oidc } from './oidc.ts'
import type { CheckedToken, OidcTokens } from './clients.ts'
import type { Consents } from './consents.ts'
import type { TokenRow, TokenRows } from './token-rows.sql.ts'

/** In characters. Longer than any token we issue, including a JWT with a host's claims. */
const LONGEST_TOKEN = 16_384

/** A valid access token with its row, for the protocol's endpoints. */
export interface LiveToken extends CheckedToken {
  readonly row: TokenRow
}

/** The tokens, including what only the engine uses. */
export interface Tokens extends OidcTokens {
  /** Like `check`, but returns the token's row too. */
  live(token: string): Promise<LiveToken | null>
}

/** Creates the tokens. @param oidc The provider itself, which may not be complete yet. */
export function createTokens(oidc: Oidc, rows: TokenRows, consents: Consents): Tokens {
  const live: Tokens['live'] = async (token) => {
    const { database, clock } = oidc.kernel
    if (!isPossibleToken(token)) return null
    const row = await rows.byHash(database.db, 'at', oidc.adapter.hashToken(token), clock.now())
    return row === null ? null : loadTokenOwner(oidc, row)
  }
  return {
    live,
    async check(token) {
      const found = await live(token)
      if (found === null) return null
      const { row: _row, ...checked } = found
      return checked
    },
    async isGrantActive(grantId) {
      const { db } = oidc.kernel.database
      const grant = await consents.grant(db, grantId)
      return grant !== null && (await oidc.clients.byId(db, grant.clientId)) !== null
    },
    async ofUser(db, userId) {
      const byClient = Map.groupBy(await rows.ofUser(db, userId, oidc.kernel.clock.now()), ({ clientId }) => clientId)
      const allowed: { client: CheckedToken['client']; scopes: readonly string[]; since: number }[] = []
      for (const id of new Set([...byClient.keys(), ...(await consents.loadClientIds(db, userId))])) {
        const own = byClient.get(id) ?? []
        const client = await oidc.clients.byId(db, id)
        const consent = await consents.find(db, id, userId)
        const scopes = [...new Set([...own.flatMap((row) => row.scopes), ...(consent?.scopes ?? [])])]
        // A client without consent isn't listed once its tokens have expired.
        if (client === null || (scopes.length === 0 && own.length === 0)) continue
        allowed.push({
          client,
          scopes,
          since: Math.min(consent?.sinceMs ?? Infinity, ...own.map(({ createdAtMs }) => createdAtMs)),
        })
      }
      return allowed
    },
    revokeOfUser: (db, userId, clientId) =>
      rows.withLock(db, userId, async (tx) => {
        await consents.remove(tx, clientId, userId)
        await rows.removeByClientAndUser(tx, clientId, userId)
      }),
    signOutOfClient: (db, userId, clientId) =>
      rows.withLock(db, userId, async (tx) => {
        await consents.endGrants(tx, clientId, userId)
        await rows.removeByClientAndUser(tx, clientId, userId)
      }),
    revokeAllOfUser: (db, userId) =>
      rows.withLock(db, userId, async (tx) => {
        await consents.removeOfUser(tx, userId)
        await rows.removeOfUser(tx, userId)
      }),
    sweep: (nowMs) => rows.sweep(nowMs),
  }
}

/** Rejects impossible tokens before hashing or querying. */
export const isPossibleToken = (token: string): boolean =>
  token !== '' && token.length <= LONGEST_TOKEN && /^[!-~]+$/.test(token)

/** Returns the scopes of a token that its client still has. */
export const liveScopes = ({ scopes }: TokenRow, client: CheckedToken['client']): readonly string[] =>
  scopes.filter((scope) => client.scopes.includes(scope))

/** Loads a token's client and user. Returns `null` unless both exist and the user is active. */
async function loadTokenOwner(oidc: Oidc, row: TokenRow): Promise<LiveToken | null> {
  const { db } = oidc.kernel.database
  const client = await oidc.clients.byId(db, row.clientId)
  const user = row.userId === null ? null : await oidc.kernel.users.byId(db, row.userId)
  if (client === null || (row.userId !== null && user?.isActive !== true)) return null
  const { expiresAtMs } = row
  const scopes = liveScopes(row, client)
  const { aud } = row.details ?? {}
  // A token with several audiences isn't one of ours and must not pass for one without any.
  if (aud !== undefined && typeof aud !== 'string') return null
  const grantId = row.details?.['grantId']
  return {
    client,
    user,
    scopes,
    expiresAtMs,
    audience: aud ?? null,
    grantId: typeof grantId === 'string' ? grantId : null,
    row,
  }
}
