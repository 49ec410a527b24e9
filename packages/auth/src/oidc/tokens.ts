import type { Oidc } from './oidc.ts'
import type { CheckedToken, OidcTokens } from './clients.ts'
import type { Consents } from './consents.ts'
import type { TokenRow, TokenRows } from './token-rows.sql.ts'

/** Characters. More than any of ours has: a jwt with the claims of a host. */
const LONGEST_TOKEN = 16_384

/** An access token with what only the endpoints of the protocol need of it. */
export interface LiveToken extends CheckedToken {
  readonly row: TokenRow
}

/** Tokens as guards, pages and the engine use them. */
export interface Tokens extends OidcTokens {
  /** As `check`. */
  live(token: string): Promise<LiveToken | null>
}

/** @param core Asked at each call: it is part of it. */
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
    async ofUser(db, userId) {
      const byClient = Map.groupBy(await rows.ofUser(db, userId, oidc.kernel.clock.now()), ({ clientId }) => clientId)
      const allowed: { client: CheckedToken['client']; scopes: readonly string[]; since: number }[] = []
      for (const id of new Set([...byClient.keys(), ...(await consents.loadClientIds(db, userId))])) {
        const own = byClient.get(id) ?? []
        const client = await oidc.clients.byId(db, id)
        const consent = await consents.find(db, id, userId)
        const scopes = [...new Set([...own.flatMap((row) => row.scopes), ...(consent?.scopes ?? [])])]
        // Nothing is left of a client that needs no consent, once its tokens are over.
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

/** What a token is good for: a client that lost a scope has lost it for tokens that are out already. */
export const liveScopes = ({ scopes }: TokenRow, client: CheckedToken['client']): readonly string[] =>
  scopes.filter((scope) => client.scopes.includes(scope))

/** With its client and its user, who must be there and active. */
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
  return { client, user, scopes, expiresAtMs, audience: aud ?? null, row }
}
