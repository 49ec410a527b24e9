import { dayOf, logFileOn } from './daily-file.ts'
import { opened } from './lines-backwards.ts'
import { readLine, type ReadLine } from './read-line.ts'

/** Where the log is, and how one learns of new lines. */
export interface LogSource {
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
export async function* followLog(source: LogSource, today: string, signal: AbortSignal): AsyncGenerator<ReadLine> {
  let place = { day: today, at: await sizeOf(source, today) }
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

async function sizeOf({ folder, flush }: LogSource, day: string): Promise<number> {
  flush()
  const handle = await opened(logFileOn(folder, day))
  if (handle === null) return 0
  try {
    return (await handle.stat()).size
  } finally {
    await handle.close()
  }
}

/** Everything from `place` to the end of what is written; a day that is over is read to its end first. */
async function* readOn(source: LogSource, place: Place): AsyncGenerator<ReadLine, Place> {
  const today = dayOf(source.now())
  const at = yield* linesFrom(source.folder, place)
  if (place.day === today) return { ...place, at }
  return { day: today, at: yield* linesFrom(source.folder, { day: today, at: 0 }) }
}

/** Whole lines from `at` on. @returns Where the first line that is not whole begins. */
async function* linesFrom(folder: string, { day, at: from }: Place): AsyncGenerator<ReadLine, number> {
  const handle = await opened(logFileOn(folder, day))
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
