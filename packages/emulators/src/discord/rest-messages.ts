import { isRecord } from '../kit/http.ts'
import { DiscordFailure, emptyMessage, invalidForm, tooLarge, unknownMessage } from './failure.ts'
import type { DiscordMessage, StoredAttachment } from './messages.ts'
import type { DiscordChannel } from './people.ts'
import type { RestAnswer, RestCall, RestMethod } from './rest-call.ts'
import { allowsContent, deleteEvent, type DiscordState, messageEvent, nonceFields } from './state.ts'

const MESSAGES = '/channels/:channel/messages'

/** Methods for messages. */
export const MESSAGE_METHODS: readonly RestMethod[] = [
  { name: 'messages.list', by: 'GET', path: MESSAGES, run: list },
  { name: 'messages.create', by: 'POST', path: MESSAGES, run: create },
  {
    name: 'messages.get',
    by: 'GET',
    path: `${MESSAGES}/:message`,
    run: (call) => toAnswer(call.state, requireMessage(call)),
  },
  { name: 'messages.edit', by: 'PATCH', path: `${MESSAGES}/:message`, run: edit },
  { name: 'messages.delete', by: 'DELETE', path: `${MESSAGES}/:message`, run: remove },
]

const CONTENT_LIMIT = 2_000
const NONCE_LIMIT = 25

/** Returns the channel that a path names. @throws {DiscordFailure} 10003 */
export const findChannel = ({ state, path }: RestCall): DiscordChannel => state.people.channel(path['channel'] ?? '')
/** Returns the message that a path names. @throws {DiscordFailure} 10003 or 10008 */
export const requireMessage = (call: RestCall): DiscordMessage =>
  call.state.messages.get(findChannel(call).id, call.path['message'] ?? '')

const toFields = (state: DiscordState, message: DiscordMessage): Readonly<Record<string, unknown>> =>
  state.messages.fields(message, state.people.bot, allowsContent(state))
const toAnswer = (state: DiscordState, message: DiscordMessage): RestAnswer => ({ value: toFields(state, message) })
const toSentAnswer = (state: DiscordState, message: DiscordMessage): RestAnswer => ({
  value: { ...toFields(state, message), ...nonceFields(message) },
})

function list(call: RestCall): RestAnswer {
  const { state, query } = call
  const channel = findChannel(call)
  const limit = Number(query.get('limit') ?? 50)
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw invalidForm('limit', 'NUMBER_TYPE_MAX', 'int value should be between 1 and 100.')
  const by = (['around', 'before', 'after'] as const).find((name) => query.has(name)) ?? null
  const id = by === null ? '' : (query.get(by) ?? '')
  if (by !== null && !/^\d{1,20}$/.test(id))
    throw invalidForm(by, 'NUMBER_TYPE_COERCE', `Value "${id}" is not snowflake.`)
  return { value: state.messages.page(channel.id, by, id, limit).map((message) => toFields(state, message)) }
}

function create(call: RestCall): RestAnswer {
  const { state, body, files } = call
  const channel = findChannel(call)
  const content = parseContent(body['content'])
  const nonce = parseNonce(body['nonce'])
  const embeds = Array.isArray(body['embeds']) ? body['embeds'] : []
  if (content.trim() === '' && embeds.length === 0 && files.length === 0) throw emptyMessage()
  const { bot } = state.people
  const sinceMs = state.clock.now() - state.settings.nonceMs
  const before =
    nonce !== null && body['enforce_nonce'] === true ? state.messages.withNonce(channel.id, bot, nonce, sinceMs) : null
  if (before) return toSentAnswer(state, before)
  const referenceId = parseReference(state, channel, body['message_reference'])
  const attachments = storeAttachments(call, channel)
  const message: DiscordMessage = {
    id: state.ids.next(),
    channel,
    author: bot,
    content,
    atMs: state.clock.now(),
    editedAtMs: null,
    mentions: [],
    attachments: attachments.map(({ stored }) => stored),
    embeds,
    referenceId,
    flags: Number(body['flags'] ?? 0),
    nonce,
  }
  state.messages.add(message)
  state.chatStore.addBotMessage({
    chatId: channel.id,
    messageId: message.id,
    name: bot.username,
    text: content,
    replyTo: referenceId,
    files: attachments.map(({ stored, bytes }) => ({ name: stored.name, bytes })),
  })
  state.chatStore.setTyping(channel.id, 0)
  state.gateway.dispatch(messageEvent(state, 'MESSAGE_CREATE', message))
  return toSentAnswer(state, message)
}

/** @throws {DiscordFailure} 50035 when it isn't text or too long */
function parseContent(content: unknown): string {
  if (content === undefined || content === null) return ''
  if (typeof content !== 'string') throw invalidForm('content', 'STRING_TYPE_CONVERT', 'Could not interpret as string.')
  if (Array.from(content).length > CONTENT_LIMIT)
    throw invalidForm('content', 'BASE_TYPE_MAX_LENGTH', `Must be ${CONTENT_LIMIT} or fewer in length.`)
  return content
}

function parseNonce(nonce: unknown): string | number | null {
  if (nonce === undefined || nonce === null) return null
  if (typeof nonce === 'number' && Number.isInteger(nonce)) return nonce
  if (typeof nonce !== 'string')
    throw invalidForm('nonce', 'NONCE_TYPE_INVALID', 'Nonce must be a string or an integer.')
  if (nonce.length > NONCE_LIMIT)
    throw invalidForm('nonce', 'BASE_TYPE_MAX_LENGTH', `Must be ${NONCE_LIMIT} or fewer in length.`)
  return nonce
}

/** Returns the id of the message replied to, or `null` when there is none or it may be missing. */
function parseReference(state: DiscordState, channel: DiscordChannel, reference: unknown): string | null {
  if (!isRecord(reference)) return null
  const id = String(reference['message_id'])
  if (state.messages.find(channel.id, id)) return id
  if (reference['fail_if_not_exists'] === false) return null
  throw invalidForm('message_reference', 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message')
}

function edit(call: RestCall): RestAnswer {
  const { state, body } = call
  const message = requireMessage(call)
  if (message.author.id !== state.people.bot.id)
    throw new DiscordFailure(403, 50_005, 'Cannot edit a message authored by another user')
  const content = body['content'] === undefined ? message.content : parseContent(body['content'])
  const embeds = Array.isArray(body['embeds']) ? body['embeds'] : message.embeds
  if (content.trim() === '' && embeds.length === 0 && message.attachments.length === 0) throw emptyMessage()
  message.content = content
  message.embeds = embeds
  message.editedAtMs = state.clock.now()
  state.chatStore.replaceBotText(message.id, content)
  state.gateway.dispatch(messageEvent(state, 'MESSAGE_UPDATE', message))
  return toAnswer(state, message)
}

function remove(call: RestCall): RestAnswer {
  const { state } = call
  const message = requireMessage(call)
  const { channel, author } = message
  if (author.id !== state.people.bot.id) {
    if (channel.type === 1) throw new DiscordFailure(403, 50_003, 'Cannot execute action on a DM channel')
    throw new DiscordFailure(403, 50_013, 'Missing Permissions')
  }
  state.messages.remove(message)
  if (!state.chatStore.removeMessage(message.id)) throw unknownMessage()
  state.gateway.dispatch(deleteEvent(message))
  return null
}

const FILE_BYTES = 10 * 1024 * 1024
const REQUEST_BYTES = 25 * 1024 * 1024
const FILES = 10

/** Stores the files `files[n]` of a form, named by `attachments` in its `payload_json`. @throws {DiscordFailure} */
function storeAttachments(
  { state, body, files }: RestCall,
  channel: DiscordChannel,
): readonly { readonly stored: StoredAttachment; readonly bytes: Uint8Array }[] {
  const sizes = files.map(({ bytes }) => bytes.length)
  if (sizes.some((size) => size > FILE_BYTES) || sizes.reduce((sum, size) => sum + size, 0) > REQUEST_BYTES)
    throw tooLarge()
  if (files.length > FILES) throw invalidForm('files', 'BASE_TYPE_MAX_LENGTH', `Must be ${FILES} or fewer in length.`)
  const listed = Array.isArray(body['attachments']) ? body['attachments'].filter(isRecord) : []
  return files.map(({ name, fileName, mimeType, bytes }) => {
    const number = /^files\[(\d+)\]$/.exec(name)?.[1]
    const named = listed.find(({ id }) => String(id) === number)?.['filename']
    const stored: StoredAttachment = {
      id: state.ids.next(),
      channelId: channel.id,
      name: typeof named === 'string' ? named : (fileName ?? 'file'),
      mimeType,
      size: bytes.length,
      kind: mimeType.startsWith('image/') ? 'image' : 'other',
    }
    state.attachments.put(stored, bytes)
    return { stored, bytes }
  })
}
