import type { IncomingMessage, ServerResponse } from 'node:http'
import { isRecord, parseJson, readBytes, writeJson } from '../kit/http.ts'
import { applyFaultAfter, applyFaultBefore } from '../kit/transport.ts'
import { findChatId, METHODS, runCall, type WeixinMethod } from './calls.ts'
import { isApplicable, sessionExpired, WeixinRefusal } from './faults.ts'
import type { Host } from './logins.ts'
import { isAccepted, type WeixinState } from './state.ts'

/** Handles requests to the API and the CDN. */
export async function handleRequest(
  state: WeixinState,
  host: Host,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  if (url.pathname === '/c2c/upload') return upload(state, url.searchParams, request, response)
  if (url.pathname === '/c2c/download') return download(state, url.searchParams, request, response)
  if (url.pathname.startsWith('/q/')) return void response.end('Scan this code with the app.')
  const method = METHODS[url.pathname.replace(/^\/ilink\/bot\//, '')]
  if (!url.pathname.startsWith('/ilink/bot/') || !method?.by.includes(request.method ?? ''))
    return void response.writeHead(404).end()
  return call(state, host, method, url, request, response)
}

async function call(
  state: WeixinState,
  host: Host,
  method: WeixinMethod,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const raw = (await readBytes(request))?.toString('utf8') ?? ''
  const recordStatus = recordRequest(state, method.name, request, raw)
  const parsed = raw === '' ? {} : parseJson(raw)
  const body = isRecord(parsed) ? parsed : {}
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  response.once('finish', () => recordStatus(response.statusCode))
  const token = parseBearer(request)
  try {
    if (!isRecord(parsed)) throw new WeixinRefusal(-1, 'invalid request')
    if (method.open !== true && !isAccepted(state, token, host)) throw sessionExpired()
    const fault = state.faults.take(method.name, findChatId(body), isApplicable(method.name))
    if (applyFaultBefore(fault, response)) return
    const result = await runCall(method, {
      state,
      token,
      host,
      body,
      query: url.searchParams,
      fault,
      gone: gone.signal,
    })
    if (!(await applyFaultAfter(fault, response, state.clock))) writeJson(response, 200, result)
  } catch (error) {
    if (!(error instanceof WeixinRefusal)) throw error
    if (!response.destroyed) writeJson(response, 200, error.body)
  }
}

/** Returns the token, or '' when the headers aren't as the platform requires. */
function parseBearer({ headers }: IncomingMessage): string {
  if (headers['authorizationtype'] !== 'ilink_bot_token') return ''
  return /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
}

function recordRequest(
  state: WeixinState,
  method: string,
  request: IncomingMessage,
  body: string,
): (status: number) => void {
  return state.chatStore.recordRequest({
    method,
    target: `${request.method} ${request.url}`,
    headers: request.headers,
    body,
  })
}

async function upload(
  state: WeixinState,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const bytes = await readBytes(request)
  const recordStatus = recordRequest(state, 'cdn_upload', request, `${bytes?.length ?? 0} bytes`)
  response.once('finish', () => recordStatus(response.statusCode))
  const fault = state.faults.take('cdn_upload', undefined, isApplicable('cdn_upload'))
  if (applyFaultBefore(fault, response)) return
  if (fault?.kind === 'cdn_refused') return refuse(response, fault.status, fault.message)
  if (request.method !== 'POST' || bytes === null) return refuse(response, 400, 'invalid body')
  const stored = state.media.upload(query.get('encrypted_query_param') ?? '', query.get('filekey') ?? '', bytes)
  if ('refused' in stored) return refuse(response, 400, stored.refused)
  if (await applyFaultAfter(fault, response, state.clock)) return
  response.writeHead(200, { 'x-encrypted-param': stored.parameter, 'content-length': 0 }).end()
}

async function download(
  state: WeixinState,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const recordStatus = recordRequest(state, 'cdn_download', request, '')
  response.once('finish', () => recordStatus(response.statusCode))
  const fault = state.faults.take('cdn_download', undefined, isApplicable('cdn_download'))
  if (applyFaultBefore(fault, response)) return
  if (fault?.kind === 'cdn_refused') return refuse(response, fault.status, fault.message)
  const bytes = state.media.get(query.get('encrypted_query_param') ?? '')
  if (bytes === null) return refuse(response, 404, 'file not found')
  if (await applyFaultAfter(fault, response, state.clock)) return
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes.length }).end(bytes)
}

const refuse = (response: ServerResponse, status: number, message: string): void =>
  void response.writeHead(status, { 'x-error-message': message, 'content-length': 0 }).end()
