import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBytes } from '../kit/http.ts'
import { applyFaultAfter, applyFaultBefore } from '../kit/transport.ts'
import { parseBody, Parameters } from './parameters.ts'
import { type Bots, TOKEN_PATTERN } from './bots.ts'
import { TelegramFailure } from './failure.ts'
import { toFailure, takeFault } from './faults.ts'
import { findMethod } from './methods/methods.ts'
import { type BotState, emit, type RequestRecord } from './state.ts'

/** Maximum length of a recorded body, in characters. */
const RECORD_LIMIT = 64 * 1024

/** Handles `/bot<token>/<method>`. */
export async function answerCall(bots: Bots, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path, search] = splitOnce(request.url ?? '', '?')
  const [token, method = ''] = splitOnce(decodePath(path.slice('/bot'.length)), '/')
  const bot = bots.findByToken(token)
  let record: RequestRecord | null = null
  try {
    if (method === '' || !TOKEN_PATTERN.test(token)) throw new TelegramFailure(404, 'Not Found')
    const bytes = await readBytes(request)
    if (bytes === null) throw new TelegramFailure(413, 'Request Entity Too Large')
    const contentType = request.headers['content-type'] ?? ''
    const body = parseBody(bytes, contentType, search === undefined ? null : new URLSearchParams(search))
    if (bot) record = recordRequest(bot, request, method, body.raw)
    if (!bot || bot.revoked || bot.token !== token) throw new TelegramFailure(401, 'Unauthorized')
    await performCall(bot, method.toLowerCase(), new Parameters(body.fields, body.files), response)
  } catch (error) {
    if (response.destroyed) return
    if (error instanceof TelegramFailure) return writeFailure(response, error)
    throw error
  } finally {
    if (record && !response.destroyed) record.status = response.statusCode
  }
}

async function performCall(
  bot: BotState,
  method: string,
  parameters: Parameters,
  response: ServerResponse,
): Promise<void> {
  const fault = bot.faults.length > 0 ? takeFault(bot.faults, method, parameters.text('chat_id')) : null
  if (fault) {
    emit(bot, { type: 'fault_hit', method, kind: fault.kind })
    const failure = toFailure(fault)
    if (failure) throw failure
    if (applyFaultBefore(fault, response)) return
  }
  const run = findMethod(method, bot.oldServer)
  if (!run) throw new TelegramFailure(404, 'Not Found: method not found')
  const gone = new AbortController()
  const leave = (): void => gone.abort()
  response.once('close', leave)
  const result = await run({ bot, parameters, method, gone: gone.signal })
  response.off('close', leave)
  if (!(await applyFaultAfter(fault, response, bot.clock)))
    writeJson(response, 200, JSON.stringify({ ok: true, result }))
}

function writeFailure(response: ServerResponse, { code, message, parameters }: TelegramFailure): void {
  if (parameters?.retry_after !== undefined) response.setHeader('retry-after', parameters.retry_after)
  // the rest of the body is unread, so the connection can't be reused
  if (code === 413) response.setHeader('connection', 'close')
  writeJson(response, code, JSON.stringify({ ok: false, error_code: code, description: message, parameters }))
}

function writeJson(response: ServerResponse, status: number, body: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body)
}

function recordRequest(bot: BotState, request: IncomingMessage, method: string, raw: string): RequestRecord {
  const record = {
    sequence: bot.requests.last + 1,
    atMs: bot.clock.now(),
    httpMethod: request.method ?? '',
    method,
    headers: request.headers,
    body: raw.length > RECORD_LIMIT ? raw.slice(0, RECORD_LIMIT) : raw,
    status: 0,
  }
  bot.requests.push(record)
  return record
}

/** Handles `/file/bot<token>/<path>`. */
export function answerFile(bots: Bots, request: IncomingMessage, response: ServerResponse): void {
  const path = decodePath((request.url ?? '').slice('/file/bot'.length))
  const [token, filePath = ''] = splitOnce(path, '/')
  const bot = bots.findByToken(token)
  if (!bot || bot.revoked || bot.token !== token) {
    return writeFailure(response, new TelegramFailure(TOKEN_PATTERN.test(token) ? 401 : 404, 'Unauthorized'))
  }
  const fault = takeFault(bot.faults, 'file', '')
  const failure = fault && toFailure(fault)
  if (failure) return writeFailure(response, failure)
  if (applyFaultBefore(fault, response)) return
  const file = bot.files.findByPath(filePath)
  if (!file) return writeFailure(response, new TelegramFailure(404, 'Not Found'))
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': file.bytes.length })
  response.end(file.bytes)
}

function splitOnce(text: string, separator: string): readonly [before: string, after: string | undefined] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)]
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
