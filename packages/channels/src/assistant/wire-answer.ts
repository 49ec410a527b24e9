import { z } from 'zod'
import { AssistantError, type AssistantPiece } from './assistant.ts'

/** Largest file of a reply, in bytes before base64. */
const MAX_ANSWER_FILE_BYTES: number = 20 * 1024 * 1024

/** Limits on a whole reply: a line may contain a file as base64, and a reply several. */
export const ANSWER_BYTES: ByteLimits = { totalBytes: 64 * 1024 * 1024, lineBytes: 28 * 1024 * 1024 }

const File = z.object({ name: z.string().min(1), mime: z.string().optional(), content: z.string() })
const Whole = z.object({ text: z.string().optional(), files: z.array(File).optional() })
const Step = z
  .object({
    text: z.string().optional(),
    file: File.optional(),
    done: z.literal(true).optional(),
    error: z.string().optional(),
    retry: z.boolean().optional(),
  })
  .refine(({ text, file, done, error }) => [text, file, done, error].some((member) => member !== undefined))

/** Parses a reply in one JSON object, `{text?, files?}`. @throws {AssistantError} `malformed` */
export function readWholeAnswer(json: string): readonly AssistantPiece[] {
  const { text, files = [] } = parse(Whole, json, 'The response')
  return [...(text === undefined ? [] : [{ type: 'text' as const, text }]), ...files.map(readFile)]
}

/**
 * Parses one step of a streamed reply: `{text}`, `{file}`, `{done: true}` or `{error, retry?}`.
 * @param what   Names it in errors, e.g. `Line 3`.
 * @param redact Removes secrets from the program's error message.
 * @throws {AssistantError} `malformed`; for an `error`: `busy`, or `misconfigured` when `retry` is false.
 */
export function readStep(
  json: string,
  what: string,
  redact: (text: string) => string = (text) => text,
): { readonly pieces: readonly AssistantPiece[]; readonly done: boolean } {
  const { text, file, done = false, error, retry = true } = parse(Step, json, what)
  if (error !== undefined)
    throw new AssistantError(retry ? 'busy' : 'misconfigured', `The assistant reported: ${toSingleLine(redact(error))}`)
  const pieces = [...(text === undefined ? [] : [{ type: 'text' as const, text }]), ...(file ? [readFile(file)] : [])]
  return { pieces, done }
}

/** Returns another program's message as one line without control characters, at most 300 characters. */
export const toSingleLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 300)

function parse<T>(schema: z.ZodType<T>, json: string, what: string): T {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw new AssistantError('malformed', `${what} isn't JSON.`)
  }
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const at = result.error.issues[0]?.path.join('.') ?? ''
  throw new AssistantError('malformed', `${what} doesn't match the documented schema${at === '' ? '' : ` (at ${at})`}.`)
}

function readFile({ name, mime = '', content }: z.infer<typeof File>): AssistantPiece {
  const bytes = Buffer.from(content, 'base64')
  const digits = content.replace(/={1,2}$/, '').length
  if (bytes.length !== Math.floor((digits * 3) / 4)) throw new AssistantError('malformed', "A file isn't valid base64.")
  if (bytes.length > MAX_ANSWER_FILE_BYTES)
    throw new AssistantError('malformed', `A file is larger than ${MAX_ANSWER_FILE_BYTES} bytes.`)
  return {
    type: 'file',
    name: name.replace(/[/\\\p{Cc}]/gu, '_').slice(0, 200),
    mime: /^[\w.+-]+\/[\w.+-]+$/.test(mime) ? mime : 'application/octet-stream',
    bytes,
  }
}

/** Limits on the output of another program. */
export interface ByteLimits {
  readonly totalBytes: number
  /** Longest run of bytes without a line feed. */
  readonly lineBytes: number
}

/**
 * Passes bytes on within limits and calls `heard` for each chunk.
 * @throws {AssistantError} `malformed` at the first byte past a limit and at the first that is not UTF-8.
 */
export async function* limitBytes(
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
      throw new AssistantError('malformed', `The reply is larger than ${limits.totalBytes} bytes.`)
    if (line + first > limits.lineBytes)
      throw new AssistantError('malformed', `A line of the reply is longer than ${limits.lineBytes} bytes.`)
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
    throw new AssistantError('malformed', "The reply isn't valid UTF-8.", { cause })
  }
}

/** One line without its terminator, `\n` or `\r\n`. `ended` is false for a last line without one. */
interface Line {
  readonly text: string
  readonly ended: boolean
}

/** Far more than any reply has; it is the number of lines that costs time, not their size. */
const MAX_LINES = 500_000

/** Splits bytes into lines. @throws {AssistantError} `malformed` after half a million of them */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let parts: Uint8Array[] = []
  let lines = 0
  for await (const chunk of chunks) {
    let from = 0
    for (let to = chunk.indexOf(LINE_FEED); to !== -1; to = chunk.indexOf(LINE_FEED, from)) {
      parts.push(chunk.subarray(from, to))
      lines += 1
      if (lines > MAX_LINES) throw new AssistantError('malformed', `The reply has more than ${MAX_LINES} lines.`)
      yield { text: Buffer.concat(parts).toString().replace(/\r$/, ''), ended: true }
      parts = []
      from = to + 1
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
  }
  if (parts.length > 0) yield { text: Buffer.concat(parts).toString(), ended: false }
}
