import type { IncomingMessage, ServerResponse } from 'node:http'
import { isRecord, parseJson, readBytes } from '../body.ts'
import type { Bots } from '../bots.ts'
import { CONTROL_OPERATIONS, type TelegramControl } from './control.ts'
import { streamEvents } from './event-stream.ts'

/**
 * Answers `POST /control/<operation>` (JSON in, `{ok: true, result}` or `{ok: false, error}` out),
 * `GET /control/events?bot=<id>` (server-sent events) and `GET /control/file?bot=<id>&file_id=<id>`.
 */
export async function answerControl(
  control: TelegramControl,
  bots: Bots,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const name = url.pathname.slice('/control/'.length)
  if (!isOwnOrigin(request)) return write(response, 403, { ok: false, error: 'Requests of other sites are refused' })
  try {
    if (request.method === 'GET' && name === 'events') return streamEvents(botOf(bots, url), request, response)
    if (request.method === 'GET' && name === 'file') return sendFile(bots, url, response)
    if (request.method !== 'POST') return write(response, 405, { ok: false, error: 'Operations are called by POST' })
    if (!request.headers['content-type']?.startsWith('application/json')) {
      return write(response, 415, { ok: false, error: 'Send application/json' })
    }
    const operation = CONTROL_OPERATIONS.find((known) => known === name)
    if (!operation) return write(response, 404, { ok: false, error: `There is no operation ${name}` })
    const raw = (await readBytes(request)).toString('utf8')
    const options = raw === '' ? {} : parseJson(raw)
    if (!isRecord(options)) return write(response, 400, { ok: false, error: 'Send a JSON object' })
    const run = control[operation] as (options: unknown) => Promise<unknown> // wrong arguments are answered below
    write(response, 200, { ok: true, result: (await run(options)) ?? null })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    write(response, 400, { ok: false, error: error.message })
  }
}

const botOf = (bots: Bots, url: URL): ReturnType<Bots['get']> => {
  const id = url.searchParams.get('bot')
  return bots.get(id === null || id === '' ? undefined : Number(id))
}

/** Only programs and the emulator's own page: no page of another site, also by a name that resolves to loopback. */
function isOwnOrigin(request: IncomingMessage): boolean {
  const { host = '', origin } = request.headers
  const isLoopback = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host)
  return isLoopback && (origin === undefined || origin === `http://${host}`)
}

const SHOWN_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'audio/ogg'])

function sendFile(bots: Bots, url: URL, response: ServerResponse): void {
  const file = botOf(bots, url).files.get(url.searchParams.get('file_id') ?? '')
  if (!file) return write(response, 404, { ok: false, error: 'There is no file of that id' })
  const isShown = SHOWN_TYPES.has(file.mimeType)
  response.writeHead(200, {
    'content-type': isShown ? file.mimeType : 'application/octet-stream',
    'content-disposition': isShown ? 'inline' : `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'content-length': file.bytes.length,
  })
  response.end(file.bytes)
}

function write(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body)
}
