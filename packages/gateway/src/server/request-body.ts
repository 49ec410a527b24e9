import { GatewayError } from './errors.ts'
import type { z } from 'zod'

/** Maximum size of a request body, in bytes. */
const BODY_MAX_BYTES = 1024 * 1024

/** Checks `content-length`. @throws {GatewayError} `body_too_large` */
export function checkDeclaredSize(request: Request): void {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > BODY_MAX_BYTES) throw tooLarge()
}

/**
 * Reads the JSON body; `undefined` if there is none and it's optional.
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
    // The client disconnected: no one reads the response, and it isn't an error to log.
    throw cause instanceof GatewayError ? cause : new GatewayError('bad_request', { cause })
  }
  return Buffer.concat(chunks)
}

/** Closes the connection, because the rest of the body isn't read. */
const tooLarge = (): GatewayError => new GatewayError('body_too_large', { headers: { connection: 'close' } })

/** Parses a query string. Repeated names become arrays, which no schema accepts. */
export function parseQueryString(url: string): Readonly<Record<string, unknown>> {
  const { searchParams } = new URL(url)
  return Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => {
      const values = searchParams.getAll(name)
      return [name, values.length === 1 ? values[0] : values]
    }),
  )
}

/** Parses input. @throws {GatewayError} `code`, with a message that names the field but never repeats its value */
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
    return `Unknown field ${name}.`
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
