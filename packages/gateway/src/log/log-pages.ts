import type { LogLevel } from '../config/forms.ts'
import { formatDay, logDays, logFileOn } from './daily-file.ts'
import { linesBackwards, openIfPresent, readLine, type ReadLine } from './read-line.ts'

/** Filters and position of a log query. */
export interface LogQuery {
  /** Lowest level. */
  readonly level: LogLevel
  /** Text to find, in any case; `null`: any. */
  readonly text: string | null
  /** `YYYY-MM-DD` (UTC); `null`: every day. */
  readonly day: string | null
  /** `next` of a page, or a line's id; `null`: start with the newest. */
  readonly before: string | null
  readonly limit: number
}

/** Newest first. */
export interface LogPage {
  readonly lines: readonly ReadLine[]
  /** Cursor of the next page; `null` on the last. */
  readonly next: string | null
  /** Newest first. */
  readonly days: readonly string[]
}

/** Reads the daily files of the log. */
export interface LogPages {
  /** Returns a page. Reads a limited part of the files, so a page may be empty without being the last. */
  page(query: LogQuery, signal: AbortSignal): Promise<LogPage>
  /** Yields new lines until `signal` aborts. */
  follow(signal: AbortSignal): AsyncIterable<ReadLine>
}

/** Maximum number of bytes read for one page. */
const PAGE_BYTES = 16 * 1024 * 1024

/** Creates the reader of the log files. */
export function createLogPages(source: LogSource): LogPages {
  return {
    async page(query, signal) {
      source.flush()
      const days = await logDays(source.folder)
      return { ...(await readPage(source.folder, days, query, signal)), days }
    },
    follow: (signal) => followLog(source, formatDay(source.now()), signal),
  }
}

/** Reads back through the days from `before`, up to the line or byte limit. */
async function readPage(
  folder: string,
  days: readonly string[],
  query: LogQuery,
  signal: AbortSignal,
): Promise<Pick<LogPage, 'lines' | 'next'>> {
  const [fromDay = '', fromByte = ''] = query.before?.split(':') ?? []
  const lines: ReadLine[] = []
  let left = PAGE_BYTES
  const asked = days.filter(
    (day) => (query.day === null || day === query.day) && (query.before === null || day <= fromDay),
  )
  for (const [index, day] of asked.entries()) {
    const end = day === fromDay ? Number(fromByte) : Number.POSITIVE_INFINITY
    for await (const { start, text, cost } of linesBackwards(logFileOn(folder, day), end, signal)) {
      const id = `${day}:${start}`
      const line = text === '' ? null : filterLine(id, text, query)
      if (line !== null) lines.push(line)
      left -= cost
      if (lines.length < query.limit && left > 0) continue
      return { lines, next: start > 0 || index + 1 < asked.length ? id : null }
    }
  }
  return { lines, next: null }
}

function filterLine(id: string, text: string, { level, text: sought }: LogQuery): ReadLine | null {
  const line = readLine(id, text, level)
  return sought === null || line === null || searchText(line).includes(sought.toLowerCase()) ? line : null
}

/** Returns the searchable text of a line. */
const searchText = ({ message, fields }: ReadLine): string => `${message} ${shown(fields)}`.toLowerCase()

function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, member]) => `${name} ${shown(member)}`)
    .join(' ')
}

/** The log files and notifications of new lines. */
interface LogSource {
  readonly folder: string
  readonly now: () => number
  /** Writes buffered lines. */
  readonly flush: () => void
  /** Calls `wake` for every new line. Returns a function that stops it. */
  readonly onLine: (wake: () => void) => () => void
}

/** Bytes read at once. Longer lines are skipped. */
const CHUNK_BYTES = 1024 * 1024
const LINE_FEED = 0x0a

/** Yields new lines until `signal` aborts. Reads the files, so that each line has its id. */
async function* followLog(source: LogSource, today: string, signal: AbortSignal): AsyncGenerator<ReadLine> {
  let place = { day: today, at: await measureSize(source, today) }
  let wake: () => void = () => undefined
  let isNew = true
  const stop = source.onLine(() => {
    isNew = true
    wake()
  })
  const end = (): void => wake()
  signal.addEventListener('abort', end, { once: true })
  try {
    while (!signal.aborted) {
      if (!isNew) await new Promise<void>((resolve) => (wake = resolve))
      if (signal.aborted) return
      isNew = false
      source.flush()
      place = yield* readOn(source, place)
    }
  } finally {
    stop()
    signal.removeEventListener('abort', end)
  }
}

interface Place {
  readonly day: string
  /** In bytes. */
  readonly at: number
}

async function measureSize({ folder, flush }: LogSource, day: string): Promise<number> {
  flush()
  const handle = await openIfPresent(logFileOn(folder, day))
  if (handle === null) return 0
  try {
    return (await handle.stat()).size
  } finally {
    await handle.close()
  }
}

/** Reads everything from `place` to the current end, finishing earlier days first. */
async function* readOn(source: LogSource, place: Place): AsyncGenerator<ReadLine, Place> {
  const today = formatDay(source.now())
  const at = yield* linesFrom(source.folder, place)
  if (place.day === today) return { ...place, at }
  return { day: today, at: yield* linesFrom(source.folder, { day: today, at: 0 }) }
}

/** Reads complete lines from `at` on. @returns Start of the first incomplete line */
async function* linesFrom(folder: string, { day, at: from }: Place): AsyncGenerator<ReadLine, number> {
  const handle = await openIfPresent(logFileOn(folder, day))
  if (handle === null) return from
  try {
    // the file was truncated: start again from its beginning
    let at = (await handle.stat()).size < from ? 0 : from
    for (;;) {
      const size = Math.min((await handle.stat()).size - at, CHUNK_BYTES)
      if (size <= 0) return at
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, at)
      const whole = buffer.subarray(0, bytesRead).lastIndexOf(LINE_FEED) + 1
      yield* linesIn(buffer.subarray(0, whole), day, at)
      if (whole === 0 && bytesRead < CHUNK_BYTES) return at
      at += whole === 0 ? bytesRead : whole
    }
  } finally {
    await handle.close()
  }
}

function* linesIn(chunk: Buffer, day: string, base: number): Generator<ReadLine> {
  for (let from = 0; from < chunk.byteLength; ) {
    const to = chunk.indexOf(LINE_FEED, from)
    const line = readLine(`${day}:${base + from}`, chunk.subarray(from, to).toString())
    if (line !== null) yield line
    from = to + 1
  }
}
