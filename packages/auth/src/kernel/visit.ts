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
  /** Host with a port that is not the default, e.g. `id.example.org`. */
  readonly domain: string
  readonly name: string
}

/** One request, as hooks, flows, signals and forms see it. */
export interface Visit {
  readonly kernel: Kernel
  readonly raw: Request
  readonly method: string
  readonly client: ClientKind
  /** As the visitor sees it: scheme and host are checked. */
  readonly url: URL
  readonly site: Site
  /** `null`: not known, so whatever is limited per address is refused. */
  readonly clientIp: string | null
  /** At most 200 characters, "Unspecified" without a header. */
  readonly userAgent: string
  /** Posted fields, by name; of several with one name the last. Empty for GET. */
  readonly form: ReadonlyMap<string, string>
  readonly session: OpenSession
  /** Who is signed in. */
  readonly user: User | null
  /** `de`, `zh-hans` … */
  readonly language: string
  readonly t: Translate
  /** When the request came, milliseconds since the Unix epoch. */
  readonly nowMs: number
  /** The transaction under way, or the database. */
  readonly db: AuthDb
  /** Runs `work` in one transaction (the one under way, if any): meanwhile `db` is its handle. */
  transaction<R>(work: () => Promise<R>): Promise<R>
  /** Runs `work` after the current transaction commits, or at once without one. Discards it on rollback. */
  afterCommit(work: () => void | Promise<void>): Promise<void>
  /** `next` of the form before that of the query, if it is a safe target; else `null`. */
  readonly next: string | null
  /** `path` with the scheme and host of this request. */
  absolute(path: string): string
  /** Shown on the next page. Nothing in JSON. */
  addMessage(level: MessageLevel, text: string): void
  /** The user changed (signed in, out, saved): what `user` answers from now on. */
  setUser(user: User | null): void
  /** A new CSRF secret is sent with the answer: at sign-in. */
  rotateCsrf(): void
  /** Sent with whatever the answer will be. */
  readonly setCookies: string[]
  /** Data that wrappers attach to this request. */
  readonly notes: Map<string, unknown>
}

/**
 * A handler that the frame may run again from its start: when another request changed the session meanwhile, what the
 * handler wrote is rolled back and it runs once more. So it changes things through its visit alone: rows by `visit.db`, and
 * whatever cannot be rolled back, such as mail and signals, by `visit.afterCommit`.
 */
export type RepeatableHandler<Input extends readonly unknown[], Answer> = (
  visit: Visit,
  ...input: Input
) => Promise<Answer>
