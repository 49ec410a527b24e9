import type { PublicNetwork } from '@gatepost/sql'

/** The outside world as a platform may use it; tests and emulators replace it. */
export interface PlatformIo {
  readonly fetch: typeof fetch
  /** Resolves host names for sockets like `lookup` of `net.connect`; absent: by DNS. */
  readonly lookup?: PublicNetwork['lookup']
  readonly clock: Clock
  /** Uniform in [0, 1). */
  readonly random: () => number
  readonly log: Log
  /** Base URL of a platform's host without a trailing slash, by its setting's name, e.g. `GATEPOST_TELEGRAM_API_URL`. */
  readonly host: (setting: string, fallback: string) => string
}

/** The time, and waiting. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Resolves after `ms`, or at once when `signal` aborts: it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** One structured line per call; `fields` never hold a secret. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}
/** Structured fields of a log line. */
export type LogFields = Readonly<Record<string, unknown>>
