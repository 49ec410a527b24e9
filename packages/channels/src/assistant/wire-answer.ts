import { z } from 'zod'
import { AssistantError, type AssistantPiece } from './assistant.ts'
import type { ByteLimits } from './bytes.ts'

/** Largest file of an answer, in bytes before base64. */
const MAX_ANSWER_FILE_BYTES: number = 20 * 1024 * 1024

/** A line carries a file as base64; an answer carries several. */
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

/** An answer in one JSON object, `{text?, files?}`. @throws {AssistantError} `malformed` */
export function readWholeAnswer(json: string): readonly AssistantPiece[] {
  const { text, files = [] } = parse(Whole, json, 'The answer')
  return [...(text === undefined ? [] : [{ type: 'text' as const, text }]), ...files.map(readFile)]
}

/**
 * One step of a streamed answer: `{text}`, `{file}`, `{done: true}` or `{error, retry?}`.
 * @param what   Names it in errors, e.g. `Line 3`.
 * @param redact Takes secrets out of the other side's words.
 * @throws {AssistantError} `malformed`; for an `error`: `busy`, or `misconfigured` when `retry` is false.
 */
export function readStep(
  json: string,
  what: string,
  redact: (text: string) => string = (text) => text,
): { readonly pieces: readonly AssistantPiece[]; readonly done: boolean } {
  const { text, file, done = false, error, retry = true } = parse(Step, json, what)
  if (error !== undefined)
    throw new AssistantError(retry ? 'busy' : 'misconfigured', `The assistant reported: ${sentence(redact(error))}`)
  const pieces = [...(text === undefined ? [] : [{ type: 'text' as const, text }]), ...(file ? [readFile(file)] : [])]
  return { pieces, done }
}

/** Another program's words on one line, without control characters, at most 300 characters. */
export const sentence = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 300)

function parse<T>(schema: z.ZodType<T>, json: string, what: string): T {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw new AssistantError('malformed', `${what} is not JSON.`)
  }
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const at = result.error.issues[0]?.path.join('.') ?? ''
  throw new AssistantError('malformed', `${what} does not have the documented shape${at === '' ? '' : ` (at ${at})`}.`)
}

function readFile({ name, mime = '', content }: z.infer<typeof File>): AssistantPiece {
  const bytes = Buffer.from(content, 'base64')
  const digits = content.replace(/={1,2}$/, '').length
  if (bytes.length !== Math.floor((digits * 3) / 4)) throw new AssistantError('malformed', 'A file is not base64.')
  if (bytes.length > MAX_ANSWER_FILE_BYTES)
    throw new AssistantError('malformed', `A file is larger than ${MAX_ANSWER_FILE_BYTES} bytes.`)
  return {
    type: 'file',
    name: name.replace(/[/\\\p{Cc}]/gu, '_').slice(0, 200),
    mime: /^[\w.+-]+\/[\w.+-]+$/.test(mime) ? mime : 'application/octet-stream',
    bytes,
  }
}
