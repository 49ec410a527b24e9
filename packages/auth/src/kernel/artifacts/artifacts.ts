import type { AuthDb } from '../users/user.ts'

/** One thing that is kept for a while under an unguessable or unique id. */
export interface Artifact {
  /** JSON. */
  readonly payload: unknown
  readonly expiresAtMs: number
  /** When it was used, for what may be used once and is remembered; `null`: not yet. */
  readonly consumedAtMs: number | null
}

/** Alternative lookup keys of an artifact. */
export interface ArtifactIndex {
  /** All of one grant go together. */
  readonly grantId?: string
  /** A second id: a user code, a uid. Unique per kind. */
  readonly lookup?: string
}

/** What is to be kept. */
export interface NewArtifact extends ArtifactIndex {
  /** JSON. */
  readonly payload: unknown
  /** Milliseconds since the Unix epoch. */
  readonly expiresAtMs: number
}

/**
 * Short-lived data, kept for minutes or days: authorization and device codes, grants, handshakes that arrive without
 * their session, single-use marks. Ids are hashed and payloads sealed at rest; rows are shared by all processes. Every
 * call runs on the handle it is passed.
 */
export interface Artifacts {
  /** Writes or replaces; it counts as not used. */
  put(db: AuthDb, kind: string, id: string, artifact: NewArtifact): Promise<void>
  /** `false`: it is there already, and not expired: for what may happen once. */
  add(db: AuthDb, kind: string, id: string, artifact: NewArtifact, nowMs: number): Promise<boolean>
  /** `null`: unknown or expired. */
  get(db: AuthDb, kind: string, id: string, nowMs: number): Promise<Artifact | null>
  byLookup(db: AuthDb, kind: string, lookup: string, nowMs: number): Promise<Artifact | null>
  /** Removes and answers it: of two callers at once one gets it. */
  take(db: AuthDb, kind: string, id: string, nowMs: number): Promise<Artifact | null>
  /** Marks it as used. `false`: it was used or gone: of two callers at once one uses it. */
  consume(db: AuthDb, kind: string, id: string, nowMs: number): Promise<boolean>
  remove(db: AuthDb, kind: string, id: string): Promise<void>
  removeGrant(db: AuthDb, grantId: string): Promise<void>
  /** Removes what is expired, and answers how much it was. */
  sweep(nowMs: number): Promise<number>
}
