import { randomBytes } from 'node:crypto'

/** The world as the package touches it; a test takes its place. */
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
/** Additional fields of a log entry. */
export type LogFields = Readonly<Record<string, unknown>>

/** Cryptographically random bytes; a test may make them repeatable. */
export type RandomBytes = (length: number) => Buffer

/** Longest wait of one timer; a longer one would fire at once. */
const TIMER_MAX_MS = 2_147_483_647

/** The time of this machine. A sleep does not keep the process alive. */
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

/** Of the system, fetched many at a time: a request asks for a few bytes often. None is given twice, nor kept. */
export const systemRandom: RandomBytes = (length) => {
  if (length > POOL_BYTES / 4) return randomBytes(length)
  if (pool.length < length) pool = randomBytes(POOL_BYTES)
  const taken = Buffer.from(pool.subarray(0, length))
  pool.fill(0, 0, length)
  pool = pool.subarray(length)
  return taken
}

/** Warnings and errors as JSON lines on stderr: for a host that passes no log of its own. */
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
