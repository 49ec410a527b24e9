import { writeSync } from 'node:fs'

/** Writes lines to a file descriptor, all of one turn of the event loop at once. */
export interface LineWriter {
  /** Never throws and never waits. */
  write(lines: string): void
  /** Writes what is left before it returns; a reader that takes nothing is waited for, but not long. */
  flush(): void
}

/** When the reader is slower than the log, lines beyond this are dropped: memory stays bounded. */
const MAX_WAITING = 8 * 1024 * 1024
const RETRY_MS = 20
const FLUSH_TRIES = 50

/**
 * Writes are synchronous: to a file they end in the page cache, and what was written cannot be lost by the end of the
 * process. A pipe that is full is tried again later.
 * @param onError Told what could not be written, and why. The lines are lost.
 */
export function lineWriter(descriptor: number, onError: (error: unknown) => void): LineWriter {
  let waiting: string[] = []
  let waitingSize = 0
  let rest: Buffer = Buffer.alloc(0)
  let scheduled = false

  /** Whether everything is written. */
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
