import type { IncomingMessage, ServerResponse } from 'node:http'
import { type EmulatorClock, systemClock } from '../kit/clock.ts'
import type { PlatformControl } from '../kit/control.ts'
import { isRecord, parseJson, readBytes, splitForm } from '../kit/http.ts'
import { PAGE_INFOS } from '../kit/page/page-info.ts'
import { startServer } from '../kit/server.ts'
import { applyFaultAfter, applyFaultBefore, isTransportFault } from '../kit/transport.ts'
import { issueAccessToken, type ApiCall, issueOldToken, jsonReply, type Reply } from './call.ts'
import { findCardChatId, createCard, deliverCard, streamCard, updateCard } from './cards.ts'
import { createControl } from './control.ts'
import { DINGTALK_ERRORS, DingtalkFailure, type DingtalkFault } from './faults.ts'
import { startChunkedUpload, uploadChunk, finishChunkedUpload, uploadMedia } from './media.ts'
import { beginRegistration, devicePage, initRegistration, pollRegistration } from './registration.ts'
import { createDownloadUrl, handleEmotion, downloadFile, sendBySession, sendToGroup, sendToPeople } from './robot.ts'
import { DingtalkState, type DingtalkTimes, directChatId, REAL_TIMES } from './state.ts'
import { admit, open, openTicket } from './stream.ts'

/** Options, and times that tests can shorten. */
export interface DingtalkEmulatorOptions extends Partial<DingtalkTimes> {
  /** Default 0: a free port. */
  readonly port?: number
  readonly clock?: EmulatorClock
  /** Number of requests, messages and events to keep. Default 10,000. */
  readonly history?: number
  /** Ids are numbered from above this, so that a restarted emulator doesn't reuse them. Default 0. */
  readonly idsAbove?: number
}

/** A running emulator. */
export interface DingtalkEmulator {
  /** Replaces https://api.dingtalk.com and https://oapi.dingtalk.com. */
  readonly url: string
  readonly control: PlatformControl<DingtalkFault>
  close(): Promise<void>
}

/** Starts an emulator of DingTalk robots with one app. Rejects when the port is taken. */
export async function startDingtalkEmulator(options: DingtalkEmulatorOptions = {}): Promise<DingtalkEmulator> {
  const { port = 0, clock = systemClock, history = 10_000, idsAbove = 0, ...times } = options
  const state = new DingtalkState(clock, history, { ...REAL_TIMES, ...times }, idsAbove)
  const server = await startServer(port, (self) => {
    state.url = self.url
    return {
      control: createControl(state, self),
      page: PAGE_INFOS.dingtalk,
      handle: (request, response) => answerHttp(state, request, response),
      admit: (request) => admit(state, request),
      open: (socket, request) => open(state, socket, request),
    }
  })
  const close = (): Promise<void> => {
    state.closing.abort()
    return server.close()
  }
  return { url: server.url, control: createControl(state, server), close }
}

interface Route {
  readonly method: string
  /** Performs the call and returns its reply. @throws {DingtalkFailure} */
  readonly run: (call: ApiCall) => Reply
  /** Replies in XML unless the request accepts JSON. */
  readonly xml?: true
}

const ROUTES: Readonly<Record<string, Route>> = {
  'POST /v1.0/gateway/connections/open': { method: 'connections.open', run: openTicket, xml: true },
  'POST /v1.0/oauth2/accessToken': { method: 'accessToken', run: issueAccessToken },
  'POST /v1.0/robot/oToMessages/batchSend': { method: 'oToMessages.batchSend', run: sendToPeople },
  'POST /v1.0/robot/groupMessages/send': { method: 'groupMessages.send', run: sendToGroup },
  'POST /v1.0/robot/messageFiles/download': { method: 'messageFiles.download', run: createDownloadUrl },
  'POST /v1.0/robot/emotion/reply': { method: 'emotion.reply', run: handleEmotion(true) },
  'POST /v1.0/robot/emotion/recall': { method: 'emotion.recall', run: handleEmotion(false) },
  'POST /v1.0/card/instances': { method: 'card.create', run: createCard },
  'PUT /v1.0/card/instances': { method: 'card.update', run: updateCard },
  'POST /v1.0/card/instances/deliver': { method: 'card.deliver', run: deliverCard },
  'PUT /v1.0/card/streaming': { method: 'card.streaming', run: streamCard },
  'POST /robot/sendBySession': { method: 'sendBySession', run: sendBySession },
  'GET /gettoken': { method: 'gettoken', run: issueOldToken },
  'POST /media/upload': { method: 'media.upload', run: uploadMedia },
  'GET /file/upload/transaction/enable': { method: 'file.enable', run: startChunkedUpload },
  'POST /file/upload/transaction/enable': { method: 'file.enable', run: startChunkedUpload },
  'POST /file/upload/chunk': { method: 'file.chunk', run: uploadChunk },
  'GET /file/upload/transaction/submit': { method: 'file.submit', run: finishChunkedUpload },
  'POST /file/upload/transaction/submit': { method: 'file.submit', run: finishChunkedUpload },
  'POST /app/registration/init': { method: 'registration.init', run: initRegistration },
  'POST /app/registration/begin': { method: 'registration.begin', run: beginRegistration },
  'POST /app/registration/poll': { method: 'registration.poll', run: pollRegistration },
  'GET /files': { method: 'files', run: downloadFile },
  'GET /device': { method: 'device', run: devicePage },
}

/** Handles HTTP requests. */
async function answerHttp(state: DingtalkState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = URL.parse(request.url ?? '/', state.url) ?? new URL(state.url)
  const name = `${request.method} ${target.pathname}`
  const route = Object.hasOwn(ROUTES, name) ? ROUTES[name] : undefined
  const bytes = (await readBytes(request)) ?? Buffer.alloc(0)
  const method = route?.method ?? 'unknown'
  const { headers } = request
  const body = toRecordedBody(bytes, headers['content-type'] ?? '')
  const record = state.chatStore.recordRequest({
    method,
    target: `${request.method} ${request.url}`,
    headers,
    body,
  })
  response.once('finish', () => record(response.statusCode))
  if (route === undefined) return write(response, jsonReply({ code: 'NotFound', message: 'no such api' }, 404))
  const parsed = parseJson(bytes.toString('utf8'))
  const call = { state, target, headers, bytes, fields: isRecord(parsed) ? parsed : {} }
  const fault = state.faults.take(method, findChatId(call), ({ kind }) => isTransportFault(kind) || kind === 'error')
  if (applyFaultBefore(fault, response)) return
  const refused = fault?.kind === 'error' ? new DingtalkFailure(fault.code, fault.message, fault.status) : null
  const reply = refused === null ? run(route, call) : failureReply(call, refused)
  if (await applyFaultAfter(fault, response, state.clock)) return
  const isXml = route.xml === true && headers.accept?.includes('application/json') !== true
  write(response, isXml ? xmlReply(reply) : reply)
}

function xmlReply({ status, body }: Reply): Reply {
  const members = parseJson(String(body))
  const inner = Object.entries(isRecord(members) ? members : {}).map(
    ([name, value]) => `<${name}>${String(value)}</${name}>`,
  )
  const xml = `<?xml version="1.0" encoding="UTF-8"?><result>${inner.join('')}</result>`
  return { status, headers: { 'content-type': 'application/xml' }, body: xml }
}

function run(route: Route, call: ApiCall): Reply {
  try {
    return route.run(call)
  } catch (error) {
    if (error instanceof DingtalkFailure) return failureReply(call, error)
    throw error
  }
}

/** The new API answers with a status and toTextParts, the old one with 200 and a number. */
function failureReply({ state, target }: ApiCall, { code, message, status }: DingtalkFailure): Reply {
  if (!target.pathname.startsWith('/v1.0/')) {
    return jsonReply({ errcode: /^\d+$/.test(code) ? Number(code) : 40035, errmsg: message })
  }
  const scopes = DINGTALK_ERRORS[code]?.requiredScopes
  const detail = scopes && { accessdenieddetail: { requiredScopes: scopes } }
  return jsonReply({ code, message, requestid: state.nextId('request'), ...detail }, status)
}

/** Returns the chat id that a call refers to, if any. */
function findChatId({ state, target, fields }: ApiCall): string | undefined {
  const { openConversationId, userIds } = fields
  if (typeof openConversationId === 'string') return openConversationId
  if (Array.isArray(userIds)) return directChatId(String(userIds[0]))
  const session = target.searchParams.get('session')
  return session === null ? findCardChatId(state, fields) : state.sessions.get(session)?.chatId
}

/** Returns a form as JSON: its fields, and its files' names and sizes. */
function toRecordedBody(bytes: Buffer, contentType: string): string {
  if (!contentType.startsWith('multipart/form-data')) return bytes.toString('utf8')
  const parts = splitForm(bytes, contentType) ?? []
  const fields = parts.map(({ name, fileName, bytes: content }) => [
    name,
    fileName === null ? Buffer.from(content).toString('utf8') : { fileName, size: content.length },
  ])
  return JSON.stringify(Object.fromEntries(fields))
}

function write(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}
