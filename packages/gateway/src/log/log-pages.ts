import type { LogLevel } from '../config/forms.ts'
import { formatDay, logDays, logFileOn } from './daily-file.ts'
import { linesBackwards, openIfPresent, readLine, type ReadLine } from './read-line.ts'

/** Which lines are asked for. */
export interface LogQuery {
  /** The least important ones. */
  readonly level: LogLevel
  /** What their text contains, in whatever case; `null`: anything. */
  readonly text: string | null
  /** `YYYY-MM-DD` (UTC); `null`: every day. */
  readonly day: string | null
  /** `next` of a page, or the id of a line; `null`: from the newest on. */
  readonly before: string | null
  readonly limit: number
}

/** Newest first. */
export interface LogPage {
  readonly lines: readonly ReadLine[]
  /** Where the next page begins; `null`: there is none. */
  readonly next: string | null
  /** Newest first. */
  readonly days: readonly string[]
}

/** Reads the daily files of the log. */
export interface LogPages {
  /** At most so much of the files is read that it does not take long: a page may be empty, and not the last. */
  page(query: LogQuery, signal: AbortSignal): Promise<LogPage>
  /** Lines that are written from now on, until `signal` aborts. */
  follow(signal: AbortSignal): AsyncIterable<ReadLine>
}

/** Most that one page reads, in bytes. */
const PAGE_BYTES = 16 * 1024 * 1024

/** @see LogPages */
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

/** Reads on through the days, from `before` towards the past, until there are lines enough or it has read enough. */
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

/** What people see of a line, and so what can be found. */
const searchText = ({ message, fields }: ReadLine): string => `${message} ${shown(fields)}`.toLowerCase()

function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, member]) => `${name} ${shown(member)}`)
    .join(' ')
}

/** Where the log is, and how one learns of new lines. */
interface LogSource {
  readonly folder: string
  readonly now: () => number
  /** Writes what is buffered. */
  readonly flush: () => void
  /** Calls `wake` for every line that is logged, until the function that it gives back is called. */
  readonly onLine: (wake: () => void) => () => void
}

/** What is read at once, in bytes: a line that is longer is passed over. */
const CHUNK_BYTES = 1024 * 1024
const LINE_FEED = 0x0a

/** Lines that are written from now on, until `signal` aborts. Read from the files, so that each has its id. */
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

/** Everything from `place` to the end of what is written; a day that is over is read to its end first. */
async function* readOn(source: LogSource, place: Place): AsyncGenerator<ReadLine, Place> {
  const today = formatDay(source.now())
  const at = yield* linesFrom(source.folder, place)
  if (place.day === today) return { ...place, at }
  return { day: today, at: yield* linesFrom(source.folder, { day: today, at: 0 }) }
}

/** Whole lines from `at` on. @returns Where the first line that is not whole begins. */
async function* linesFrom(folder: string, { day, at: from }: Place): AsyncGenerator<ReadLine, number> {
  const handle = await openIfPresent(logFileOn(folder, day))
  if (handle === null) return from
  try {
    // emptied by somebody meanwhile: it goes on from its beginning
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
