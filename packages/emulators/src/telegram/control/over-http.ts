import type { IncomingMessage, ServerResponse } from 'node:http'
import { connectOperations, CONTROL_OPERATIONS as COMMON_OPERATIONS } from '../../kit/control.ts'
import { answerControl as answerOperation, isOwnOrigin, writeJson } from '../../kit/http.ts'
import type { Bots } from '../bots.ts'
import type { BotState, BotEvent } from '../state.ts'
import { CONTROL_OPERATIONS, type TelegramControl } from './control.ts'

/** Telegram's control operations, and the shared ones. */
export interface Controls {
  readonly control: TelegramControl
  /** A `PlatformControl`; options that arrive over HTTP are untyped. */
  readonly common: object
}

/**
 * Handles `POST /control/<operation>` (JSON in, `{ok: true, result}` or `{ok: false, error}` out),
 * `POST /control/common/<operation>` for shared operations, `GET /control/events?bot=<id>` (server-sent events) and
 * `GET /control/file?bot=<id>&file_id=<id>`.
 */
export async function answerControl(
  { control, common }: Controls,
  bots: Bots,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const name = url.pathname.slice('/control/'.length)
  if (!isOwnOrigin(request)) return writeJson(response, 403, { ok: false, error: 'Cross-origin requests are refused' })
  if (request.method === 'GET' && (name === 'events' || name === 'file')) {
    const bot = findBot(bots, url)
    if (bot === null) return writeJson(response, 400, { ok: false, error: 'There is no bot with this id' })
    return name === 'events' ? streamEvents(bot, request, response) : sendFile(bot, url, response)
  }
  if (name.startsWith('common/')) return answerOperation(common, COMMON_OPERATIONS, request, response)
  return answerOperation(control, CONTROL_OPERATIONS, request, response)
}

function findBot(bots: Bots, url: URL): BotState | null {
  const id = url.searchParams.get('bot')
  if (id === null || id === '') return bots.all[0] ?? null
  return bots.all.find((bot) => bot.user.id === Number(id)) ?? null
}

const SHOWN_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'audio/ogg'])

function sendFile(bot: BotState, url: URL, response: ServerResponse): void {
  const file = bot.files.get(url.searchParams.get('file_id') ?? '')
  if (!file) return writeJson(response, 404, { ok: false, error: 'There is no file with this id' })
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

/** Maximum backlog of an event stream, in bytes. Beyond it the stream is closed, and the page reconnects. */
const LAG_LIMIT = 1024 * 1024

/** Streams events of a bot as server-sent events, each `data: <BotEvent as JSON>`. */
function streamEvents(bot: BotState, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write(': open\n\n')
  const listener = (event: BotEvent): void => {
    response.write(`data: ${JSON.stringify(event)}\n\n`)
    if (response.writableLength > LAG_LIMIT) response.destroy()
  }
  bot.listeners.add(listener)
  request.once('close', () => bot.listeners.delete(listener))
  response.once('close', () => bot.listeners.delete(listener))
}

/** Returns the control operations of an emulator in another process. @param url Its address, without a trailing slash. */
export const connectTelegramControl = (url: string): TelegramControl =>
  connectOperations<TelegramControl>(url, CONTROL_OPERATIONS)
