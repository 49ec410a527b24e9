import type { IncomingMessage, ServerResponse } from 'node:http'

/** Largest request body, in bytes: a 50 MB file and its form. */
export const BODY_LIMIT: number = 52 * 1024 * 1024

/** Returns the request body, or `null` when it exceeds `BODY_LIMIT`; the rest is left unread. */
export async function readBytes(request: IncomingMessage): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT) return null
  const chunks: Buffer[] = []
  let size = 0
  const incoming = request as AsyncIterable<Buffer> // no encoding is set, so chunks are buffers
  for await (const chunk of incoming) {
    size += chunk.length
    if (size > BODY_LIMIT) return null
    chunks.push(chunk)
  }
  const [only] = chunks
  return chunks.length === 1 && only ? only : Buffer.concat(chunks)
}

/** Returns the parsed value, or `undefined` when the text isn't JSON. */
export function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw) as unknown // untrusted: every reader checks what it takes
  } catch {
    return undefined
  }
}

/** Whether a value is an object other than an array. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** One part of a multipart form. */
export interface FormPart {
  readonly name: string
  /** `null` for a field without a file. */
  readonly fileName: string | null
  readonly mimeType: string
  readonly bytes: Uint8Array
}

/** Returns the parts of a multipart/form-data body, or `null` when it is malformed. @see RFC 7578 */
export function splitForm(body: Buffer, contentType: string): readonly FormPart[] | null {
  const match = /boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(contentType)
  const boundary = match?.[1] ?? match?.[2]
  if (boundary === undefined) return null
  const delimiter = Buffer.from(`--${boundary}`)
  const parts: FormPart[] = []
  let start = body.indexOf(delimiter)
  while (start !== -1) {
    start += delimiter.length
    if (body.toString('latin1', start, start + 2) === '--') return parts
    const end = body.indexOf(`\r\n--${boundary}`, start, 'latin1')
    const headEnd = body.indexOf('\r\n\r\n', start)
    if (end === -1 || headEnd === -1 || headEnd > end) return null
    const part = readPart(body.toString('utf8', start, headEnd), body.subarray(Math.min(headEnd + 4, end), end))
    if (part === null) return null
    parts.push(part)
    start = end + 2
  }
  return null
}

function readPart(head: string, content: Buffer): FormPart | null {
  const disposition = /^content-disposition:\s*form-data(.*)$/im.exec(head)?.[1] ?? ''
  const name = parameter(disposition, 'name')
  if (name === null) return null
  const mimeType = /^content-type:\s*(.+)$/im.exec(head)?.[1]?.trim() ?? ''
  return { name, fileName: parameter(disposition, 'filename'), mimeType, bytes: new Uint8Array(content) }
}

function parameter(disposition: string, name: string): string | null {
  const match = new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^;\\s]+))`, 'i').exec(disposition)
  const value = match?.[1] ?? match?.[2]
  return value === undefined ? null : value.replaceAll('%22', '"').replaceAll(/%0[da]/gi, ' ')
}

type Operations = Readonly<Record<string, (options: unknown) => Promise<unknown>>>

/**
 * Answers `POST <any path>/<operation>` of the control API: JSON in, `{ok: true, result}` or `{ok: false, error}` out.
 * @param names Members of `control` that are operations.
 */
export async function answerControl(
  control: object,
  names: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  const name = pathname.slice(pathname.lastIndexOf('/') + 1)
  try {
    if (request.method !== 'POST') return writeJson(response, 405, { ok: false, error: 'Use POST' })
    if (!request.headers['content-type']?.startsWith('application/json')) {
      return writeJson(response, 415, { ok: false, error: 'Send the options as application/json' })
    }
    if (!names.includes(name)) return writeJson(response, 404, { ok: false, error: `Unknown operation: ${name}` })
    const raw = (await readBytes(request))?.toString('utf8')
    const options = raw === '' ? {} : parseJson(raw ?? '')
    if (!isRecord(options)) return writeJson(response, 400, { ok: false, error: 'The body must be a JSON object' })
    const run = (control as Operations)[name] // wrong arguments are answered below
    writeJson(response, 200, { ok: true, result: (await run?.(options)) ?? null })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    writeJson(response, 400, { ok: false, error: error.message })
  }
}

/** Whether a request comes from a program or the emulator's own page, rather than another site (DNS rebinding included). */
export function isOwnOrigin(request: IncomingMessage): boolean {
  const { host = '', origin } = request.headers
  const isLoopback = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host)
  return isLoopback && (origin === undefined || origin === `http://${host}`)
}

/** Sends a JSON response. */
export function writeJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify(value)
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers })
    .end(body)
}
