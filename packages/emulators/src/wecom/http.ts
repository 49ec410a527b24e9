import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isRecord, parseJson, readBytes, writeJson } from '../kit/http.ts'
import { applyFaultAfter, applyFaultBefore, isTransportFault } from '../kit/transport.ts'
import { encrypt } from './media.ts'
import { WecomFailure } from './faults.ts'
import type { WecomState } from './state.ts'

/** An HTTP call. */
interface HttpCall {
  readonly state: WecomState
  readonly url: string
  readonly target: URL
  readonly body: string
  readonly response: ServerResponse
}

interface Route {
  readonly method: string
  readonly verb: 'GET' | 'POST'
  readonly path: RegExp
  /** Performs the call and returns the function that responds. @throws {WecomFailure} */
  readonly run: (call: HttpCall) => () => void
}

const ROUTES: readonly Route[] = [
  { method: 'media', verb: 'GET', path: /^\/media\/[^/]+$/, run: downloadFile },
  { method: 'qc.generate', verb: 'GET', path: /^\/ai\/qc\/generate$/, run: createQrCode },
  { method: 'qc.query_result', verb: 'GET', path: /^\/ai\/qc\/query_result$/, run: pollQrCode },
  { method: 'qc.gen', verb: 'GET', path: /^\/ai\/qc\/gen$/, run: qrCodePage },
  { method: 'get_cli_config', verb: 'POST', path: /^\/cgi-bin\/aibot\/cli\/get_cli_config$/, run: probeCredentials },
]

/** Handles HTTP requests: file downloads, QR codes and the signed probe. */
export async function answerHttp(
  state: WecomState,
  url: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = URL.parse(request.url ?? '/', url) ?? new URL(url)
  const bytes = await readBytes(request)
  const body = bytes?.toString('utf8') ?? ''
  const route = ROUTES.find(({ verb, path }) => verb === request.method && path.test(target.pathname))
  const method = route?.method ?? 'unknown'
  const { headers } = request
  const record = state.chatStore.recordRequest({ method, target: `${request.method} ${request.url}`, headers, body })
  response.once('finish', () => record(response.statusCode))
  if (route === undefined) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('404 Not Found')
  const fault = state.faults.take(method, undefined, ({ kind }) => isTransportFault(kind) || kind === 'error')
  if (applyFaultBefore(fault, response)) return
  try {
    if (fault?.kind === 'error') throw new WecomFailure(fault.code, fault.message)
    const answer = route.run({ state, url, target, body, response })
    if (!(await applyFaultAfter(fault, response, state.clock))) answer()
  } catch (error) {
    if (!(error instanceof WecomFailure)) throw error
    writeJson(response, 200, { errcode: error.code, errmsg: error.message })
  }
}

function downloadFile({ state, target, response }: HttpCall): () => void {
  const file = state.downloads.get(target.pathname.slice('/media/'.length), state.clock.now())
  if (file === null) return () => void response.writeHead(403, { 'content-type': 'text/plain' }).end('url expired')
  const isPlain = state.faults.take('media', undefined, ({ kind }) => kind === 'unencrypted_media') !== null
  const content = isPlain ? file.bytes : encrypt(file.bytes, file.aesKey)
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': content.length,
    'content-disposition': formatDisposition(file.name),
  }
  return () => void response.writeHead(200, headers).end(content)
}

const formatDisposition = (name: string): string =>
  /^[\w.-]+$/.test(name) ? `attachment; filename="${name}"` : `attachment; filename*=UTF-8''${encodeURIComponent(name)}`

function createQrCode({ state, url, target, response }: HttpCall): () => void {
  const source = target.searchParams.get('source') ?? ''
  const isPlatform = /^[0-3]$/.test(target.searchParams.get('plat') ?? '')
  if (source === '' || !isPlatform) throw new WecomFailure(40058)
  const scode = state.nextId('scode')
  state.qr = { scode, untilMs: state.clock.now() + state.times.qrLifeMs, status: 'init' }
  const authUrl = `${url}/ai/qc/auth?scode=${scode}`
  return () => writeJson(response, 200, { errcode: 0, errmsg: 'ok', data: { scode, auth_url: authUrl } })
}

function pollQrCode({ state, target, response }: HttpCall): () => void {
  const { qr, bot } = state
  if (qr === null || qr.scode !== target.searchParams.get('scode')) throw new WecomFailure(40058)
  if (qr.status !== 'success' && qr.untilMs <= state.clock.now()) qr.status = 'expired'
  const info = qr.status === 'success' ? { bot_info: { botid: bot.id, secret: bot.secret } } : {}
  return () => writeJson(response, 200, { errcode: 0, errmsg: 'ok', data: { status: qr.status, ...info } })
}

/** Returns the page behind a QR code; the adapter draws the code itself. */
function qrCodePage({ target, response }: HttpCall): () => void {
  const isKnown = /^scode\d+$/.test(target.searchParams.get('scode') ?? '')
  const status = isKnown ? 200 : 404
  const page = '<!doctype html><title>WeCom</title><p>Scan with WeCom to create a smart bot.</p>'
  return () => void response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(page)
}

/** `signature = hex(sha256(secret + bot_id + time + nonce))` */
function probeCredentials({ state, body, response }: HttpCall): () => void {
  const fields = parseJson(body)
  const { bot_id: botId, time, nonce, signature } = isRecord(fields) ? fields : {}
  if (botId !== state.bot.id) throw new WecomFailure(93019)
  const signed = `${state.bot.secret}${state.bot.id}${String(time)}${String(nonce)}`
  const isRight = signature === createHash('sha256').update(signed).digest('hex')
  if (!isRight || state.bot.revoked) throw new WecomFailure(853000)
  return () => writeJson(response, 200, { errcode: 0, errmsg: 'ok', token: state.nextId('token') })
}
