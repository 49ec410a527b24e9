import type { AuthDb } from '../users/user.ts'

/** Data stored until it expires, under an unguessable or unique ID. */
export interface Artifact {
  /** JSON. */
  readonly payload: unknown
  readonly expiresAtMs: number
  /** When the artifact was consumed, in milliseconds since the Unix epoch, or `null`. */
  readonly consumedAtMs: number | null
}

/** Alternative lookup keys of an artifact. */
export interface ArtifactIndex {
  /** The grant that the artifact belongs to. `removeGrant` removes all of its artifacts. */
  readonly grantId?: string
  /** A second ID, such as a user code. Unique per kind. */
  readonly lookup?: string
}

/** The input of `Artifacts.put` and `add`. */
export interface NewArtifact extends ArtifactIndex {
  /** JSON. */
  readonly payload: unknown
  /** Milliseconds since the Unix epoch. */
  readonly expiresAtMs: number
}

/**
 * Stores short-lived data for minutes or days: authorization and device codes, grants, handshakes whose response
 * arrives without the session cookie, and marks for single use. IDs are hashed and payloads sealed at rest. All
 * processes share the rows. Every call runs on the given handle.
 */
export interface Artifacts {
  /** Stores an artifact, unconsumed, replacing one with the same ID. */
  put(db: AuthDb, kind: string, id: string, artifact: NewArtifact): Promise<void>
  /**
   * Stores an artifact unless an unexpired one with the same ID exists. Returns whether it did. For anything that may
   * happen only once.
   */
  add(db: AuthDb, kind: string, id: string, artifact: NewArtifact, nowMs: number): Promise<boolean>
  /** Returns an artifact, or `null` if it's unknown or expired. */
  get(db: AuthDb, kind: string, id: string, nowMs: number): Promise<Artifact | null>
  /** Returns an artifact by its second ID, or `null` if it's unknown or expired. */
  byLookup(db: AuthDb, kind: string, lookup: string, nowMs: number): Promise<Artifact | null>
  /** Removes and returns an artifact. Only one of several concurrent callers gets it. */
  take(db: AuthDb, kind: string, id: string, nowMs: number): Promise<Artifact | null>
  /**
   * Marks an artifact as consumed. Returns `false` if it already was, or is unknown or expired. Only one of several
   * concurrent callers gets `true`.
   */
  consume(db: AuthDb, kind: string, id: string, nowMs: number): Promise<boolean>
  remove(db: AuthDb, kind: string, id: string): Promise<void>
  removeGrant(db: AuthDb, grantId: string): Promise<void>
  /** Removes expired artifacts and returns how many. */
  sweep(nowMs: number): Promise<number>
}
