import type { User } from '../users/user.ts'
import type { SessionData } from './session-data.ts'
import type { StoredRow } from './session-rows.sql.ts'

/** A loaded session: its token, its row, and the signed-in user. */
export interface Loaded {
  /** `null` if the session was loaded by its ID. */
  readonly token: string | null
  readonly row: StoredRow
  readonly user: User | null
}

/** The signed-in user, as stored in the session row. */
export interface SignedIn {
  readonly user: User
  readonly userId: string
  readonly fingerprint: string
  readonly authenticatedAtMs: number
}

/** The row as this request read or last wrote it. */
export interface KnownRow {
  readonly id: string
  readonly version: number
  readonly hash: Uint8Array
  readonly userId: string | null
  readonly createdAtMs: number
}

/** The state of a session during a request. */
export interface State {
  readonly data: SessionData
  /** `null` if there is no row. */
  row: KnownRow | null
  token: string | null
  signedIn: SignedIn | null
  persistent: boolean
  /** IDs of rows to delete with the next write. */
  readonly rowsToDelete: Set<string>
  rotates: boolean
  signsIn: boolean
  persistenceChanged: boolean
  /** The result of `OpenSession.save`. */
  tokenToSend: string | null | undefined
  /** How many times the row was written or deleted. */
  writes: number
}

/** Returns the known state of a row that was read. */
export const toKnownRow = (row: StoredRow): KnownRow => ({
  id: row.s_id,
  version: row.s_version,
  hash: row.s_token_hash,
  userId: row.s_user_id,
  createdAtMs: row.s_created_at_ms,
})

/** Returns the signed-in user, or `null`. */
export function readSignedIn({ row, user }: Loaded): SignedIn | null {
  const { s_user_id: userId, s_fingerprint: fingerprint, s_authenticated_at_ms: authenticatedAtMs } = row
  if (user === null || userId === null || fingerprint === null || authenticatedAtMs === null) return null
  return { user, userId, fingerprint, authenticatedAtMs }
}

/** Returns whether there are changes to write. */
export const isDirty = ({ rotates, signsIn, persistenceChanged, data }: State): boolean =>
  rotates || signsIn || persistenceChanged || data.isChanged()

/** Returns whether the session has neither a user nor data, so that it needs no row. */
export const isEmptySession = ({ signedIn, data }: State): boolean => signedIn === null && data.isEmpty()

/** Returns a function to call after a rollback. It restores the current state if anything was written in between. */
export function createCheckpoint(state: State): () => void {
  const before = { ...state, rowsToDelete: [...state.rowsToDelete] }
  const restoreData = state.data.checkpoint()
  return () => {
    if (state.writes === before.writes) return
    const { rowsToDelete } = state
    rowsToDelete.clear()
    for (const id of before.rowsToDelete) rowsToDelete.add(id)
    Object.assign(state, before, { rowsToDelete })
    restoreData()
  }
}
