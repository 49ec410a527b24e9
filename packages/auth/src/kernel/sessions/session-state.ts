import type { User } from '../users/user.ts'
import type { SessionData } from './session-data.ts'
import type { StoredRow } from './session-rows.sql.ts'

/** A loaded session: its token, its row, and the signed-in user. */
export interface Loaded {
  /** `null`: it was named by its id. */
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

/** What this request knows of the row, or has written to it. */
export interface KnownRow {
  readonly id: string
  readonly version: number
  readonly hash: Uint8Array
  readonly userId: string | null
  readonly createdAtMs: number
}

/** A session while its request runs. */
export interface State {
  readonly data: SessionData
  /** `null`: none is there. */
  row: KnownRow | null
  token: string | null
  signedIn: SignedIn | null
  persistent: boolean
  /** Ids of rows that go with the next write. */
  readonly doomed: Set<string>
  rotates: boolean
  signsIn: boolean
  persistenceChanged: boolean
  /** What to send to the client. */
  told: string | null | undefined
  /** How often the row was written or removed. */
  writes: number
}

/** What this request knows of a row that it has read. */
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

/** Whether there is something to write. */
export const isDirty = ({ rotates, signsIn, persistenceChanged, data }: State): boolean =>
  rotates || signsIn || persistenceChanged || data.isChanged()

/** Whether there is nothing to keep a row for. */
export const isEmptySession = ({ signedIn, data }: State): boolean => signedIn === null && data.isEmpty()

/** Answers what brings back the state of now, if anything has been written since: it was rolled back. */
export function createCheckpoint(state: State): () => void {
  const before = { ...state, doomed: [...state.doomed] }
  const restoreData = state.data.checkpoint()
  return () => {
    if (state.writes === before.writes) return
    const { doomed } = state
    doomed.clear()
    for (const id of before.doomed) doomed.add(id)
    Object.assign(state, before, { doomed })
    restoreData()
  }
}
