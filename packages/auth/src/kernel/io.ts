import { randomBytes } from 'node:crypto'

/** The time source. Tests pass in their own. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Resolves after `ms` milliseconds, or as soon as `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** A structured logger: one entry per call. `fields` never contain a secret. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}
/** Additional fields of a log entry. */
export type LogFields = Readonly<Record<string, unknown>>

/** Returns cryptographically random bytes. Tests may pass a deterministic source. */
export type RandomBytes = (length: number) => Buffer

/** The longest delay `setTimeout` supports; it fires at once on a longer one. */
const TIMER_MAX_MS = 2_147_483_647

/** The system clock. A sleep doesn't keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve()
      const end = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, Math.min(Math.max(0, ms), TIMER_MAX_MS)).unref()
      signal?.addEventListener('abort', end, { once: true })
    }),
}

const POOL_BYTES = 4_096
let pool = Buffer.alloc(0)

/**
 * Random bytes from the operating system, fetched in blocks, because a request needs a few bytes many times. No byte is
 * returned twice or kept after it's returned.
 */
export const systemRandom: RandomBytes = (length) => {
  if (length > POOL_BYTES / 4) return randomBytes(length)
  if (pool.length < length) pool = randomBytes(POOL_BYTES)
  const taken = Buffer.from(pool.subarray(0, length))
  pool.fill(0, 0, length)
  pool = pool.subarray(length)
  return taken
}

/** Logs warnings and errors as JSON lines on stderr. The default if the host passes no logger. */
export const stderrLog: Log = {
  debug: () => {},
  info: () => {},
  warn: (message, fields) => write('warn', message, fields),
  error: (message, fields) => write('error', message, fields),
}

function write(level: string, message: string, fields: LogFields = {}): void {
  const shown = Object.entries(fields).map(
    ([name, value]) => [name, value instanceof Error ? value.stack : value] as const,
  )
  process.stderr.write(`${JSON.stringify({ level, message, ...Object.fromEntries(shown) })}\n`)
}
