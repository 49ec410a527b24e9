import { badRequest } from '../failure.ts'
import { isRecord } from '../../kit/body.ts'
import { emit } from '../state.ts'
import type { Call } from './call.ts'
import { readChat, readWritableChat } from './target.ts'

const ACTIONS: ReadonlySet<string> = new Set([
  'typing',
  'upload_photo',
  'record_video',
  'upload_video',
  'record_voice',
  'upload_voice',
  'upload_document',
  'choose_sticker',
  'find_location',
  'record_video_note',
  'upload_video_note',
])

/** A message can be deleted for this long, ms. */
const DELETE_WINDOW_MS = 48 * 60 * 60_000

export function sendChatAction(call: Call): true {
  const { bot, parameters } = call
  const chat = readChat(call)
  if (chat.obstacle !== 'none') readWritableChat(call)
  const action = parameters.text('action').toLowerCase()
  if (!ACTIONS.has(action)) throw badRequest('wrong parameter action in request')
  const threadId = parameters.integer('message_thread_id') ?? null
  bot.actions.push({ chatId: chat.chat.id, threadId, action, atMs: bot.clock.now() })
  emit(bot, { type: 'chat_action', chatId: chat.chat.id, action })
  return true
}

export function setMessageReaction(call: Call): true {
  const { bot, parameters } = call
  const chat = readChat(call)
  const stored = chat.messages.get(parameters.integer('message_id') ?? 0)
  if (stored === undefined || stored.deleted) throw badRequest('message to react not found')
  const reactions = parameters.array('reaction') ?? []
  if (!reactions.every((reaction) => isRecord(reaction) && typeof reaction['type'] === 'string')) {
    throw badRequest('REACTION_INVALID')
  }
  stored.reactions = reactions
  emit(bot, { type: 'reaction', chatId: chat.chat.id, messageId: stored.message.message_id })
  return true
}

export function deleteMessage(call: Call): true {
  const { bot, parameters } = call
  const chat = readChat(call)
  const stored = chat.messages.get(parameters.integer('message_id') ?? 0)
  if (stored === undefined || stored.deleted) throw badRequest('message to delete not found')
  const isOwn = stored.message.from?.id === bot.user.id
  const isAllowed = isOwn || chat.chat.type === 'private' || chat.botIsAdmin
  if (!isAllowed || bot.clock.now() - stored.atMs > DELETE_WINDOW_MS) throw badRequest("message can't be deleted")
  stored.deleted = true
  emit(bot, { type: 'deleted', chatId: chat.chat.id, messageId: stored.message.message_id })
  return true
}
