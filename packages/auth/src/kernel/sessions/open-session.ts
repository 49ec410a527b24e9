import { AuthError } from '../../errors.ts'
import type { RandomBytes } from '../io.ts'
import { uuidV7 } from '../crypto/random.ts'
import type { AuthDb, User } from '../users/user.ts'
import type { OpenSession } from './session.ts'
import { sessionData } from './session-data.ts'
import {
  sessionExpiryMs,
  type SessionChanges,
  type SessionLife,
  type SessionRows,
  type StoredRow,
  tokenHash,
} from './session-rows.sql.ts'
import {
  createCheckpoint,
  isDirty,
  isEmptySession,
  toKnownRow,
  type KnownRow,
  type Loaded,
  type SignedIn,
  readSignedIn,
  type State,
} from './session-state.ts'

/** The dependencies of an open session. */
export interface SessionWorld {
  readonly rows: SessionRows
  readonly life: SessionLife
  readonly random: RandomBytes
  readonly nowMs: number
  readonly ip: string | null
  readonly userAgent: string
  readonly db: () => AuthDb
  readonly keepsEmpty: boolean
  /**
   * Returns the fingerprint of an encoded password; if `null`, of the user's stored one.
   * @throws {AuthError} `not_found` if the user doesn't exist
   */
  fingerprint(user: User, password: string | null): Promise<{ readonly userId: string; readonly fingerprint: string }>
  seal(json: string, id: string): string
  /** Returns `null` if the text can't be opened. */
  unseal(sealed: string, id: string): string | null
}

/** How many times a save is tried if other requests keep changing the session. */
const MAX_ATTEMPTS = 20
const conflict = (): AuthError => new AuthError('session_conflict')

/**
 * Creates the session of a request.
 * @param loaded The stored session, or `null` to start an empty one without a row.
 */
export const openSession = (world: SessionWorld, loaded: Loaded | null): OpenSession =>
  new StoredSession(world, createSessionState(world, loaded))

/**
 * A class, because the getters of an object literal are created for each session and freed only by a full garbage
 * collection.
 */
class StoredSession implements OpenSession {
  readonly #world: SessionWorld
  readonly #state: State

  constructor(world: SessionWorld, state: State) {
    this.#world = world
    this.#state = state
  }

  get id(): string | null {
    return this.#state.row?.id ?? null
  }
  get user(): User | null {
    return this.#state.signedIn?.user ?? null
  }
  get authenticatedAtMs(): number | null {
    return this.#state.signedIn?.authenticatedAtMs ?? null
  }
  get persistent(): boolean {
    return this.#state.persistent
  }
  set persistent(value: boolean) {
    const state = this.#state
    if (value !== state.persistent && state.row !== null) state.persistenceChanged = true
    state.persistent = value
  }
  get(key: string): unknown {
    return this.#state.data.get(key)
  }
  set(key: string, value: unknown): void {
    this.#state.data.set(key, value)
  }
  delete(key: string): void {
    this.#state.data.delete(key)
  }
  cycle(): void {
    this.#state.rotates = this.#state.row !== null
  }
  flush(): void {
    discard(this.#state)
  }
  async signIn(user: User, password: string | null = null): Promise<void> {
    const state = this.#state
    const of = await this.#world.fingerprint(user, password)
    if (state.signedIn !== null && state.signedIn.userId !== of.userId) discard(state)
    state.signedIn = { user, ...of, authenticatedAtMs: this.#world.nowMs }
    state.signsIn = true
    state.rotates = true
  }
  async commit(): Promise<void> {
    if (!(await tryWrite(this.#world, this.#state))) throw conflict()
  }
  async save(): Promise<string | null | undefined> {
    const state = this.#state
    for (let tries = 1; !(await tryWrite(this.#world, state)); tries++) {
      if (tries === MAX_ATTEMPTS || state.row === null) throw conflict()
      await rebaseOnStored(this.#world, state, state.row)
    }
    const { tokenToSend } = state
    state.tokenToSend = undefined
    return tokenToSend
  }
  checkpoint(): () => void {
    return createCheckpoint(this.#state)
  }
}

function createSessionState(world: SessionWorld, loaded: Loaded | null): State {
  return {
    data: sessionData(() => (loaded === null ? null : unsealData(world, loaded.row))),
    row: loaded === null ? null : toKnownRow(loaded.row),
    token: loaded?.token ?? null,
    signedIn: loaded === null ? null : readSignedIn(loaded),
    persistent: loaded === null || loaded.row.s_persistent === 1,
    rowsToDelete: new Set(),
    rotates: false,
    signsIn: false,
    persistenceChanged: false,
    tokenToSend: undefined,
    writes: 0,
  }
}

/** Empties the session. Its row is deleted with the next write. */
function discard(state: State): void {
  if (state.row !== null) state.rowsToDelete.add(state.row.id)
  Object.assign(state, {
    row: null,
    token: null,
    signedIn: null,
    signsIn: false,
    rotates: false,
  } satisfies Partial<State>)
  state.data.clear()
}

/** Writes the changes. Returns `false` if another request has changed the row since this one read it. */
async function tryWrite(world: SessionWorld, state: State): Promise<boolean> {
  for (const id of state.rowsToDelete) {
    await world.rows.remove(world.db(), id)
    state.writes++
    state.rowsToDelete.delete(id)
    state.tokenToSend = null
  }
  if (state.row !== null) return !isDirty(state) || update(world, state, state.row)
  if (!isEmptySession(state)) await insertSession(world, state)
  return true
}

async function insertSession(world: SessionWorld, state: State): Promise<void> {
  const { signedIn, persistent } = state
  const id = uuidV7(world.nowMs, world.random)
  const token = createSessionToken(world.random)
  const hash = tokenHash(token)
  await world.rows.insert(world.db(), {
    token_hash: hash,
    id,
    ...userColumns(signedIn),
    created_at_ms: world.nowMs,
    ...seenColumns(world, world.nowMs),
    persistent: persistent ? 1 : 0,
    ip: world.ip,
    user_agent: world.userAgent,
    version: 1,
    data: sealData(world, state, id),
  })
  const userId = signedIn?.userId ?? null
  markWritten(state, { id, version: 1, hash, userId, createdAtMs: world.nowMs }, token)
}

/**
 * Updates the row, or deletes it if the session is empty and needn't be kept. Returns `false` if another request has
 * changed it.
 */
async function update(world: SessionWorld, state: State, old: KnownRow): Promise<boolean> {
  const { signsIn, signedIn, data } = state
  if (isEmptySession(state) && !world.keepsEmpty) {
    if (!(await world.rows.remove(world.db(), old.id, old.version))) return false
    state.writes++
    discard(state)
    state.rowsToDelete.clear()
    // Don't delete the cookie: it would delete the new one that another request may have set meanwhile.
    state.tokenToSend = undefined
    return true
  }
  const token = state.rotates ? createSessionToken(world.random) : null
  const hash = token === null ? old.hash : tokenHash(token)
  const createdAtMs = signsIn ? world.nowMs : old.createdAtMs
  const { ip, userAgent } = world
  const changes: SessionChanges = {
    ...(token === null ? {} : { token_hash: hash }),
    ...(signsIn ? { ...userColumns(signedIn), created_at_ms: createdAtMs, ip, user_agent: userAgent } : {}),
    ...(data.isChanged() ? { data: sealData(world, state, old.id) } : {}),
    ...seenColumns(world, createdAtMs),
    persistent: state.persistent ? 1 : 0,
  }
  if (!(await world.rows.update(world.db(), old.id, old.version, changes))) return false
  const userId = signsIn ? (signedIn?.userId ?? null) : old.userId
  markWritten(state, { id: old.id, version: old.version + 1, hash, userId, createdAtMs }, token)
  return true
}

function markWritten(state: State, row: KnownRow, newToken: string | null): void {
  state.writes++
  state.token = newToken ?? state.token
  if (newToken !== null || state.persistenceChanged) state.tokenToSend = state.token
  Object.assign(state, { row, rotates: false, signsIn: false, persistenceChanged: false } satisfies Partial<State>)
  state.data.markWritten()
}

/**
 * Loads the row as another request left it, so that this request's changes can be written on top. If the session has
 * ended or belongs to another user now, it isn't restored: a login, and the changes of a visitor who isn't signed in,
 * go into a new row, and everything else is discarded.
 */
async function rebaseOnStored(world: SessionWorld, state: State, old: KnownRow): Promise<void> {
  const there = await world.rows.byId(world.db(), old.id)
  const isRotated = there !== null && !Buffer.from(there.s_token_hash).equals(old.hash)
  if (there !== null && there.s_user_id === old.userId && !(state.signsIn && isRotated)) {
    state.data.rebase(unsealData(world, there))
    state.row = toKnownRow(there)
    return
  }
  state.tokenToSend = undefined
  if (state.signsIn || (there === null && old.userId === null)) state.data.rebase(null)
  else discard(state)
  state.rowsToDelete.clear()
  state.row = null
  state.token = null
}

function sealData(world: SessionWorld, { data }: State, id: string): string | null {
  const json = data.json()
  return json === null ? null : world.seal(json, id)
}

const createSessionToken = (random: RandomBytes): string => random(32).toString('base64url')

const userColumns = (
  signedIn: SignedIn | null,
): { user_id: string | null; fingerprint: string | null; authenticated_at_ms: number | null } => ({
  user_id: signedIn?.userId ?? null,
  fingerprint: signedIn?.fingerprint ?? null,
  authenticated_at_ms: signedIn?.authenticatedAtMs ?? null,
})

const seenColumns = (world: SessionWorld, createdAtMs: number): { seen_at_ms: number; expires_at_ms: number } => ({
  seen_at_ms: world.nowMs,
  expires_at_ms: sessionExpiryMs(createdAtMs, world.nowMs, world.life),
})

const unsealData = (world: SessionWorld, row: StoredRow): string | null =>
  row.s_data === null ? null : world.unseal(row.s_data, row.s_id)
