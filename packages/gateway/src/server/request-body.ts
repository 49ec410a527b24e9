import { GatewayError } from './errors.ts'
import type { z } from 'zod'

/** Largest body of a request, in bytes. */
const BODY_MAX_BYTES = 1024 * 1024

/** @throws {GatewayError} `body_too_large` when the request says by itself that it is */
export function checkDeclaredSize(request: Request): void {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > BODY_MAX_BYTES) throw tooLarge()
}

/**
 * The JSON body; `undefined` when there is none and none is needed.
 * @throws {GatewayError} `unsupported_media_type`, `body_too_large`, `malformed_json`, in this order
 */
export async function readJson(request: Request, optional: boolean): Promise<unknown> {
  const empty = request.headers.get('content-length') === '0' || !hasBody(request)
  if (empty && optional) return undefined
  checkContentType(request.headers)
  const bytes = await readBytes(request)
  if (bytes.byteLength === 0 && optional) return undefined
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return value
  } catch (cause) {
    throw new GatewayError('malformed_json', { cause })
  }
}

const hasBody = (request: Request): boolean =>
  request.headers.has('content-length') || request.headers.has('transfer-encoding')

function checkContentType(headers: Headers): void {
  const encoding = headers.get('content-encoding')
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';')
  const charset =
    parameters.map((text) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(text)?.[1]).find(Boolean) ?? 'utf-8'
  const plain = encoding === null || encoding.toLowerCase() === 'identity'
  if (type.trim() !== 'application/json' || !['utf-8', 'utf8'].includes(charset) || !plain) {
    throw new GatewayError('unsupported_media_type')
  }
}

async function readBytes(request: Request): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  const stream: ReadableStream<Uint8Array> = request.body
  try {
    for await (const chunk of stream) {
      size += chunk.byteLength
      if (size > BODY_MAX_BYTES) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (cause) {
    // The client went away in the middle: nobody reads the answer, and it is no fault of ours to be logged.
    throw cause instanceof GatewayError ? cause : new GatewayError('bad_request', { cause })
  }
  return Buffer.concat(chunks)
}

/** The rest of the body is not wanted: the connection cannot be used again. */
const tooLarge = (): GatewayError => new GatewayError('body_too_large', { headers: { connection: 'close' } })

/** The query with a member for each name; a name that is repeated has an array, which no schema of ours takes. */
export function parseQueryString(url: string): Readonly<Record<string, unknown>> {
  const { searchParams } = new URL(url)
  return Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => {
      const values = searchParams.getAll(name)
      return [name, values.length === 1 ? values[0] : values]
    }),
  )
}

/** @throws {GatewayError} `code`, with a sentence that names the field and never repeats its value */
export function parseInput(schema: z.ZodType, value: unknown, code: 'invalid_body' | 'invalid_query'): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  throw new GatewayError(code, issue === undefined ? {} : { message: sentence(issue, value) })
}

function sentence(issue: z.core.$ZodIssue, input: unknown): string {
  const field = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    const name = JSON.stringify([...issue.path, issue.keys[0] ?? ''].join('.').slice(0, 100))
    return `${name} is not a field of this request.`
  }
  if (field === '') return 'The body must be a JSON object.'
  return valueAt(input, issue.path) === undefined ? `"${field}" is missing.` : `"${field}": ${issue.message}.`
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = Object.getOwnPropertyDescriptor(value, key)?.value
  }
  return value
}
