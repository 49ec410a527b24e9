import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../kit/http.ts'
import { scalarLength } from '../entities/finish.ts'
import { readFormatted } from '../entities/format.ts'
import { badRequest } from '../failure.ts'
import type { Parameters } from '../parameters.ts'
import {
  type BotState,
  type ChatState,
  emit,
  nextMessageId,
  replaceMessage,
  type StoredMessage,
  storeMessage,
} from '../state.ts'
import type { FormattedText, Message, RichMessage } from '../wire.ts'
import { type Call, readChat, readMarkup, readPlacement, readWritableChat } from './target.ts'

const NOT_MODIFIED =
  'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message'

/** Posts a message of the bot, which ends the chat's drafts. */
export function post(call: Call, chat: ChatState, content: Partial<Message>): Message {
  const { bot, method } = call
  const message: Message = {
    message_id: nextMessageId(bot, chat),
    from: bot.user,
    chat: chat.chat,
    date: Math.floor(bot.clock.now() / 1000),
    ...content,
  }
  if (chat.drafts.size > 0) chat.drafts.clear()
  return storeMessage(bot, chat, message, method).message
}

/** Handles `sendMessage`. */
export function sendMessage(call: Call): Message {
  const chat = readWritableChat(call)
  const formatted = readFormatted(call.parameters, 'text')
  if (formatted.text === '') throw badRequest('message text is empty')
  return post(call, chat, {
    ...readPlacement(call.parameters, chat),
    ...toTextFields(formatted),
    ...readMarkup(call.parameters),
  })
}

/** Handles `sendRichMessage`. */
export function sendRichMessage(call: Call): Message {
  const chat = readWritableChat(call)
  const rich = readRich(call.parameters)
  if (rich === null) throw badRequest('rich_message is empty')
  return post(call, chat, { ...readPlacement(call.parameters, chat), rich_message: rich })
}

/** Returns the fields of a text; no `entities` when there are none. */
const toTextFields = ({ text, entities }: FormattedText): Partial<Message> =>
  entities.length === 0 ? { text } : { text, entities }

/** Handles `editMessageText`. */
export function editMessageText(call: Call): Message {
  const { bot, parameters } = call
  const chat = readWritableChat(call)
  const stored = readOwnMessage(bot, chat, parameters)
  const { text: _text, entities: _entities, rich_message: _rich, reply_markup: _markup, ...rest } = stored.message
  const rich = bot.oldServer ? null : readRich(parameters)
  const formatted = rich === null ? readFormatted(parameters, 'text') : null
  if (formatted?.text === '') throw badRequest('message text is empty')
  if (stored.message.text === undefined && stored.message.rich_message === undefined) {
    throw badRequest('there is no text in the message to edit')
  }
  return replaceIfChanged(call, stored, {
    ...rest,
    ...(formatted ? toTextFields(formatted) : {}),
    ...(rich ? { rich_message: rich } : {}),
    ...readMarkup(parameters),
  })
}

/** Handles `editMessageCaption`. */
export function editMessageCaption(call: Call): Message {
  const chat = readWritableChat(call)
  const stored = readOwnMessage(call.bot, chat, call.parameters)
  const { caption: _caption, caption_entities: _entities, reply_markup: _markup, ...rest } = stored.message
  if (rest.text !== undefined) throw badRequest('there is no caption in the message to edit')
  const { text, entities } = readFormatted(call.parameters, 'caption')
  return replaceIfChanged(call, stored, {
    ...rest,
    ...(text !== '' && { caption: text }),
    ...(entities.length > 0 && { caption_entities: entities }),
    ...readMarkup(call.parameters),
  })
}

function replaceIfChanged({ bot }: Call, stored: StoredMessage, changed: Message): Message {
  const { edit_date: _before, ...before } = stored.message
  const { edit_date: _after, ...after } = changed
  if (isDeepStrictEqual(before, after)) throw badRequest(NOT_MODIFIED)
  const message = { ...after, edit_date: Math.floor(bot.clock.now() / 1000) }
  replaceMessage(bot, stored, message)
  return message
}

function readOwnMessage(bot: BotState, chat: ChatState, parameters: Parameters): StoredMessage {
  const stored = chat.messages.get(parameters.integer('message_id') ?? 0)
  if (stored === undefined || stored.deleted) throw badRequest('message to edit not found')
  if (stored.message.from?.id !== bot.user.id) throw badRequest("message can't be edited")
  return stored
}

/** Handles `sendMessageDraft`: shows or updates a streaming draft in a private chat. */
export function sendMessageDraft(call: Call): true {
  const { bot, parameters, method } = call
  const chat = readChat(call)
  if (chat.chat.type !== 'private') throw badRequest('method is available only in private chats')
  if (chat.obstacle !== 'none') readWritableChat(call)
  const draftId = parameters.integer('draft_id') ?? 0
  if (draftId === 0) throw badRequest('draft_id must be non-zero')
  const rich = method === 'sendrichmessagedraft' ? readRich(parameters) : null
  const { text, entities } = rich ? { text: '', entities: [] } : readFormatted(parameters, 'text')
  const now = bot.clock.now()
  for (const [id, draft] of chat.drafts) if (draft.expiresAtMs <= now) chat.drafts.delete(id)
  const updates = (chat.drafts.get(draftId)?.updates ?? 0) + 1
  const expiresAtMs = now + bot.draftLifeMs
  chat.drafts.set(draftId, { draftId, text, entities, rich: rich ?? undefined, updates, expiresAtMs })
  emit(bot, { type: 'draft', chatId: chat.chat.id, draftId })
  return true
}

/** Maximum length of a rich message: Unicode scalars of its source, or of the texts in its blocks. */
const SCALAR_LIMIT = 32_768
const BLOCK_LIMIT = 500

/**
 * Returns the rich message of a call, unparsed, or `null`. The documentation gives the limits, but neither the error text
 * nor whether nested blocks count; here they do.
 * @throws {TelegramFailure} 400 when it has none of the three forms, or is too long
 */
function readRich(parameters: Parameters): RichMessage | null {
  const given = parameters.object('rich_message')
  if (given === undefined) return null
  const { markdown, html, blocks } = given
  for (const source of [markdown, html]) if (typeof source === 'string') checkLimit(scalarLength(source), SCALAR_LIMIT)
  if (typeof markdown === 'string' && markdown.trim() !== '') return { markdown }
  if (typeof html === 'string' && html.trim() !== '') return { html }
  if (!Array.isArray(blocks) || blocks.length === 0 || !blocks.every(isRecord))
    throw badRequest('rich_message is empty')
  const size = measureBlocks(blocks)
  checkLimit(size.scalars, SCALAR_LIMIT)
  checkLimit(size.blocks, BLOCK_LIMIT)
  return { blocks }
}

function checkLimit(size: number, most: number): void {
  if (size > most) throw badRequest('message is too long')
}

interface Size {
  readonly scalars: number
  readonly blocks: number
}

/** Counts objects with a `type` in lists of `blocks`, and the length of strings named `text`. */
function measureBlocks(blocks: readonly unknown[]): Size {
  let scalars = 0
  let count = 0
  const open: { readonly value: unknown; readonly name: string }[] = blocks.map((value) => ({ value, name: 'blocks' }))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, name } = next
    if (typeof value === 'string' && name === 'text') scalars += scalarLength(value)
    if (Array.isArray(value)) for (const item of value) open.push({ value: item, name })
    if (!isRecord(value)) continue
    if (name === 'blocks') count++
    for (const [key, member] of Object.entries(value)) open.push({ value: member, name: key })
  }
  return { scalars, blocks: count }
}
