import { type FileHandle, open } from 'node:fs/promises'
import type { LogLevel } from '../config/forms.ts'
import { redact, redactText } from './redact.ts'

/** A parsed log line. */
export interface ReadLine {
  /** Day (UTC) and byte offset in its file: `2026-01-31:4711`. */
  readonly id: string
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number
  readonly level: LogLevel
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** Log levels, lowest first. */
const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

/**
 * Parses a log line and redacts it again, because the rules may be stricter than when it was written.
 * @param least Lowest level. Lines below it are skipped before redaction, which is the slowest step.
 * @returns `null` if it isn't a line of ours, or is below `least`.
 */
export function readLine(id: string, text: string, least: LogLevel = 'debug'): ReadLine | null {
  const members = objectIn(text)
  if (members === null) return null
  const { level: named, time, msg, ...rest } = members
  const level = LEVELS.find((known) => known === named)
  if (level === undefined || LEVELS.indexOf(level) < LEVELS.indexOf(least)) return null
  const atMs = typeof time === 'string' ? Date.parse(time) : Number.NaN
  if (Number.isNaN(atMs) || typeof msg !== 'string' || isAboutReading(msg, rest)) return null
  const fields = toRecord(redact(rest))
  return fields && { id, atMs, level, message: redactText(msg), fields }
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return toRecord(JSON.parse(text))
  } catch {
    return null // cut when a process ended, or not ours
  }
}

const toRecord = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null

/** Skips requests for the log itself, which would otherwise appear in it endlessly. */
const isAboutReading = (message: string, { path }: Readonly<Record<string, unknown>>): boolean =>
  message === 'Request' && typeof path === 'string' && /^\/api\/logs(\/|$)/.test(path)

/** A line of a file, without its line break. */
interface FileLine {
  /** Byte offset. */
  readonly start: number
  /** Empty if the line is too long to be ours. */
  readonly text: string
  /** Bytes read to get here. */
  readonly cost: number
}

const CHUNK_BYTES = 64 * 1024
/** Longer lines are skipped; log texts are cut well below this. */
const LINE_BYTES = 1024 * 1024
const LINE_FEED = 0x0a

/**
 * Yields the lines of a file before the byte `end`, last first, in bounded memory. A missing file has no lines.
 */
export async function* linesBackwards(file: string, end: number, signal: AbortSignal): AsyncGenerator<FileLine> {
  const handle = await openIfPresent(file)
  if (handle === null) return
  try {
    yield* readBack(handle, Math.min(end, (await handle.stat()).size), signal)
  } finally {
    await handle.close()
  }
}

/** Opens a file; `null` if it doesn't exist, e.g. because it was just removed as too old. */
export async function openIfPresent(file: string): Promise<FileHandle | null> {
  try {
    return await open(file, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

async function* readBack(handle: FileHandle, end: number, signal: AbortSignal): AsyncGenerator<FileLine> {
  /** The end of a line whose start hasn't been read yet. */
  let rest: readonly Buffer[] = []
  let restBytes = 0
  const line = (start: number, head: Buffer): FileLine => {
    const size = head.byteLength + restBytes
    const text = size > LINE_BYTES ? '' : Buffer.concat([head, ...rest]).toString()
    ;[rest, restBytes] = [[], 0]
    return { start, text, cost: size + 1 }
  }
  for (let position = end; position > 0; ) {
    if (signal.aborted) return
    const from = Math.max(0, position - CHUNK_BYTES)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(position - from), 0, position - from, from)
    let cut = bytesRead
    while (cut > 0) {
      const at = buffer.lastIndexOf(LINE_FEED, cut - 1)
      if (at === -1) break
      if (from + at + 1 < end) yield line(from + at + 1, buffer.subarray(at + 1, cut))
      cut = at
    }
    restBytes += cut
    rest = restBytes > LINE_BYTES ? [] : [buffer.subarray(0, cut), ...rest]
    position = from
  }
  if (end > 0) yield line(0, Buffer.alloc(0))
}
