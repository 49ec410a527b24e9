import { AssistantError } from './assistant.ts'

/** What another program may write to us. */
export interface ByteLimits {
  readonly totalBytes: number
  /** Longest run of bytes without a line feed. */
  readonly lineBytes: number
}

/**
 * Passes bytes on and calls `heard` for each chunk.
 * @throws {AssistantError} `malformed` at the first byte past a limit and at the first that is not UTF-8.
 */
export async function* checkBytes(
  chunks: AsyncIterable<Uint8Array>,
  limits: ByteLimits,
  heard: () => void,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let total = 0
  let line = 0
  for await (const chunk of chunks) {
    heard()
    total += chunk.length
    const lineFeed = chunk.lastIndexOf(LINE_FEED)
    const first = lineFeed === -1 ? chunk.length : chunk.indexOf(LINE_FEED)
    if (total > limits.totalBytes)
      throw new AssistantError('malformed', `The answer is larger than ${limits.totalBytes} bytes.`)
    if (line + first > limits.lineBytes)
      throw new AssistantError('malformed', `A line of the answer is longer than ${limits.lineBytes} bytes.`)
    line = lineFeed === -1 ? line + chunk.length : chunk.length - lineFeed - 1
    requireText(decoder, chunk)
    yield new Uint8Array(chunk)
  }
  requireText(decoder)
}

const LINE_FEED = 0x0a

function requireText(decoder: TextDecoder, chunk?: Uint8Array): void {
  try {
    decoder.decode(chunk, { stream: chunk !== undefined })
  } catch (cause) {
    throw new AssistantError('malformed', 'The answer is not UTF-8.', { cause })
  }
}

/** One line without its end, `\n` or `\r\n`. `ended` is false for a last line that has none. */
export interface Line {
  readonly text: string
  readonly ended: boolean
}

/** Far more than an answer has: what costs time is the number of lines, not their bytes. */
const MAX_LINES = 500_000

/** Cuts checked bytes into lines. @throws {AssistantError} `malformed` after half a million of them */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let parts: Uint8Array[] = []
  let lines = 0
  for await (const chunk of chunks) {
    let from = 0
    for (let to = chunk.indexOf(LINE_FEED); to !== -1; to = chunk.indexOf(LINE_FEED, from)) {
      parts.push(chunk.subarray(from, to))
      lines += 1
      if (lines > MAX_LINES) throw new AssistantError('malformed', `The answer has more than ${MAX_LINES} lines.`)
      yield { text: Buffer.concat(parts).toString().replace(/\r$/, ''), ended: true }
      parts = []
      from = to + 1
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
  }
  if (parts.length > 0) yield { text: Buffer.concat(parts).toString(), ended: false }
}
