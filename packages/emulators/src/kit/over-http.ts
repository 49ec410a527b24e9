import type { IncomingMessage, ServerResponse } from 'node:http'
import { isRecord, parseJson, readBytes } from './body.ts'

type Operations = Readonly<Record<string, (options: unknown) => Promise<unknown>>>

/**
 * Answers `POST /control/<operation>`, or a path that ends so: JSON in, `{ok: true, result}` or `{ok: false, error}` out.
 * @param names The members of `control` that may be called.
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
    if (request.method !== 'POST')
      return writeJson(response, 405, { ok: false, error: 'Operations are called by POST' })
    if (!request.headers['content-type']?.startsWith('application/json')) {
      return writeJson(response, 415, { ok: false, error: 'Send application/json' })
    }
    if (!names.includes(name)) return writeJson(response, 404, { ok: false, error: `There is no operation ${name}` })
    const raw = (await readBytes(request))?.toString('utf8')
    const options = raw === '' ? {} : parseJson(raw ?? '')
    if (!isRecord(options)) return writeJson(response, 400, { ok: false, error: 'Send a JSON object' })
    const run = (control as Operations)[name] // wrong arguments are answered below
    writeJson(response, 200, { ok: true, result: (await run?.(options)) ?? null })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    writeJson(response, 400, { ok: false, error: error.message })
  }
}

/** Only programs and the emulator's own page: no page of another site, also by a name that resolves to loopback. */
export function isOwnOrigin(request: IncomingMessage): boolean {
  const { host = '', origin } = request.headers
  const isLoopback = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host)
  return isLoopback && (origin === undefined || origin === `http://${host}`)
}

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
