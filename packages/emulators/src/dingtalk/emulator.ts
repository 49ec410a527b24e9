import type { IncomingMessage, ServerResponse } from 'node:http'
import { type EmulatorClock, systemClock } from '../kit/clock.ts'
import type { PlatformControl } from '../kit/control.ts'
import { isRecord, parseJson, readBytes, splitForm } from '../kit/http.ts'
import { PAGE_INFOS } from '../kit/page/page-info.ts'
import { startServer } from '../kit/server.ts'
import { failAfter, failBefore, isTransport } from '../kit/transport.ts'
import { accessToken, type Call, getToken, json, type Reply } from './call.ts'
import { chatOfCard, createCard, deliverCard, streamCard, updateCard } from './cards.ts'
import { createControl } from './control.ts'
import { DINGTALK_ERRORS, DingtalkFailure, type DingtalkFault } from './faults.ts'
import { enableFile, fileChunk, submitFile, upload } from './media.ts'
import { beginRegistration, devicePage, initRegistration, pollRegistration } from './registration.ts'
import { downloadUrl, emotion, file, sendBySession, sendToGroup, sendToPeople } from './robot.ts'
import { DingtalkState, type DingtalkTimes, directChatId, REAL_TIMES } from './state.ts'
import { admit, open, openTicket } from './stream.ts'

/** How it starts, and the times that a test may want shorter. */
export interface DingtalkEmulatorOptions extends Partial<DingtalkTimes> {
  /** Default 0: any free one. */
  readonly port?: number
  readonly clock?: EmulatorClock
  /** How many requests, messages and events are kept. Default 10 000. */
  readonly history?: number
  /** Numbers in ids begin above this: higher for a process that takes the place of an earlier one. Default 0. */
  readonly idsAbove?: number
}

/** A running stand-in. */
export interface DingtalkEmulator {
  /** Takes the place of https://api.dingtalk.com and of https://oapi.dingtalk.com. */
  readonly url: string
  readonly control: PlatformControl<DingtalkFault>
  close(): Promise<void>
}

/** Starts a stand-in for the robots of DingTalk, with one app. Rejects when the port is taken. */
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
  /** Takes effect and says what is answered. @throws {DingtalkFailure} */
  readonly run: (call: Call) => Reply
  /** Answers in XML whoever does not ask for JSON. */
  readonly xml?: true
}

const ROUTES: Readonly<Record<string, Route>> = {
  'POST /v1.0/gateway/connections/open': { method: 'connections.open', run: openTicket, xml: true },
  'POST /v1.0/oauth2/accessToken': { method: 'accessToken', run: accessToken },
  'POST /v1.0/robot/oToMessages/batchSend': { method: 'oToMessages.batchSend', run: sendToPeople },
  'POST /v1.0/robot/groupMessages/send': { method: 'groupMessages.send', run: sendToGroup },
  'POST /v1.0/robot/messageFiles/download': { method: 'messageFiles.download', run: downloadUrl },
  'POST /v1.0/robot/emotion/reply': { method: 'emotion.reply', run: emotion(true) },
  'POST /v1.0/robot/emotion/recall': { method: 'emotion.recall', run: emotion(false) },
  'POST /v1.0/card/instances': { method: 'card.create', run: createCard },
  'PUT /v1.0/card/instances': { method: 'card.update', run: updateCard },
  'POST /v1.0/card/instances/deliver': { method: 'card.deliver', run: deliverCard },
  'PUT /v1.0/card/streaming': { method: 'card.streaming', run: streamCard },
  'POST /robot/sendBySession': { method: 'sendBySession', run: sendBySession },
  'GET /gettoken': { method: 'gettoken', run: getToken },
  'POST /media/upload': { method: 'media.upload', run: upload },
  'GET /file/upload/transaction/enable': { method: 'file.enable', run: enableFile },
  'POST /file/upload/transaction/enable': { method: 'file.enable', run: enableFile },
  'POST /file/upload/chunk': { method: 'file.chunk', run: fileChunk },
  'GET /file/upload/transaction/submit': { method: 'file.submit', run: submitFile },
  'POST /file/upload/transaction/submit': { method: 'file.submit', run: submitFile },
  'POST /app/registration/init': { method: 'registration.init', run: initRegistration },
  'POST /app/registration/begin': { method: 'registration.begin', run: beginRegistration },
  'POST /app/registration/poll': { method: 'registration.poll', run: pollRegistration },
  'GET /files': { method: 'files', run: file },
  'GET /device': { method: 'device', run: devicePage },
}

/** Answers everything but the socket. */
async function answerHttp(state: DingtalkState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = URL.parse(request.url ?? '/', state.url) ?? new URL(state.url)
  const name = `${request.method} ${target.pathname}`
  const route = Object.hasOwn(ROUTES, name) ? ROUTES[name] : undefined
  const bytes = (await readBytes(request)) ?? Buffer.alloc(0)
  const method = route?.method ?? 'unknown'
  const { headers } = request
  const shown = bodyShown(bytes, headers['content-type'] ?? '')
  const record = state.world.request({ method, target: `${request.method} ${request.url}`, headers, body: shown })
  response.once('finish', () => record(response.statusCode))
  if (route === undefined) return write(response, json({ code: 'NotFound', message: 'no such api' }, 404))
  const parsed = parseJson(bytes.toString('utf8'))
  const call = { state, target, headers, bytes, fields: isRecord(parsed) ? parsed : {} }
  const fault = state.faults.take(method, chatOf(call), ({ kind }) => isTransport(kind) || kind === 'error')
  if (failBefore(fault, response)) return
  const refused = fault?.kind === 'error' ? new DingtalkFailure(fault.code, fault.message, fault.status) : null
  const reply = refused === null ? run(route, call) : failureReply(call, refused)
  if (await failAfter(fault, response, state.clock)) return
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

function run(route: Route, call: Call): Reply {
  try {
    return route.run(call)
  } catch (error) {
    if (error instanceof DingtalkFailure) return failureReply(call, error)
    throw error
  }
}

/** The new API answers with a status and words, the old one with 200 and a number. */
function failureReply({ state, target }: Call, { code, message, status }: DingtalkFailure): Reply {
  if (!target.pathname.startsWith('/v1.0/')) {
    return json({ errcode: /^\d+$/.test(code) ? Number(code) : 40035, errmsg: message })
  }
  const scopes = DINGTALK_ERRORS[code]?.requiredScopes
  const detail = scopes && { accessdenieddetail: { requiredScopes: scopes } }
  return json({ code, message, requestid: state.nextId('request'), ...detail }, status)
}

/** The chat that a call is about, as far as it says. */
function chatOf({ state, target, fields }: Call): string | undefined {
  const { openConversationId, userIds } = fields
  if (typeof openConversationId === 'string') return openConversationId
  if (Array.isArray(userIds)) return directChatId(String(userIds[0]))
  const session = target.searchParams.get('session')
  return session === null ? chatOfCard(state, fields) : state.sessions.get(session)?.chatId
}

/** A form as JSON: its fields, and names and sizes of its files. */
function bodyShown(bytes: Buffer, contentType: string): string {
  if (!contentType.startsWith('multipart/form-data')) return bytes.toString('utf8')
  const parts = splitForm(bytes, contentType) ?? []
  const shown = parts.map(({ name, fileName, bytes: content }) => [
    name,
    fileName === null ? Buffer.from(content).toString('utf8') : { fileName, size: content.length },
  ])
  return JSON.stringify(Object.fromEntries(shown))
}

function write(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}
