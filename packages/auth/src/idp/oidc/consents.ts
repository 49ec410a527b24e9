import type { Core } from '../../core.ts'
import { isRecord } from '../../settings/kind.ts'
import type { AuthDb, UserId } from '../../users/user.ts'

const CONSENT = 'oidc-consent'
const GRANT = 'oidc-grant'
/** Until it is revoked: longer than anybody keeps a site. */
const FOREVER_MS = 100 * 365 * 86_400_000
const MARK_BYTES = 12

/** What a person has let a client do, until they take it back. */
export interface Consent {
  readonly scopes: readonly string[]
  /** Address that the client is told in place of the primary one. */
  readonly email: string | null
  readonly sinceMs: number
  /** Tells it from one that was given after it was taken back: grants of the old one are over. */
  readonly mark: string
}

/** One authorization: what a code, and the tokens made of it, belong to. */
export interface StoredGrant {
  readonly clientId: string
  readonly userId: UserId
  readonly mark: string
  /** What the protocol engine keeps of it. */
  readonly payload: Readonly<Record<string, unknown>>
  readonly expiresAtMs: number
}

/** Consents of people, and the grants that live as long as these. Every call runs on the handle that it is given. */
export interface Consents {
  find(db: AuthDb, clientId: string, userId: UserId): Promise<Consent | null>
  /** Adds scopes to what was allowed before; the address is replaced where one is given. */
  give(
    db: AuthDb,
    clientId: string,
    userId: UserId,
    given: { readonly scopes: readonly string[]; readonly email?: string },
  ): Promise<Consent>
  remove(db: AuthDb, clientId: string, userId: UserId): Promise<void>
  /** Consents and grants of a user for all clients. */
  removeOfUser(db: AuthDb, userId: UserId): Promise<void>
  putGrant(db: AuthDb, id: string, grant: StoredGrant): Promise<void>
  /** `null`: unknown, over, or its consent was taken back. */
  grant(db: AuthDb, id: string): Promise<StoredGrant | null>
  /** Removes and answers it. */
  takeGrant(db: AuthDb, id: string): Promise<StoredGrant | null>
}

/** Everything in the store of what is kept a while. */
export function createConsents({ artifacts, clock, random }: Pick<Core, 'artifacts' | 'clock' | 'random'>): Consents {
  const find: Consents['find'] = async (db, clientId, userId) => {
    const found = await artifacts.get(db, CONSENT, pairOf(clientId, userId), clock.now())
    return found === null ? null : (found.payload as Consent) // written here alone
  }
  const isLive = async (db: AuthDb, grant: StoredGrant): Promise<boolean> =>
    (await find(db, grant.clientId, grant.userId))?.mark === grant.mark
  return {
    find,
    async give(db, clientId, userId, { scopes, email }) {
      const before = await find(db, clientId, userId)
      const consent: Consent = {
        scopes: [...new Set([...(before?.scopes ?? []), ...scopes])],
        email: email ?? before?.email ?? null,
        sinceMs: before?.sinceMs ?? clock.now(),
        mark: before?.mark ?? Buffer.from(random(MARK_BYTES)).toString('base64url'),
      }
      const expiresAtMs = clock.now() + FOREVER_MS
      const index = { grantId: ofUser(userId) }
      await artifacts.put(db, CONSENT, pairOf(clientId, userId), { payload: consent, expiresAtMs, ...index })
      return consent
    },
    remove: (db, clientId, userId) => artifacts.remove(db, CONSENT, pairOf(clientId, userId)),
    removeOfUser: (db, userId) => artifacts.removeGrant(db, ofUser(userId)),
    async putGrant(db, id, grant) {
      const { expiresAtMs, ...payload } = grant
      await artifacts.put(db, GRANT, id, { payload, expiresAtMs, grantId: ofUser(grant.userId) })
    },
    async grant(db, id) {
      const found = grantOf(await artifacts.get(db, GRANT, id, clock.now()))
      return found !== null && (await isLive(db, found)) ? found : null
    },
    takeGrant: async (db, id) => grantOf(await artifacts.take(db, GRANT, id, clock.now())),
  }
}

const pairOf = (clientId: string, userId: UserId): string => `${String(userId)} ${clientId}`
const ofUser = (userId: UserId): string => `oidc-user ${String(userId)}`

function grantOf(found: { readonly payload: unknown; readonly expiresAtMs: number } | null): StoredGrant | null {
  if (found === null || !isRecord(found.payload)) return null
  return { ...(found.payload as Omit<StoredGrant, 'expiresAtMs'>), expiresAtMs: found.expiresAtMs } // written here alone
}
