import { isRecord, parseJson } from '../kit/http.ts'
import type { ChatFile } from '../kit/chat-store.ts'
import { type ApiCall, jsonReply, oldApiReply, type Reply, requireToken } from './call.ts'
import { DingtalkFailure } from './faults.ts'
import { type DingtalkState, directChatId } from './state.ts'

/** Maximum number of recipients of one call. */
const PEOPLE = 20
const PER_MINUTE = 20
const BLOCKED_MS = 10 * 60_000

/** Handles `POST /v1.0/robot/oToMessages/batchSend`, which succeeds even when its lists report failures. */
export function sendToPeople(call: ApiCall): Reply {
  const { state, fields, bytes } = call
  requireToken(call, 'api')
  requireRobot(call)
  checkSize(bytes)
  const userIds = Array.isArray(fields['userIds']) ? fields['userIds'].map(String) : []
  if (userIds.length === 0 || userIds.length > PEOPLE) throw new DingtalkFailure('invalidParameter', 'userIds')
  const { text, files } = parseTemplate(state, fields)
  const chatId = directChatId(userIds[0] ?? '')
  const kinds: ReadonlySet<string> = new Set(['invalid_users', 'flow_controlled_users'])
  const fault = state.faults.take('oToMessages.batchSend', chatId, ({ kind }) => kinds.has(kind))
  const isKnown = (id: string): boolean => state.people.get(id)?.isOutsider === false
  const reached = fault === null ? userIds.filter(isKnown) : []
  const key = state.nextId('pqk')
  for (const [index, userId] of reached.entries()) {
    const messageId = index === 0 ? key : `${key}:${userId}`
    state.chatStore.addBotMessage({ chatId: directChatId(userId), messageId, name: state.bot.name, text, files })
  }
  return jsonReply({
    processQueryKey: key,
    invalidStaffIdList: userIds.filter((id) => !isKnown(id) || fault?.kind === 'invalid_users'),
    flowControlledStaffIdList: fault?.kind === 'flow_controlled_users' ? userIds.filter(isKnown) : [],
  })
}

/** Handles `POST /v1.0/robot/groupMessages/send`. */
export function sendToGroup(call: ApiCall): Reply {
  const { state, fields, bytes } = call
  requireToken(call, 'api')
  requireRobot(call)
  checkSize(bytes)
  const { openConversationId: chatId } = fields
  if (typeof chatId !== 'string' || !state.groups.has(chatId)) {
    throw new DingtalkFailure('invalidParameter', 'openConversationId is invalid')
  }
  const content = parseTemplate(state, fields)
  const key = state.nextId('pqk')
  state.chatStore.addBotMessage({ chatId, messageId: key, name: state.bot.name, ...content })
  return jsonReply({ processQueryKey: key })
}

/** Handles `POST /robot/sendBySession`. Its messages have no id on the wire, so the emulator makes one. */
export function sendBySession({ state, target, fields, bytes }: ApiCall): Reply {
  const session = state.sessions.get(target.searchParams.get('session') ?? '')
  if (session === undefined || session.untilMs <= state.clock.now()) throw new DingtalkFailure(300001)
  checkSize(bytes)
  const content = parseWebhook(fields)
  countWebhook(state)
  state.chatStore.addBotMessage({
    chatId: session.chatId,
    messageId: state.nextId('webhook'),
    name: state.bot.name,
    ...content,
  })
  return oldApiReply()
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

/** Handles `POST /v1.0/robot/messageFiles/download`. */
export function createDownloadUrl(call: ApiCall): Reply {
  const { state, fields } = call
  requireToken(call, 'api')
  requireRobot(call)
  const code = String(fields['downloadCode'])
  if (state.downloads.get(code, state.clock.now()) === null) {
    throw new DingtalkFailure('invalidParameter', 'downloadCode is invalid')
  }
  return jsonReply({ downloadUrl: `${state.url}/files?code=${encodeURIComponent(code)}&Signature=made-up` })
}

/** Handles `GET /files`. The signature covers the headers, so an extra one breaks it. */
export function downloadFile({ state, target, headers }: ApiCall): Reply {
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

/** Handles `POST /v1.0/robot/handleEmotion/reply` and `/recall`: a reaction that serves as a typing indicator. */
export const handleEmotion =
  (isReply: boolean) =>
  (call: ApiCall): Reply => {
    const { state, fields } = call
    requireToken(call, 'api')
    requireRobot(call)
    const { openMsgId, openConversationId: chatId, emotionName } = fields
    const message = state.chatStore.findMessage(String(openMsgId))
    if (message === null || message.chatId !== chatId) throw new DingtalkFailure('invalidParameter', 'openMsgId')
    if (typeof emotionName !== 'string') throw new DingtalkFailure('invalidParameter', 'emotionName')
    // stays until it is recalled
    state.chatStore.setTyping(message.chatId, isReply ? 24 * 60 * 60_000 : 0)
    return jsonReply({ success: true })
  }

/** @throws {DingtalkFailure} when the robot isn't the app's */
function requireRobot({ state, fields }: ApiCall): void {
  if (fields['robotCode'] !== state.bot.id) throw new DingtalkFailure('resource.not.found')
}

type Fields = Readonly<Record<string, unknown>>

/** Content of a message. */
interface Content {
  readonly text: string
  readonly files: readonly ChatFile[]
}

/** Maximum size of a request body, in bytes. */
const BODY_BYTES = 20_000
const FILE_TYPES: ReadonlySet<unknown> = new Set(['doc', 'docx', 'xls', 'xlsx', 'ppt', 'pptx', 'pdf', 'zip', 'rar'])

/** Checks the size of a body. @throws {DingtalkFailure} 460101 */
function checkSize(bytes: Uint8Array): void {
  if (bytes.length > BODY_BYTES) throw new DingtalkFailure(460101)
}

/** Returns the content that `msgKey` and `msgParam` describe. @throws {DingtalkFailure} */
function parseTemplate(state: DingtalkState, fields: Fields): Content {
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
      return toImageContent(state, requireText(parameter, 'photoURL'))
    case 'sampleFile':
      return toFileContent(state, parameter)
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

/** Returns the content of a session webhook, which accepts text and Markdown only. @throws {DingtalkFailure} */
function parseWebhook(fields: Fields): Content {
  const { msgtype } = fields
  const inner = typeof msgtype === 'string' && isRecord(fields[msgtype]) ? fields[msgtype] : null
  if (inner === null) throw new DingtalkFailure(40035)
  if (msgtype === 'text') return { text: requireText(inner, 'content', 40035), files: [] }
  if (msgtype !== 'markdown') throw new DingtalkFailure(40035, 'msgtype is not supported')
  requireText(inner, 'title', 40035)
  return { text: requireText(inner, 'text', 40035), files: [] }
}

/** An image that can't be loaded still makes a message. */
function toImageContent(state: DingtalkState, photo: string): Content {
  const file = state.media.get(photo, state.clock.now())
  if (file !== null) return { text: '', files: [file] }
  return { text: /^https?:\/\//.test(photo) ? photo : '', files: [] }
}

function toFileContent(state: DingtalkState, parameter: Fields): Content {
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
