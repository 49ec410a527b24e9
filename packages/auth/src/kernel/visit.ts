import type { Kernel } from './kernel.ts'
import type { OpenSession } from './sessions/session.ts'
import type { Translate } from './templates/translations.ts'
import type { AuthDb, User } from './users/user.ts'

/** The severity of a message on a page. */
export type MessageLevel = 'debug' | 'info' | 'success' | 'warning' | 'error'

/** The kind of client: `page` and `xhr` use the pages, `browser` and `app` the JSON API. */
export type ClientKind = 'page' | 'xhr' | 'browser' | 'app'

/** The site that the visitor sees. */
export interface Site {
  /** Host, with the port unless it's the default, e.g. `id.example.org`. */
  readonly domain: string
  readonly name: string
}

/** A request as handlers, hooks, flows, signals, and forms see it. */
export interface Visit {
  readonly kernel: Kernel
  readonly raw: Request
  readonly method: string
  readonly client: ClientKind
  /** The URL as the visitor sees it; scheme and host are checked. */
  readonly url: URL
  readonly site: Site
  /** `null` if unknown: actions with a rate limit per IP address are then refused. */
  readonly clientIp: string | null
  /** At most 200 characters; "Unspecified" if the header is missing. */
  readonly userAgent: string
  /** Posted fields by name; the last one wins for duplicate names. Empty for GET. */
  readonly form: ReadonlyMap<string, string>
  readonly session: OpenSession
  /** The signed-in user. */
  readonly user: User | null
  /** A language code such as `de` or `zh-hans`. */
  readonly language: string
  readonly t: Translate
  /** When the request arrived, in milliseconds since the Unix epoch. */
  readonly nowMs: number
  /** The current transaction, or the database outside one. */
  readonly db: AuthDb
  /** Runs `work` in the current transaction or a new one; meanwhile `db` is the transaction's handle. */
  transaction<R>(work: () => Promise<R>): Promise<R>
  /** Runs `work` after the current transaction commits, or immediately outside one. Discards it on rollback. */
  afterCommit(work: () => void | Promise<void>): Promise<void>
  /** The `next` field of the form, or else of the query, if it's a safe redirect target; otherwise `null`. */
  readonly next: string | null
  /** Returns the absolute URL of `path` on this request's scheme and host. */
  absolute(path: string): string
  /** Adds a message to show on the next page. Has no effect in the JSON API. */
  addMessage(level: MessageLevel, text: string): void
  /** Replaces `user` after a login, a logout, or a change to the user. */
  setUser(user: User | null): void
  /** Sends a new CSRF secret with the response. Called at login. */
  rotateCsrf(): void
  /** `Set-Cookie` values to send with the response. */
  readonly setCookies: string[]
  /** Data that code attaches to this request. */
  readonly notes: Map<string, unknown>
}

/**
 * A handler that may run more than once: if another request changes the session meanwhile, the handler's writes are
 * rolled back and it runs again. It must make changes only through its visit: database rows through `visit.db`, and
 * effects that can't be rolled back, such as mail and signals, through `visit.afterCommit`.
 */
export type RepeatableHandler<Input extends readonly unknown[], Answer> = (
  visit: Visit,
  ...input: Input
) => Promise<Answer>
