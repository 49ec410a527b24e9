import {
  closeSync,
  createReadStream,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Writes log lines to one file per day (UTC): `<folder>/gatepost-YYYY-MM-DD.log`, mode 0600. */
interface DailyFile {
  /** Writes complete lines. Buffered; never throws, never waits for the disk. */
  write(lines: string): void
  /** Writes all buffered lines before it returns. */
  flush(): void
  close(): void
}

interface DailyFileOptions {
  /** Created with mode 0700 if needed. */
  readonly folder: string
  readonly now: () => number
  /** How many days to keep older files. */
  readonly keepDays: number
  /** Called once per kind of error. */
  readonly onError: (error: unknown) => void
}

const DAY_MS = 86_400_000
const FILE_NAME = /^gatepost-(\d{4}-\d\d-\d\d)\.log$/

interface DayFile extends LineWriter {
  close(): void
}

/** Opens today's file. @throws if the folder or the file can't be created */
export function openDailyFile(options: DailyFileOptions): DailyFile {
  const { folder, now, keepDays, onError } = options
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let day = Math.floor(now() / DAY_MS)
  let file = openDay(folder, day, onError)
  removeOld(folder, day - keepDays, onError)

  const roll = (today: number): void => {
    try {
      const next = openDay(folder, today, onError)
      file.close()
      file = next
      removeOld(folder, today - keepDays, onError)
    } catch (error) {
      onError(error) // keeps the old file open: a line in the wrong file is better than none
    }
    day = today
  }
  return {
    write: (lines) => {
      const today = Math.floor(now() / DAY_MS)
      if (today !== day) roll(today)
      file.write(lines)
    },
    flush: () => file.flush(),
    close: () => file.close(),
  }
}

/** Returns the path of the log file for the day (UTC) of `nowMs`. */
const todaysLogFile = (folder: string, nowMs: number): string => logFileOn(folder, formatDay(nowMs))

/** Returns the path of a day's log file. @param day `YYYY-MM-DD` */
export const logFileOn = (folder: string, day: string): string => join(folder, `gatepost-${day}.log`)

/** Formats the day (UTC) of a time as `YYYY-MM-DD`. */
export const formatDay = (nowMs: number): string => dayText(Math.floor(nowMs / DAY_MS))

/** Returns the days that have files, newest first. */
export async function logDays(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder)
  return names
    .flatMap((name) => FILE_NAME.exec(name)?.[1] ?? [])
    .toSorted()
    .toReversed()
}

const dayLogFile = (folder: string, day: number): string => logFileOn(folder, dayText(day))

const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

function openDay(folder: string, day: number, onError: (error: unknown) => void): DayFile {
  const descriptor = openSync(dayLogFile(folder, day), 'a', 0o600)
  try {
    fchmodSync(descriptor, 0o600)
    const writer = lineWriter(descriptor, onError)
    let closed = false
    return {
      // By then the descriptor may belong to another file.
      write: (lines) => {
        if (!closed) writer.write(lines)
      },
      flush: () => {
        if (!closed) writer.flush()
      },
      close: () => {
        if (closed) return
        writer.flush()
        closed = true
        closeSync(descriptor)
      },
    }
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

function removeOld(folder: string, oldestKept: number, onError: (error: unknown) => void): void {
  const oldest = dayText(oldestKept)
  try {
    for (const name of readdirSync(folder)) {
      const day = FILE_NAME.exec(name)?.[1]
      if (day !== undefined && day < oldest) unlinkSync(join(folder, name))
    }
  } catch (error) {
    onError(error)
  }
}

/** Writes lines to a file descriptor, batched per turn of the event loop. */
interface LineWriter {
  /** Queues a line. Never throws, never waits. */
  write(lines: string): void
  /** Writes all queued lines before it returns. Waits only briefly for a blocked reader. */
  flush(): void
}

/** Lines beyond this are dropped if the reader is too slow, so that memory stays bounded. */
const MAX_WAITING = 8 * 1024 * 1024
const RETRY_MS = 20
const FLUSH_TRIES = 50

/**
 * Creates a writer. Writes are synchronous: a file's data reaches the page cache and survives the end of the process. A
 * full pipe is retried later.
 * @param onError Receives the lines that were lost and the reason.
 */
export function lineWriter(descriptor: number, onError: (error: unknown) => void): LineWriter {
  let waiting: string[] = []
  let waitingSize = 0
  let rest: Buffer = Buffer.alloc(0)
  let scheduled = false

  /** Whether all lines were written. */
  const drain = (): boolean => {
    if (waiting.length > 0) {
      rest = Buffer.concat([rest, Buffer.from(waiting.join(''))])
      waiting = []
      waitingSize = 0
    }
    try {
      while (rest.byteLength > 0) rest = rest.subarray(writeSync(descriptor, rest))
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return false
      rest = Buffer.alloc(0)
      onError(error)
    }
    return true
  }
  const run = (): void => {
    scheduled = false
    if (drain()) return
    scheduled = true
    setTimeout(run, RETRY_MS).unref()
  }
  return {
    write: (lines) => {
      if (waitingSize + rest.byteLength > MAX_WAITING) return
      waiting.push(lines)
      waitingSize += lines.length
      if (scheduled) return
      scheduled = true
      setImmediate(run)
    },
    flush: () => {
      for (let tries = 0; !drain() && tries < FLUSH_TRIES; tries += 1) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
      }
    },
  }
}

/** Only the last part of the file is read. Bytes. */
const MOST_BYTES = 64 * 1024 * 1024

/** Reads the last lines of today's log file, oldest first; `null` if there is no file. The first may be cut. */
export function readTodaysLines(folder: string, nowMs: number): AsyncIterable<string> | null {
  const file = todaysLogFile(folder, nowMs)
  if (!existsSync(file)) return null
  const start = Math.max(0, statSync(file).size - MOST_BYTES)
  return createInterface({ input: createReadStream(file, { encoding: 'utf8', start }) })
}
