import { createReadStream, existsSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { logFileOf } from './daily-file.ts'

/** More of a day's log is not searched: the newest part says what counts. Bytes. */
const MOST_BYTES = 64 * 1024 * 1024

/** The lines of today's log file, oldest first; `null`: there is none. The first one may be cut. */
export function todaysLines(folder: string, nowMs: number): AsyncIterable<string> | null {
  const file = logFileOf(folder, nowMs)
  if (!existsSync(file)) return null
  const start = Math.max(0, statSync(file).size - MOST_BYTES)
  return createInterface({ input: createReadStream(file, { encoding: 'utf8', start }) })
}
