import { AuthError } from '../errors.ts'
import type { RandomBytes } from '../io.ts'
import { uuidV7 } from '../crypto/uuid.ts'
import type { AuthDb, User } from '../users/user.ts'
import type { OpenSession } from './session.ts'
import { sessionData } from './session-data.ts'
import {
  endOf,
  type SessionChanges,
  type SessionLife,
  type SessionRows,
  type StoredRow,
  tokenHash,
} from './session-rows.sql.ts'

/** What an open session works with. */
export interface SessionWorld {
  readonly rows: SessionRows
  readonly life: SessionLife
  readonly random: RandomBytes
  readonly nowMs: number
  readonly ip: string | null
  readonly userAgent: string
  readonly db: () => AuthDb
  /** Of the user's present password. @throws {AuthError} `not_found` */
  fingerprint(user: User): Promise<{ readonly userId: string; readonly fingerprint: string }>
  seal(json: string, id: string): string
  /** `null` when it cannot be opened. */
  unseal(sealed: string, id: string): string | null
}

/** A session that is there: its token, its row, and who is signed in. */
export interface Loaded {
  readonly token: string
  readonly row: StoredRow
  readonly user: User | null
}

/** Who is signed in, as the row says it. */
interface SignedIn {
  readonly user: User
  readonly userId: string
  readonly fingerprint: string
  readonly authenticatedAtMs: number
}

/** What this request knows of the row, or has written to it. */
interface KnownRow {
  readonly id: string
  readonly version: number
  readonly hash: Uint8Array
  readonly userId: string | null
  readonly createdAtMs: number
}

const TRIES = 5
const conflict = (): AuthError => new AuthError('session_conflict')

/** @param loaded `null`: an empty session without a row. */
export function openSession(world: SessionWorld, loaded: Loaded | null): OpenSession {
  let row = loaded === null ? null : known(loaded.row)
  let token = loaded?.token ?? null
  let signedIn = loaded === null ? null : signedInOf(loaded)
  let persistent = loaded === null || loaded.row.s_persistent === 1
  /** Ids of rows that go with the next write. */
  const doomed = new Set<string>()
  let rotates = false
  let signsIn = false
  let persistenceChanged = false
  /** What the client must be told. */
  let told: string | null | undefined
  const data = sessionData(() => unsealed(world, loaded?.row))

  const discard = (): void => {
    if (row !== null) doomed.add(row.id)
    row = null
    token = null
    signedIn = null
    signsIn = false
    rotates = false
    data.clear()
  }
  const isDirty = (): boolean => rotates || signsIn || persistenceChanged || data.changed
  const written = (now: KnownRow, newToken: string | null): void => {
    row = now
    if (newToken !== null || persistenceChanged) told = newToken ?? token
    token = newToken ?? token
    rotates = false
    signsIn = false
    persistenceChanged = false
    data.written()
  }
  const insert = async (): Promise<void> => {
    const [id, newToken] = [uuidV7(world.nowMs, world.random), newTokenOf(world.random)]
    const hash = tokenHash(newToken)
    const json = data.json()
    await world.rows.insert(world.db(), {
      token_hash: hash,
      id,
      ...userColumns(signedIn),
      created_at_ms: world.nowMs,
      ...seen(world, world.nowMs),
      persistent: persistent ? 1 : 0,
      ip: world.ip,
      user_agent: world.userAgent,
      version: 1,
      data: json === null ? null : world.seal(json, id),
    })
    written({ id, version: 1, hash, userId: signedIn?.userId ?? null, createdAtMs: world.nowMs }, newToken)
  }
  /** Answers whether the row was still as this request knows it. */
  const update = async (old: KnownRow): Promise<boolean> => {
    if (signedIn === null && data.isEmpty) {
      if (!(await world.rows.remove(world.db(), old.id, old.version))) return false
      discard()
      doomed.clear()
      told = null
      return true
    }
    const newToken = rotates ? newTokenOf(world.random) : null
    const hash = newToken === null ? old.hash : tokenHash(newToken)
    const createdAtMs = signsIn ? world.nowMs : old.createdAtMs
    const json = data.changed || signsIn ? data.json() : undefined
    const changes: SessionChanges = {
      ...(newToken === null ? {} : { token_hash: hash }),
      ...(signsIn
        ? { ...userColumns(signedIn), created_at_ms: createdAtMs, ip: world.ip, user_agent: world.userAgent }
        : {}),
      ...(json === undefined ? {} : { data: json === null ? null : world.seal(json, old.id) }),
      ...seen(world, createdAtMs),
      persistent: persistent ? 1 : 0,
    }
    if (!(await world.rows.update(world.db(), old.id, old.version, changes))) return false
    const userId = signsIn ? (signedIn?.userId ?? null) : old.userId
    written({ id: old.id, version: old.version + 1, hash, userId, createdAtMs }, newToken)
    return true
  }
  const removeDoomed = async (): Promise<void> => {
    for (const id of doomed) {
      await world.rows.remove(world.db(), id)
      doomed.delete(id)
      told = null
    }
  }
  const insertIfNeeded = async (): Promise<void> => {
    if (signedIn !== null || !data.isEmpty) await insert()
  }
  return {
    get id() {
      return row?.id ?? null
    },
    get user() {
      return signedIn?.user ?? null
    },
    get authenticatedAtMs() {
      return signedIn?.authenticatedAtMs ?? null
    },
    get persistent() {
      return persistent
    },
    set persistent(value) {
      if (value !== persistent && row !== null) persistenceChanged = true
      persistent = value
    },
    get: data.get,
    set: data.set,
    delete: data.delete,
    cycle() {
      if (row !== null) rotates = true
    },
    flush: discard,
    async signIn(user) {
      const of = await world.fingerprint(user)
      if (signedIn !== null && signedIn.userId !== of.userId) discard()
      signedIn = { user, ...of, authenticatedAtMs: world.nowMs }
      signsIn = true
      rotates = true
    },
    async commit() {
      await removeDoomed()
      if (row === null) await insertIfNeeded()
      else if (isDirty() && !(await update(row))) throw conflict()
    },
    async save() {
      await removeDoomed()
      if (row === null) await insertIfNeeded()
      for (let tries = 1; row !== null && isDirty() && !(await update(row)); tries++) {
        if (tries === TRIES) throw conflict()
        row = await rebased(row)
        if (row === null) await insertIfNeeded()
      }
      const answer = told
      told = undefined
      return answer
    },
  }

  /** The row as another request has left it, for what is changed here to be written on top of; `null`: not on this row. */
  async function rebased(old: KnownRow): Promise<KnownRow | null> {
    const there = await world.rows.byId(world.db(), old.id)
    const isSame = there !== null && there.s_user_id === old.userId
    const isRotated = there !== null && !Buffer.from(there.s_token_hash).equals(old.hash)
    if (isSame && !(signsIn && isRotated)) {
      data.rebase(unsealed(world, there))
      return known(there)
    }
    if (old.userId === null && there === null) data.rebase(null)
    else if (signsIn) data.rebase(null)
    else discard()
    if (!signsIn) signedIn = null
    doomed.clear()
    token = null
    return null
  }
}

const newTokenOf = (random: RandomBytes): string => random(32).toString('base64url')

const known = (row: StoredRow): KnownRow => ({
  id: row.s_id,
  version: row.s_version,
  hash: row.s_token_hash,
  userId: row.s_user_id,
  createdAtMs: row.s_created_at_ms,
})

function signedInOf({ row, user }: Loaded): SignedIn | null {
  const { s_user_id: userId, s_fingerprint: fingerprint, s_authenticated_at_ms: authenticatedAtMs } = row
  if (user === null || userId === null || fingerprint === null || authenticatedAtMs === null) return null
  return { user, userId, fingerprint, authenticatedAtMs }
}

const userColumns = (
  signedIn: SignedIn | null,
): { user_id: string | null; fingerprint: string | null; authenticated_at_ms: number | null } => ({
  user_id: signedIn?.userId ?? null,
  fingerprint: signedIn?.fingerprint ?? null,
  authenticated_at_ms: signedIn?.authenticatedAtMs ?? null,
})

const seen = (world: SessionWorld, createdAtMs: number): { seen_at_ms: number; expires_at_ms: number } => ({
  seen_at_ms: world.nowMs,
  expires_at_ms: endOf(createdAtMs, world.nowMs, world.life),
})

const unsealed = (world: SessionWorld, row: StoredRow | undefined): string | null =>
  row === undefined || row.s_data === null ? null : world.unseal(row.s_data, row.s_id)
