import type { AuthDb, User, UserId } from '../users/user.ts'

/**
 * The session of one request. Values are JSON and sealed at rest. An empty session has no row and sets no cookie.
 * Changes are written once, before the response is sent; `commit` writes them now.
 */
export interface Session {
  /** `null` while there is no row. Not the token: an id that may be shown, e.g. in a list of sessions. */
  readonly id: string | null
  get(key: string): unknown
  set(key: string, value: unknown): void
  delete(key: string): void
  /**
   * Writes the changes now, as one compare-and-set: of two requests that changed the same session since it was read,
   * the second one fails. What must happen once (a code is tried, a key is used up) is committed before it takes
   * effect. @throws {AuthError} `session_conflict`; a page request is then run again from its beginning.
   */
  commit(): Promise<void>
  /** A new token for the same data: at every change of privilege. */
  cycle(): void
  /** Forgets data, user and row. */
  flush(): void
  /** The next token is sent as a cookie until the browser closes (`false`) or with its full life. */
  persistent: boolean
}

/** A reference to a session: its token, or its id from a signed token. */
export type SessionReference =
  | { readonly kind: 'token'; readonly token: string }
  /** With `authenticatedAtMs` only until the user signs in anew in it, e.g. with another password. */
  | { readonly kind: 'id'; readonly id: string; readonly authenticatedAtMs?: number }

/** The user of a valid session token, by one indexed read. */
export interface SessionUser {
  readonly sessionId: string
  readonly user: User
  /** When this sign-in happened, milliseconds since the Unix epoch. */
  readonly authenticatedAtMs: number
}

/** A session as lists show it. */
export interface SessionSummary {
  readonly id: string
  readonly userId: UserId
  readonly createdAtMs: number
  readonly lastSeenAtMs: number
  readonly ip: string | null
  readonly userAgent: string
}

/** Sessions at rest: token hashes, the user, a fingerprint of the password, sealed data. */
export interface SessionStore {
  /**
   * The user of a token: one indexed read. `null` when it is unknown, past its idle or absolute life, its user is
   * inactive or has another password now. Notes that it was seen, at most once a minute per session, without waiting.
   */
  check(token: string, nowMs: number): Promise<SessionUser | null>
  /** The same by the id of the session, where a signed token of ours names it. */
  checkId(id: string, nowMs: number): Promise<SessionUser | null>
  /** Loads a session, or begins an empty one: what is over has no `id`. */
  open(
    reference: SessionReference | null,
    seen: {
      readonly nowMs: number
      readonly ip: string | null
      readonly userAgent: string
      /** The transaction under way, or the database: what the session is written with. Default: the database. */
      readonly db?: () => AuthDb
      /** A session with nothing in it stays: its client cannot know that there is nothing any more. */
      readonly keepsEmpty?: boolean
    },
  ): Promise<OpenSession>
  ofUser(db: AuthDb, userId: UserId, nowMs: number): Promise<readonly SessionSummary[]>
  /** By their ids. */
  end(db: AuthDb, userId: UserId, ids: readonly string[]): Promise<void>
  endAll(db: AuthDb, userId: UserId): Promise<void>
  /** Resolves when what `check` and `open` have noted is written: before the database is closed. */
  settle(): Promise<void>
  /** Removes what has expired. */
  sweep(nowMs: number): Promise<number>
}

/** A `Session` with what only the frame of a request needs. */
export interface OpenSession extends Session {
  readonly user: User | null
  readonly authenticatedAtMs: number | null
  /**
   * Binds the session to the user and the password; the token is cycled.
   * @param password Encoded hash, as stored; `null` or absent: the present one.
   */
  signIn(user: User, password?: string | null): Promise<void>
  /**
   * Writes the changes; keys that another request changed keep its value unless this one set them too.
   * @returns what to send to the client: a new token, `null` to delete its token, `undefined` for nothing
   */
  save(): Promise<string | null | undefined>
  /**
   * Before a transaction: answers what to call when it is rolled back. What was written in it is undone here too; with
   * nothing written, the changes stay.
   */
  checkpoint(): () => void
}
