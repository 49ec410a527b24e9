import type { Kernel } from '../kernel/kernel.ts'
import { inTransaction, lockName } from '../kernel/schema/in-transaction.sql.ts'
import { isRecord } from '../kernel/settings/kind.ts'
import type { AuthDb, UserId } from '../kernel/users/user.ts'

const CONSENT = 'oidc-consent'
const GRANT = 'oidc-grant'
/** The list of clients that a user has consented to. */
const LIST = 'oidc-consents'
/** Effectively no expiry. */
const FOREVER_MS = 100 * 365 * 86_400_000
const MARK_BYTES = 12

/** A user's consent to a client, until it's revoked. */
export interface Consent {
  readonly scopes: readonly string[]
  /** The email address that the client sees instead of the primary one; `null` for the primary one. */
  readonly email: string | null
  readonly sinceMs: number
  /** A random mark. A grant is valid only while its mark equals the consent's, so changing the mark ends all grants. */
  readonly mark: string
}

/** One authorization, which a code and the tokens issued for it belong to. */
export interface StoredGrant {
  readonly clientId: string
  readonly userId: UserId
  readonly mark: string
  /** The protocol engine's data. */
  readonly payload: Readonly<Record<string, unknown>>
  readonly expiresAtMs: number
}

/** Stores users' consents and the grants that depend on them. Every call runs on the given handle. */
export interface Consents {
  find(db: AuthDb, clientId: string, userId: UserId): Promise<Consent | null>
  /** Adds scopes to the consent and removes refused ones. Replaces the email address if one is given. */
  give(
    db: AuthDb,
    clientId: string,
    userId: UserId,
    given: { readonly scopes: readonly string[]; readonly refused?: readonly string[]; readonly email?: string },
  ): Promise<Consent>
  /** Ends the client's grants and their codes, but keeps the consent. */
  endGrants(db: AuthDb, clientId: string, userId: UserId): Promise<void>
  remove(db: AuthDb, clientId: string, userId: UserId): Promise<void>
  /** Returns the IDs of the clients that a user has consented to. */
  loadClientIds(db: AuthDb, userId: UserId): Promise<readonly string[]>
  /** Removes a user's consents and grants for all clients. */
  removeOfUser(db: AuthDb, userId: UserId): Promise<void>
  putGrant(db: AuthDb, id: string, grant: StoredGrant): Promise<void>
  /** Returns a grant, or `null` if it's unknown, expired, or ended, or its consent was revoked. */
  grant(db: AuthDb, id: string): Promise<StoredGrant | null>
  /** Removes and returns a grant. */
  takeGrant(db: AuthDb, id: string): Promise<StoredGrant | null>
}

/** Creates the store of consents, which keeps them as artifacts. */
export function createConsents(core: Pick<Kernel, 'artifacts' | 'clock' | 'database' | 'random'>): Consents {
  const { artifacts, clock } = core
  const find: Consents['find'] = async (db, clientId, userId) => {
    const found = await artifacts.get(db, CONSENT, consentKey(clientId, userId), clock.now())
    return found === null ? null : (found.payload as Consent) // only written here
  }
  return {
    find,
    ...consentGrants(core, find),
    ...grants(core, find),
    removeOfUser: (db, userId) => artifacts.removeGrant(db, userConsentKey(userId)),
  }
}

type ConsentWrites = Pick<Consents, 'give' | 'endGrants' | 'remove' | 'loadClientIds'>

function consentGrants(
  { artifacts, clock, database, random }: Parameters<typeof createConsents>[0],
  find: Consents['find'],
): ConsentWrites {
  const kept = (payload: unknown, userId: UserId) => ({
    payload,
    expiresAtMs: clock.now() + FOREVER_MS,
    grantId: userConsentKey(userId),
  })
  const loadConsentedClientIds: Consents['loadClientIds'] = async (db, userId) => {
    const found = await artifacts.get(db, LIST, String(userId), clock.now())
    return Array.isArray(found?.payload) ? found.payload.map(String) : []
  }
  const list = async (
    tx: AuthDb,
    userId: UserId,
    change: (ids: readonly string[]) => readonly string[],
  ): Promise<void> =>
    artifacts.put(tx, LIST, String(userId), kept(change(await loadConsentedClientIds(tx, userId)), userId))
  const locked = createConsentLock(database)
  const newMark = (): string => Buffer.from(random(MARK_BYTES)).toString('base64url')
  return {
    loadClientIds: loadConsentedClientIds,
    endGrants: (outer, clientId, userId) =>
      locked(outer, userId, async (db) => {
        const before = await find(db, clientId, userId)
        if (before === null) return
        await artifacts.put(db, CONSENT, consentKey(clientId, userId), kept({ ...before, mark: newMark() }, userId))
      }),
    give: (outer, clientId, userId, { scopes, refused = [], email }) =>
      locked(outer, userId, async (db) => {
        const before = await find(db, clientId, userId)
        const consent: Consent = {
          scopes: [...new Set([...(before?.scopes ?? []).filter((scope) => !refused.includes(scope)), ...scopes])],
          email: email ?? before?.email ?? null,
          sinceMs: before?.sinceMs ?? clock.now(),
          mark: before?.mark ?? newMark(),
        }
        await artifacts.put(db, CONSENT, consentKey(clientId, userId), kept(consent, userId))
        if (before === null) await list(db, userId, (ids) => [...new Set([...ids, clientId])])
        return consent
      }),
    remove: (outer, clientId, userId) =>
      locked(outer, userId, async (db) => {
        await artifacts.remove(db, CONSENT, consentKey(clientId, userId))
        await list(db, userId, (ids) => ids.filter((id) => id !== clientId))
      }),
  }
}

/** Runs changes of a user's consents one at a time, in a transaction. */
const createConsentLock =
  (database: Kernel['database']) =>
  <R>(db: AuthDb, userId: UserId, work: (tx: AuthDb) => Promise<R>): Promise<R> =>
    inTransaction(database, db, async (tx) => {
      await lockName(database, tx, `oidc consents ${String(userId)}`)
      return work(tx)
    })

function grants(
  { artifacts, clock }: Parameters<typeof createConsents>[0],
  find: Consents['find'],
): Pick<Consents, 'putGrant' | 'grant' | 'takeGrant'> {
  return {
    async putGrant(db, id, grant) {
      const { expiresAtMs, ...payload } = grant
      await artifacts.put(db, GRANT, id, { payload, expiresAtMs, grantId: userConsentKey(grant.userId) })
    },
    async grant(db, id) {
      const found = parseStoredGrant(await artifacts.get(db, GRANT, id, clock.now()))
      if (found === null) return null
      return (await find(db, found.clientId, found.userId))?.mark === found.mark ? found : null
    },
    takeGrant: async (db, id) => parseStoredGrant(await artifacts.take(db, GRANT, id, clock.now())),
  }
}

const consentKey = (clientId: string, userId: UserId): string => `${String(userId)} ${clientId}`
const userConsentKey = (userId: UserId): string => `oidc-user ${String(userId)}`

function parseStoredGrant(
  found: { readonly payload: unknown; readonly expiresAtMs: number } | null,
): StoredGrant | null {
  if (found === null || !isRecord(found.payload)) return null
  return { ...(found.payload as Omit<StoredGrant, 'expiresAtMs'>), expiresAtMs: found.expiresAtMs } // only written here
}
