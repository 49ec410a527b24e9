import { withDetectedEntities } from '../entities/finish.ts'
import { toMediaFields } from '../files.ts'
import { type BotState, type ChatState, nextMessageId, replaceMessage, storeMessage, withoutReply } from '../state.ts'
import type { Message, MessageEntity, User } from '../wire.ts'
import { requireChat, type GroupSpec, group, type PersonSpec, person, privateChat } from './people.ts'

/** A file that a user sends. */
export interface FileSpec {
  readonly name?: string
  readonly mimeType?: string
  /** Content. Default: a few bytes. */
  readonly base64?: string
  /** Size that the platform reports, in bytes. Default: that of the content. */
  readonly size?: number
}

/** A user's message: exactly one of text, photo, document, voice, audio, video, album. */
export interface SayOptions {
  readonly bot?: number
  readonly from: PersonSpec
  /** A group; default: the private chat. */
  readonly chat?: GroupSpec
  readonly text?: string
  /** Default: those that the platform detects (mentions, commands, links). */
  readonly entities?: readonly MessageEntity[]
  readonly photo?: FileSpec
  readonly document?: FileSpec
  readonly voice?: FileSpec
  readonly audio?: FileSpec
  readonly video?: FileSpec
  /** Two or more photos with one media_group_id; the caption goes to the first. */
  readonly album?: readonly FileSpec[]
  readonly caption?: string
  /** Id of the message to reply to. */
  readonly replyTo?: number
  /** Quoted part of that message. */
  readonly quote?: string
  /** Topic of a forum. */
  readonly topic?: number
}

/** Result of `say`. */
export interface SayResult {
  readonly chatId: number
  readonly messageId: number
  /** `null` when privacy mode or `allowed_updates` withheld it from the bot. */
  readonly updateId: number | null
  /** Ids of all messages of an album. */
  readonly messageIds: readonly number[]
  readonly updateIds: readonly number[]
}

const KINDS = ['photo', 'document', 'voice', 'audio', 'video'] as const

const FOLDERS = {
  photo: 'photos',
  document: 'documents',
  voice: 'voice',
  audio: 'music',
  video: 'videos',
} as const

/** Sends a message as a user. @throws {RangeError} when the options are invalid */
export function say(bot: BotState, options: SayOptions): SayResult {
  const from = person(bot, options.from)
  const chat = options.chat === undefined ? privateChat(bot, from) : group(bot, options.chat)
  if (chat.obstacle === 'not_started' && chat.chat.type === 'private') chat.obstacle = 'none'
  const contents = readContents(bot, options)
  const placement = toPlacement(chat, options)
  const posted = contents.map((content) => postUserMessage(bot, chat, from, { ...placement, ...content }))
  const [first] = posted
  if (!first) throw new RangeError('A message needs a text, a file or an album')
  return {
    chatId: chat.chat.id,
    ...first,
    messageIds: posted.map(({ messageId }) => messageId),
    updateIds: posted.flatMap(({ updateId }) => (updateId === null ? [] : [updateId])),
  }
}

function readContents(bot: BotState, options: SayOptions): readonly Partial<Message>[] {
  const caption = options.caption === undefined ? {} : toCaptionFields(options.caption, options.entities)
  if (options.album) {
    const media_group_id = `${bot.clock.now()}${bot.received.last}`
    return options.album.map((file, index) => ({
      media_group_id,
      ...toMediaFields(bot.files, 'photo', storeFile(bot, 'photo', file)),
      ...(index === 0 ? caption : {}),
    }))
  }
  for (const kind of KINDS) {
    const file = options[kind]
    if (file) return [{ ...toMediaFields(bot.files, kind, storeFile(bot, kind, file)), ...caption }]
  }
  if (options.text === undefined || options.text.trim() === '') return []
  const { text, entities } = options.entities
    ? { text: options.text, entities: options.entities }
    : withDetectedEntities({ text: options.text, entities: [] })
  return [entities.length > 0 ? { text, entities } : { text }]
}

function toCaptionFields(caption: string, given: readonly MessageEntity[] | undefined): Partial<Message> {
  const entities = given ?? withDetectedEntities({ text: caption, entities: [] }).entities
  return entities.length > 0 ? { caption, caption_entities: entities } : { caption }
}

function storeFile(bot: BotState, kind: keyof typeof FOLDERS, file: FileSpec): ReturnType<BotState['files']['add']> {
  const bytes = Buffer.from(file.base64 ?? Buffer.from(`made-up ${kind}`).toString('base64'), 'base64')
  return bot.files.add({
    kind: FOLDERS[kind],
    name: file.name ?? `${kind}.bin`,
    mimeType: file.mimeType ?? DEFAULT_TYPES[kind],
    bytes,
    size: file.size,
  })
}

const DEFAULT_TYPES = {
  photo: 'image/jpeg',
  document: 'application/octet-stream',
  voice: 'audio/ogg',
  audio: 'audio/mpeg',
  video: 'video/mp4',
} as const

function toPlacement(chat: ChatState, { replyTo, quote, topic }: SayOptions): Partial<Message> {
  if (topic !== undefined) chat.topics.add(topic)
  const answered = replyTo === undefined ? undefined : chat.messages.get(replyTo)
  if (replyTo !== undefined && !answered) throw new RangeError(`There is no message ${replyTo} in this chat`)
  const position = quote === undefined ? -1 : (answered?.message.text ?? answered?.message.caption ?? '').indexOf(quote)
  return {
    ...(topic !== undefined && { message_thread_id: topic, is_topic_message: true }),
    ...(answered && { reply_to_message: withoutReply(answered.message) }),
    ...(quote !== undefined && position >= 0 && { quote: { text: quote, position } }),
  }
}

type PostedMessage = Pick<SayResult, 'messageId' | 'updateId'>

function postUserMessage(bot: BotState, chat: ChatState, from: User, content: Partial<Message>): PostedMessage {
  const message: Message = {
    message_id: nextMessageId(bot, chat),
    date: Math.floor(bot.clock.now() / 1000),
    chat: chat.chat,
    from,
    ...content,
  }
  storeMessage(bot, chat, message, '')
  const updateId = isForBot(bot, chat, message) ? bot.updates.add({ message }) : null
  return { messageId: message.message_id, updateId }
}

/** Whether the bot gets a message: with privacy mode, only commands, mentions and replies in groups. */
function isForBot(bot: BotState, chat: ChatState, message: Message): boolean {
  if (chat.obstacle === 'kicked' || chat.obstacle === 'blocked' || chat.obstacle === 'deactivated') return false
  if (chat.chat.type === 'private' || bot.canReadAllGroupMessages || chat.botIsAdmin) return true
  if (message.reply_to_message?.from?.id === bot.user.id) return true
  const text = message.text ?? message.caption ?? ''
  const username = `@${bot.user.username ?? ''}`.toLowerCase()
  return (message.entities ?? message.caption_entities ?? []).some((entity) => {
    const part = text.slice(entity.offset, entity.offset + entity.length).toLowerCase()
    if (entity.type === 'mention') return part === username
    if (entity.type === 'text_mention') return entity.user?.id === bot.user.id
    return entity.type === 'bot_command' && (!part.includes('@') || part.endsWith(username))
  })
}

/** Edits the text or caption of a user's message. @throws {RangeError} when it isn't a user's message */
export function editUserMessage(
  bot: BotState,
  options: { readonly chatId: number; readonly messageId: number; readonly text: string },
): { readonly updateId: number | null } {
  const chat = requireChat(bot, options.chatId)
  const stored = chat.messages.get(options.messageId)
  if (!stored || stored.message.from?.id === bot.user.id) throw new RangeError("That isn't a user's message")
  const { entities: _entities, caption_entities: _captionEntities, ...rest } = stored.message
  const changed = rest.text === undefined ? toCaptionFields(options.text, undefined) : toTextFields(options.text)
  const message: Message = { ...rest, ...changed, edit_date: Math.floor(bot.clock.now() / 1000) }
  replaceMessage(bot, stored, message)
  return { updateId: isForBot(bot, chat, message) ? bot.updates.add({ edited_message: message }) : null }
}

function toTextFields(text: string): Partial<Message> {
  const { entities } = withDetectedEntities({ text, entities: [] })
  return entities.length > 0 ? { text, entities } : { text }
}
