import type { Database } from '@gatepost/sql'
import { sql } from 'kysely'
import { AuthError } from '../../errors.ts'
import { equalsConstantTime, type Sealer, type Signer } from '../crypto/crypto.ts'
import type { Log, RandomBytes } from '../io.ts'
import type { AuthTables } from '../schema/tables.ts'
import type { UserTable } from '../settings/user-table.ts'
import { userRows, type UserRows } from '../users/user-rows.sql.ts'
import type { AuthDb, UserId, UserStore } from '../users/user.ts'
import { openSession, type SessionWorld } from './open-session.ts'
import {
  type CheckedRow,
  isAlive,
  isToken,
  type SessionLife,
  sessionRows,
  type SessionRows,
  type StoredRow,
  tokenHash,
} from './session-rows.sql.ts'
import type { Loaded } from './session-state.ts'
import type { SessionReference, SessionStore, SessionSummary, SessionUser } from './session.ts'

/** The inputs of `createSessionStore`. */
interface SessionStoreParts {
  readonly database: Database<AuthTables>
  readonly settings: SessionLife & { readonly userTable: UserTable }
  readonly signer: Signer
  readonly sealer: Sealer
  readonly users: UserStore
  readonly random: RandomBytes
  readonly log: Log
}

const SALT = 'gatepost.session.password'
const SWEEP_BATCH = 1_000

/** The state shared by all functions of the store. */
interface Context extends SessionStoreParts {
  readonly names: UserRows
  readonly rows: SessionRows
  readonly seen: LastSeenWriter
  readonly unseal: (sealed: string, id: string) => string | null
  readonly matchesPassword: (row: Pick<CheckedRow, 's_fingerprint' | 'u_password'>) => boolean
}

/** Port: `SessionStore`. */
export function createSessionStore(parts: SessionStoreParts): SessionStore {
  const { database, settings, log, signer } = parts
  const names = userRows(settings.userTable, database.dialect)
  const rows = sessionRows(database, names)
  const seen = createLastSeenWriter(database, settings, log)
  const unseal = cacheOpened(createUnsealer(parts))
  const context: Context = { ...parts, names, rows, seen, unseal, matchesPassword: createPasswordCheck(signer) }
  const check = createSessionChecker(context)
  return {
    check: async (token, nowMs) => (isToken(token) ? check(await rows.checked([tokenHash(token)]), nowMs) : null),
    checkId: async (id, nowMs) => check(await rows.checkedById([id]), nowMs),
    async open(reference, { nowMs, ip, userAgent, db = () => database.db, keepsEmpty = false }) {
      const row = reference === null ? undefined : await storedRow(rows, reference)
      const token = reference?.kind === 'token' ? reference.token : null
      const loaded = row === undefined ? null : load(context, token, row, nowMs)
      if (loaded !== null) seen.record(loaded.row.s_id, loaded.row.s_seen_at_ms, nowMs)
      return openSession({ ...createSessionWorld(context, db), nowMs, ip, userAgent, keepsEmpty }, loaded)
    },
    async isSuspended(reference, nowMs) {
      const row = await storedRow(rows, reference)
      if (row === undefined || row.u_id === null || !isAlive(row, settings, nowMs)) return false
      return context.matchesPassword(row) && !names.read(row).isActive
    },
    ofUser: async (db, userId, nowMs) => listUserSessions(context, db, userId, nowMs),
    async end(db, userId, ids) {
      if (ids.length === 0) return
      const query = db.deleteFrom('gatepost_session').where('user_id', '=', names.keyText(userId))
      await query.where('id', 'in', ids).execute()
    },
    async endAll(db, userId) {
      await db.deleteFrom('gatepost_session').where('user_id', '=', names.keyText(userId)).execute()
    },
    settle: async () => seen.settle(),
    sweep: async (nowMs) => sweep(database, nowMs),
  }
}

async function storedRow(rows: SessionRows, reference: SessionReference): Promise<StoredRow | undefined> {
  if (reference.kind === 'id') {
    const row = await rows.storedById([reference.id])
    const { authenticatedAtMs } = reference
    return authenticatedAtMs === undefined || row?.s_authenticated_at_ms === authenticatedAtMs ? row : undefined
  }
  return isToken(reference.token) ? rows.stored([tokenHash(reference.token)]) : undefined
}

/** Creates the session check. This is the hottest path, so it avoids allocations. */
function createSessionChecker({
  settings,
  names,
  seen,
  matchesPassword: isOfPassword,
}: Context): (row: CheckedRow | undefined, nowMs: number) => SessionUser | null {
  return (row, nowMs) => {
    if (row === undefined || !isAlive(row, settings, nowMs) || !isOfPassword(row)) return null
    const user = names.read(row)
    if (!user.isActive) return null
    seen.record(row.s_id, row.s_seen_at_ms, nowMs)
    return { sessionId: row.s_id, user, authenticatedAtMs: row.s_authenticated_at_ms ?? row.s_created_at_ms }
  }
}

/**
 * Loads a session. Returns `null` if it has expired, or if its user was deleted or disabled or has changed the
 * password.
 */
function load(context: Context, token: string | null, row: StoredRow, nowMs: number): Loaded | null {
  if (!isAlive(row, context.settings, nowMs)) return null
  if (row.s_user_id === null) return { token, row, user: null }
  if (row.u_id === null || !context.matchesPassword(row)) return null
  const user = context.names.read(row)
  return user.isActive ? { token, row, user } : null
}

async function listUserSessions(
  context: Context,
  db: AuthDb,
  userId: UserId,
  nowMs: number,
): Promise<readonly SessionSummary[]> {
  const password = await context.users.loadPasswordHash(db, userId)
  const found = await db
    .selectFrom('gatepost_session')
    .select(['id', 'created_at_ms', 'seen_at_ms', 'fingerprint', 'ip', 'user_agent'])
    .where('user_id', '=', context.names.keyText(userId))
    .orderBy('seen_at_ms', 'desc')
    .orderBy('id', 'desc')
    .execute()
  const isValid = (row: (typeof found)[number]): boolean =>
    isAlive({ s_created_at_ms: row.created_at_ms, s_seen_at_ms: row.seen_at_ms }, context.settings, nowMs) &&
    password !== null &&
    context.matchesPassword({ s_fingerprint: row.fingerprint, u_password: password })
  const dead = found.filter((row) => !isValid(row)).map(({ id }) => id)
  if (dead.length > 0) await db.deleteFrom('gatepost_session').where('id', 'in', dead).execute()
  return found.filter(isValid).map((row) => ({
    id: row.id,
    userId,
    createdAtMs: row.created_at_ms,
    lastSeenAtMs: row.seen_at_ms,
    ip: row.ip,
    userAgent: row.user_agent,
  }))
}

/**
 * Creates a check of whether a session was started with the user's current password. Accepts fingerprints made with old
 * secret keys.
 */
function createPasswordCheck(signer: Signer): (row: Pick<CheckedRow, 's_fingerprint' | 'u_password'>) => boolean {
  return ({ s_fingerprint: stored, u_password }) => {
    if (stored === null) return false
    const password = u_password ?? ''
    if (equalsConstantTime(stored, signer.fingerprint(password, SALT))) return true
    return signer.fingerprints(password, SALT).some((fingerprint) => equalsConstantTime(stored, fingerprint))
  }
}

/** Returns a password's fingerprint with the newest key if the stored one is valid, otherwise the stored one. */
export const renewFingerprint = (signer: Signer, stored: string, password: string): string =>
  signer.fingerprints(password, SALT).includes(stored) ? signer.fingerprint(password, SALT) : stored

function createSessionWorld(
  { rows, settings, names, signer, sealer, users, random, unseal }: Context,
  db: () => AuthDb,
): Omit<SessionWorld, 'nowMs' | 'ip' | 'userAgent' | 'keepsEmpty'> {
  return {
    rows,
    life: settings,
    random,
    db,
    async fingerprint(user, given) {
      const password = given ?? (await users.loadPasswordHash(db(), user.id))
      if (password === null) throw new AuthError('not_found')
      return { userId: names.keyText(user.id), fingerprint: signer.fingerprint(password, SALT) }
    },
    seal: (json, id) => sealer.seal(json, id),
    unseal,
  }
}

/** Creates a function that opens session data. It returns `null` if the data can't be opened. */
const createUnsealer =
  ({ sealer, log }: SessionStoreParts): Context['unseal'] =>
  (sealed, id) => {
    try {
      return sealer.open(sealed, id)
    } catch (error) {
      if (!(error instanceof AuthError && error.code === 'secret_unreadable')) throw error
      log.warn("A session can't be opened with the current secret keys and is treated as empty", { session: id })
      return null
    }
  }

/** Deletes expired sessions in batches, so that other writers don't wait long. */
async function sweep(database: Database<AuthTables>, nowMs: number): Promise<number> {
  for (let removed = 0; ; ) {
    const done = await sql`delete from gatepost_session where token_hash in (
      select token_hash from gatepost_session where expires_at_ms <= ${nowMs} limit ${SWEEP_BATCH})`.execute(
      database.db,
    )
    const count = Number(done.numAffectedRows ?? 0n)
    removed += count
    if (count < SWEEP_BATCH) return removed
  }
}

/** Minimum time between two writes for the same session. */
const WRITE_INTERVAL_MS = 60_000
/** How long to pause after a failed write. */
const PAUSE_MS = 60_000
const BATCH = 500

/** Writes when sessions were last used, in the background. */
interface LastSeenWriter {
  /** Records that a session was used. @param seenAtMs The stored time. */
  record(id: string, seenAtMs: number, nowMs: number): void
  /** Resolves when everything recorded is written. */
  settle(): Promise<void>
}

/** Batches what is recorded in one turn of the event loop or during a write. */
export function createLastSeenWriter(database: Database<AuthTables>, life: SessionLife, log: Log): LastSeenWriter {
  const waiting = new Map<string, number>()
  let writing: ReadonlyMap<string, number> = new Map()
  let running: Promise<void> | null = null
  let pausedUntilMs = 0

  const run = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.size > 0) {
      const batch = new Map([...waiting].slice(0, BATCH))
      for (const id of batch.keys()) waiting.delete(id)
      writing = batch
      const newestMs = Math.max(...batch.values())
      try {
        await write(database, life, [...batch.keys()], newestMs)
      } catch (error) {
        log.warn("Couldn't record when sessions were last used", { error })
        pausedUntilMs = newestMs + PAUSE_MS
        waiting.clear()
      }
      writing = new Map()
    }
    running = null
  }
  return {
    record(id, seenAtMs, nowMs) {
      // Don't extend the pause if the clock is set back.
      const isPaused = nowMs < pausedUntilMs && nowMs >= pausedUntilMs - PAUSE_MS
      if (nowMs - seenAtMs < WRITE_INTERVAL_MS || isPaused || waiting.has(id) || writing.has(id)) return
      waiting.set(id, nowMs)
      running ??= run()
    },
    async settle() {
      await running
    },
  }
}

async function write(database: Database<AuthTables>, life: SessionLife, ids: string[], nowMs: number): Promise<void> {
  const absolute = sql<number>`created_at_ms + ${life.sessionCookieAge * 1000}`
  const idle = nowMs + life.sessionIdleAge * 1000
  await database.db
    .updateTable('gatepost_session')
    .set({
      seen_at_ms: nowMs,
      expires_at_ms: sql<number>`case when ${absolute} < ${idle} then ${absolute} else ${idle} end`,
    })
    .where('id', 'in', ids)
    .where('seen_at_ms', '<', nowMs)
    .execute()
}

type Open = (sealed: string, id: string) => string | null

/** Maximum number of cached sessions, about a kilobyte each. */
const MAX_CACHED = 1_000
/**
 * Maximum sealed length to cache, in characters. Visitors without an account can make a session larger than that, but
 * not the cache.
 */
const MAX_CACHED_LENGTH = 8_192

/**
 * Caches opened session data, since opening costs as much as reading the row and clients read a session many times
 * before it changes. An entry is used only for the same sealed text, so it's never stale.
 */
export function cacheOpened(open: Open, max: number = MAX_CACHED): Open {
  const known = new Map<string, { readonly sealed: string; readonly json: string }>()
  return (sealed, id) => {
    const remembered = known.get(id)
    if (remembered?.sealed === sealed) return remembered.json
    const json = open(sealed, id)
    known.delete(id)
    if (json === null || sealed.length > MAX_CACHED_LENGTH) return json
    const oldest = known.size >= max ? known.keys().next().value : undefined
    if (oldest !== undefined) known.delete(oldest)
    known.set(id, { sealed, json })
    return json
  }
}
