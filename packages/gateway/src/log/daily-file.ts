import { closeSync, fchmodSync, mkdirSync, openSync, readdirSync, unlinkSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type LineWriter, lineWriter } from './line-writer.ts'

/** A stream of log lines into one file for each day (UTC): `<folder>/gatepost-YYYY-MM-DD.log`, mode 0600. */
export interface DailyFile {
  /** Whole lines with their end. Buffered; never throws and never waits for the disk. */
  write(lines: string): void
  /** Writes what is buffered before it returns. */
  flush(): void
  close(): void
}

export interface DailyFileOptions {
  /** Created 0700 when there is none. */
  readonly folder: string
  readonly now: () => number
  /** Days for which older files are kept. */
  readonly keepDays: number
  /** Told once for each kind of failure; logging goes on elsewhere. */
  readonly onError: (error: unknown) => void
}

const DAY_MS = 86_400_000
const FILE_NAME = /^gatepost-(\d{4}-\d\d-\d\d)\.log$/

interface DayFile extends LineWriter {
  close(): void
}

/** @throws when the folder or the first file cannot be made */
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
      onError(error) // the old file stays open: a line in the wrong file is better than none
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

/** Where the lines of the day (UTC) of `nowMs` are. */
export const logFileOf = (folder: string, nowMs: number): string => logFileOn(folder, dayOf(nowMs))

/** Where the lines of a day are. @param day `YYYY-MM-DD` */
export const logFileOn = (folder: string, day: string): string => join(folder, `gatepost-${day}.log`)

/** The day (UTC) of a time, as `YYYY-MM-DD`. */
export const dayOf = (nowMs: number): string => dayText(Math.floor(nowMs / DAY_MS))

/** Days of which there are files, newest first. */
export async function logDays(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder)
  return names
    .flatMap((name) => FILE_NAME.exec(name)?.[1] ?? [])
    .toSorted()
    .toReversed()
}

const fileOf = (folder: string, day: number): string => logFileOn(folder, dayText(day))

const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

function openDay(folder: string, day: number, onError: (error: unknown) => void): DayFile {
  const descriptor = openSync(fileOf(folder, day), 'a', 0o600)
  try {
    fchmodSync(descriptor, 0o600)
    const writer = lineWriter(descriptor, onError)
    let closed = false
    return {
      // The descriptor may by then belong to another file.
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
