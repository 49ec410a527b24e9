import { isRecord } from '../../kit/http.ts'
import { badRequest, webhookActive } from '../failure.ts'
import { emit } from '../state.ts'
import type { Update } from '../wire.ts'
import { readChat, readWritableChat, type Method, type Call } from './target.ts'
import { getFile, sendMedia, sendMediaGroup } from './media.ts'
import { editMessageCaption, editMessageText, sendMessage, sendMessageDraft, sendRichMessage } from './text.ts'

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

/** How long a message can be deleted, in ms. */
const DELETE_WINDOW_MS = 48 * 60 * 60_000

function sendChatAction(call: Call): true {
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

function setMessageReaction(call: Call): true {
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

function deleteMessage(call: Call): true {
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

const getMe = ({ bot }: Call): Readonly<Record<string, unknown>> => ({
  ...bot.user,
  can_join_groups: true,
  can_read_all_group_messages: bot.canReadAllGroupMessages,
  supports_inline_queries: false,
  can_connect_to_business: false,
  has_main_web_app: false,
})

function setMyCommands({ bot, parameters }: Call): true {
  bot.commands = parameters.array('commands') ?? []
  return true
}

function deleteMyCommands({ bot }: Call): true {
  bot.commands = []
  return true
}

const getMyCommands = ({ bot }: Call): readonly unknown[] => bot.commands

const getChat = (call: Call): unknown => ({ ...readChat(call).chat, accent_color_id: 0, max_reaction_count: 11 })

async function getUpdates({ bot, parameters, gone }: Call): Promise<readonly Update[]> {
  if (bot.webhookUrl !== '') throw webhookActive()
  const limit = parameters.integer('limit') ?? 100
  const allowed = parameters.array('allowed_updates')
  return bot.updates.poll(
    {
      offset: parameters.integer('offset') ?? 0,
      limit: limit < 1 || limit > 100 ? 100 : limit,
      timeoutSeconds: parameters.integer('timeout') ?? 0,
      allowed: allowed?.filter((type) => typeof type === 'string') ?? null,
    },
    gone,
  )
}

function setWebhook({ bot, parameters }: Call): true {
  const url = parameters.text('url')
  if (url !== '' && !url.startsWith('https://')) {
    throw badRequest('bad webhook: An HTTPS URL must be provided for webhook')
  }
  bot.webhookUrl = url
  if (parameters.flag('drop_pending_updates')) bot.updates.drop()
  emit(bot, { type: 'polling', waiting: bot.updates.isHeld })
  return true
}

function deleteWebhook({ bot, parameters }: Call): true {
  bot.webhookUrl = ''
  if (parameters.flag('drop_pending_updates')) bot.updates.drop()
  return true
}

const getWebhookInfo = ({ bot }: Call): Readonly<Record<string, unknown>> => ({
  url: bot.webhookUrl,
  has_custom_certificate: false,
  pending_update_count: bot.updates.pending.length,
})

/** Methods by name in lower case. */
const METHODS: Readonly<Record<string, Method>> = {
  getme: getMe,
  getupdates: getUpdates,
  setwebhook: setWebhook,
  deletewebhook: deleteWebhook,
  getwebhookinfo: getWebhookInfo,
  sendmessage: sendMessage,
  editmessagetext: editMessageText,
  editmessagecaption: editMessageCaption,
  deletemessage: deleteMessage,
  sendmessagedraft: sendMessageDraft,
  sendrichmessage: sendRichMessage,
  sendrichmessagedraft: sendMessageDraft,
  sendchataction: sendChatAction,
  setmessagereaction: setMessageReaction,
  sendphoto: sendMedia('photo'),
  senddocument: sendMedia('document'),
  sendvoice: sendMedia('voice'),
  sendaudio: sendMedia('audio'),
  sendvideo: sendMedia('video'),
  sendmediagroup: sendMediaGroup,
  getfile: getFile,
  getchat: getChat,
  setmycommands: setMyCommands,
  getmycommands: getMyCommands,
  deletemycommands: deleteMyCommands,
}

const NEWER: ReadonlySet<string> = new Set(['sendmessagedraft', 'sendrichmessage', 'sendrichmessagedraft'])

/** Returns the method with this lowercase name. `oldServer`: without drafts and rich messages. */
export function findMethod(name: string, oldServer: boolean): Method | undefined {
  return Object.hasOwn(METHODS, name) && !(oldServer && NEWER.has(name)) ? METHODS[name] : undefined
}
