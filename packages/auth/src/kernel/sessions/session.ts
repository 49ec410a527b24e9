import type { AuthDb, User, UserId } from '../users/user.ts'

/**
 * The session of one request. Values are JSON and sealed at rest. An empty session has no row and sets no cookie.
 * Changes are written once, before the response is sent; `commit` writes them now.
 */
export interface Session {
  /**
   * The session's ID, which may be shown, e.g. in a list of sessions; it isn't the token. `null` while there is no row.
   */
  readonly id: string | null
  get(key: string): unknown
  set(key: string, value: unknown): void
  delete(key: string): void
  /**
   * Writes the changes now, in one compare-and-set: if another request has changed the session since it was read, this
   * fails. Anything that must happen only once, such as trying a code or consuming a key, is committed before it takes
   * effect.
   * @throws {AuthError} `session_conflict`; a page request is then run again from the start
   */
  commit(): Promise<void>
  /** Replaces the token and keeps the data. Called at every change of privilege. */
  cycle(): void
  /** Discards the data, the user, and the row. */
  flush(): void
  /** Whether the session cookie keeps its full lifetime (`true`) or is deleted when the browser closes. */
  persistent: boolean
}

/** A reference to a session: its token, or its id from a signed token. */
export type SessionReference =
  | { readonly kind: 'token'; readonly token: string }
  /** With `authenticatedAtMs`, valid only until the user signs in again in the same session. */
  | { readonly kind: 'id'; readonly id: string; readonly authenticatedAtMs?: number }

/** The user of a valid session. */
export interface SessionUser {
  readonly sessionId: string
  readonly user: User
  /** When the user signed in, in milliseconds since the Unix epoch. */
  readonly authenticatedAtMs: number
}

/** A session in a list of sessions. */
export interface SessionSummary {
  readonly id: string
  readonly userId: UserId
  readonly createdAtMs: number
  readonly lastSeenAtMs: number
  readonly ip: string | null
  readonly userAgent: string
}

/** Stores sessions: the token's hash, the user, a fingerprint of the password, and sealed data. */
export interface SessionStore {
  /**
   * Returns the user of a token, with one indexed read. `null` if the token is unknown, the session has exceeded its
   * idle or absolute lifetime, or the user is disabled or has changed the password. Records the use in the background,
   * at most once a minute per session.
   */
  check(token: string, nowMs: number): Promise<SessionUser | null>
  /** The same by session ID, for a session that one of our signed tokens names. */
  checkId(id: string, nowMs: number): Promise<SessionUser | null>
  /** Loads a session, or starts an empty one if it's unknown or has ended. */
  open(
    reference: SessionReference | null,
    seen: {
      readonly nowMs: number
      readonly ip: string | null
      readonly userAgent: string
      /**
       * Returns the handle to write the session with: the current transaction or the database. Default: the database.
       */
      readonly db?: () => AuthDb
      /** Keeps the row of an empty session, because its client has no way to learn that the session is gone. */
      readonly keepsEmpty?: boolean
    },
  ): Promise<OpenSession>
  /** Returns whether a session would be valid if its user weren't disabled. */
  isSuspended(reference: SessionReference, nowMs: number): Promise<boolean>
  /** Returns the user's sessions that are valid, most recently used first, and deletes the others. */
  ofUser(db: AuthDb, userId: UserId, nowMs: number): Promise<readonly SessionSummary[]>
  /** Ends sessions of a user by ID. */
  end(db: AuthDb, userId: UserId, ids: readonly string[]): Promise<void>
  endAll(db: AuthDb, userId: UserId): Promise<void>
  /** Resolves when the times that `check` and `open` recorded are written. Call it before closing the database. */
  settle(): Promise<void>
  /** Removes expired sessions and returns how many. */
  sweep(nowMs: number): Promise<number>
}

/** A `Session` with the members that only the dispatcher and logins use. */
export interface OpenSession extends Session {
  readonly user: User | null
  readonly authenticatedAtMs: number | null
  /**
   * Binds the session to the user and their password, and replaces the token.
   * @param password The stored encoded hash; `null` or absent to read the current one.
   */
  signIn(user: User, password?: string | null): Promise<void>
  /**
   * Writes the changes. Keys that another request changed keep its values, unless this one set them too.
   * @returns the new token to send to the client, `null` to delete the client's token, or `undefined` to send nothing
   */
  save(): Promise<string | null | undefined>
  /**
   * Called before a transaction. Returns a function to call after a rollback, which undoes what was written in the
   * transaction here too. If nothing was written, the changes stay.
   */
  checkpoint(): () => void
}
