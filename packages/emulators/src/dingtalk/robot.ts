import { isRecord, parseJson } from '../kit/http.ts'
import type { ChatFile } from '../kit/world.ts'
import { type Call, json, ok, type Reply, requireToken } from './call.ts'
import { DingtalkFailure } from './faults.ts'
import { type DingtalkState, directChatId } from './state.ts'

/** Most people of one call. */
const PEOPLE = 20
const PER_MINUTE = 20
const BLOCKED_MS = 10 * 60_000

/** `POST /v1.0/robot/oToMessages/batchSend`: success says nothing, the lists do. */
export function sendToPeople(call: Call): Reply {
  const { state, fields, bytes } = call
  requireToken(call, 'api')
  requireRobot(call)
  checkSize(bytes)
  const userIds = Array.isArray(fields['userIds']) ? fields['userIds'].map(String) : []
  if (userIds.length === 0 || userIds.length > PEOPLE) throw new DingtalkFailure('invalidParameter', 'userIds')
  const { text, files } = templateContent(state, fields)
  const chatId = directChatId(userIds[0] ?? '')
  const kinds: ReadonlySet<string> = new Set(['invalid_users', 'flow_controlled_users'])
  const fault = state.faults.take('oToMessages.batchSend', chatId, ({ kind }) => kinds.has(kind))
  const isKnown = (id: string): boolean => state.people.get(id)?.isOutsider === false
  const reached = fault === null ? userIds.filter(isKnown) : []
  const key = state.nextId('pqk')
  for (const [index, userId] of reached.entries()) {
    const messageId = index === 0 ? key : `${key}:${userId}`
    state.world.shown({ chatId: directChatId(userId), messageId, name: state.bot.name, text, files })
  }
  return json({
    processQueryKey: key,
    invalidStaffIdList: userIds.filter((id) => !isKnown(id) || fault?.kind === 'invalid_users'),
    flowControlledStaffIdList: fault?.kind === 'flow_controlled_users' ? userIds.filter(isKnown) : [],
  })
}

/** `POST /v1.0/robot/groupMessages/send` */
export function sendToGroup(call: Call): Reply {
  const { state, fields, bytes } = call
  requireToken(call, 'api')
  requireRobot(call)
  checkSize(bytes)
  const { openConversationId: chatId } = fields
  if (typeof chatId !== 'string' || !state.groups.has(chatId)) {
    throw new DingtalkFailure('invalidParameter', 'openConversationId is invalid')
  }
  const content = templateContent(state, fields)
  const key = state.nextId('pqk')
  state.world.shown({ chatId, messageId: key, name: state.bot.name, ...content })
  return json({ processQueryKey: key })
}

/** `POST /robot/sendBySession`: the reply has no id on the wire, so it gets one of the emulator's. */
export function sendBySession({ state, target, fields, bytes }: Call): Reply {
  const session = state.sessions.get(target.searchParams.get('session') ?? '')
  if (session === undefined || session.untilMs <= state.clock.now()) throw new DingtalkFailure(300001)
  checkSize(bytes)
  const content = webhookContent(fields)
  countWebhook(state)
  state.world.shown({
    chatId: session.chatId,
    messageId: state.nextId('webhook'),
    name: state.bot.name,
    ...content,
  })
  return ok()
}

function countWebhook(state: DingtalkState): void {
  const now = state.clock.now()
  if (state.isOn('rate_limits')) {
    if (state.webhookBlockedUntilMs <= now && state.calls.count('webhook', 60_000) >= PER_MINUTE) {
      state.webhookBlockedUntilMs = now + BLOCKED_MS
    }
    if (state.webhookBlockedUntilMs > now) throw new DingtalkFailure(130101)
  }
  state.calls.add('webhook')
}

/** `POST /v1.0/robot/messageFiles/download` */
export function downloadUrl(call: Call): Reply {
  const { state, fields } = call
  requireToken(call, 'api')
  requireRobot(call)
  const code = String(fields['downloadCode'])
  if (state.downloads.get(code, state.clock.now()) === null) {
    throw new DingtalkFailure('invalidParameter', 'downloadCode is invalid')
  }
  return json({ downloadUrl: `${state.url}/files?code=${encodeURIComponent(code)}&Signature=made-up` })
}

/** `GET /files`: the signature covers the headers, so one too many breaks it. */
export function file({ state, target, headers }: Call): Reply {
  const found = state.downloads.get(target.searchParams.get('code') ?? '', state.clock.now())
  const isSigned = target.searchParams.get('Signature') === 'made-up' && headers['content-type'] === undefined
  if (found === null || !isSigned) {
    const reason = found === null ? 'AccessDenied' : 'SignatureDoesNotMatch'
    return {
      status: 403,
      headers: { 'content-type': 'application/xml' },
      body: `<Error><Code>${reason}</Code></Error>`,
    }
  }
  return { status: 200, headers: { 'content-type': found.mimeType }, body: found.bytes }
}

/** `POST /v1.0/robot/emotion/reply` and `/recall`: a sign on a message, used for "is writing". */
export const emotion =
  (isReply: boolean) =>
  (call: Call): Reply => {
    const { state, fields } = call
    requireToken(call, 'api')
    requireRobot(call)
    const { openMsgId, openConversationId: chatId, emotionName } = fields
    const message = state.world.find(String(openMsgId))
    if (message === null || message.chatId !== chatId) throw new DingtalkFailure('invalidParameter', 'openMsgId')
    if (typeof emotionName !== 'string') throw new DingtalkFailure('invalidParameter', 'emotionName')
    // it stays until it is recalled
    state.world.typing(message.chatId, isReply ? 24 * 60 * 60_000 : 0)
    return json({ success: true })
  }

/** @throws {DingtalkFailure} for a robot that is not the app's */
function requireRobot({ state, fields }: Call): void {
  if (fields['robotCode'] !== state.bot.id) throw new DingtalkFailure('resource.not.found')
}

type Fields = Readonly<Record<string, unknown>>

/** A message as people see it. */
interface Content {
  readonly text: string
  readonly files: readonly ChatFile[]
}

/** Longest body of a message, bytes. */
const BODY_BYTES = 20_000
const FILE_TYPES: ReadonlySet<unknown> = new Set(['doc', 'docx', 'xls', 'xlsx', 'ppt', 'pptx', 'pdf', 'zip', 'rar'])

/** @throws {DingtalkFailure} 460101 */
function checkSize(bytes: Uint8Array): void {
  if (bytes.length > BODY_BYTES) throw new DingtalkFailure(460101)
}

/** What `msgKey` and `msgParam` of the API show. @throws {DingtalkFailure} */
function templateContent(state: DingtalkState, fields: Fields): Content {
  const { msgKey, msgParam } = fields
  const parameter = typeof msgParam === 'string' ? parseJson(msgParam) : undefined
  if (!isRecord(parameter)) throw new DingtalkFailure('invalidParameter', 'msgParam is not JSON text')
  switch (msgKey) {
    case 'sampleText':
      return { text: requireText(parameter, 'content'), files: [] }
    case 'sampleMarkdown':
      requireText(parameter, 'title')
      return { text: requireText(parameter, 'text'), files: [] }
    case 'sampleImageMsg':
      return imageContent(state, requireText(parameter, 'photoURL'))
    case 'sampleFile':
      return fileContent(state, parameter)
    case 'sampleAudio':
      return { text: '', files: [requireMedia(state, parameter, 'mediaId')] }
    case 'sampleVideo':
      return { text: '', files: [requireMedia(state, parameter, 'videoMediaId')] }
    case 'sampleLink':
    case 'sampleActionCard':
      return { text: `${requireText(parameter, 'title')}\n\n${requireText(parameter, 'text')}`, files: [] }
    default:
      throw new DingtalkFailure('invalidParameter', 'msgKey is unknown')
  }
}

/** What a session webhook takes: text and markdown, no pictures or files. @throws {DingtalkFailure} */
function webhookContent(fields: Fields): Content {
  const { msgtype } = fields
  const inner = typeof msgtype === 'string' && isRecord(fields[msgtype]) ? fields[msgtype] : null
  if (inner === null) throw new DingtalkFailure(40035)
  if (msgtype === 'text') return { text: requireText(inner, 'content', 40035), files: [] }
  if (msgtype !== 'markdown') throw new DingtalkFailure(40035, 'msgtype is not supported')
  requireText(inner, 'title', 40035)
  return { text: requireText(inner, 'text', 40035), files: [] }
}

/** A picture that cannot be loaded is a message all the same. */
function imageContent(state: DingtalkState, photo: string): Content {
  const file = state.media.get(photo, state.clock.now())
  if (file !== null) return { text: '', files: [file] }
  return { text: /^https?:\/\//.test(photo) ? photo : '', files: [] }
}

function fileContent(state: DingtalkState, parameter: Fields): Content {
  const { bytes } = requireMedia(state, parameter, 'mediaId')
  if (!FILE_TYPES.has(parameter['fileType'])) throw new DingtalkFailure('invalidParameter', 'fileType is not supported')
  return { text: '', files: [{ name: requireText(parameter, 'fileName'), bytes }] }
}

function requireMedia(state: DingtalkState, parameter: Fields, name: string): ChatFile {
  const file = state.media.get(requireText(parameter, name), state.clock.now())
  if (file === null) throw new DingtalkFailure('invalidParameter', `${name} is invalid`)
  return file
}

function requireText(fields: Fields, name: string, code: string | number = 'invalidParameter'): string {
  const value = fields[name]
  if (typeof value !== 'string' || value.trim() === '') throw new DingtalkFailure(code, `${name} is empty`)
  return value
}
