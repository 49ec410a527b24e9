import { addChat, type BotState, type ChatState, emit, nextMessageId, type Obstacle, storeMessage } from '../state.ts'
import type { Chat, User, Message } from '../wire.ts'

/** A person, by id alone or with more to show. */
export type PersonSpec =
  | number
  | {
      readonly id: number
      readonly first_name?: string
      readonly last_name?: string
      readonly username?: string
      readonly language_code?: string
      /** For a message of another bot. */
      readonly is_bot?: boolean
    }

/** A group, by id alone (made when it does not exist) or with more to show. */
export type GroupSpec =
  | number
  | {
      /** Negative; -100… for a supergroup. */
      readonly id: number
      readonly title?: string
      readonly username?: string
      /** Default: by the id. */
      readonly type?: 'group' | 'supergroup' | 'channel'
      readonly is_forum?: boolean
    }

/** The person, made when the bot never heard of them. */
export function person(bot: BotState, spec: PersonSpec): User {
  const given = typeof spec === 'number' ? { id: spec } : spec
  const known = bot.people.get(given.id)
  if (known && typeof spec === 'number') return known
  const user: User = { is_bot: false, first_name: `User ${given.id}`, ...known, ...given }
  bot.people.set(user.id, user)
  return user
}

/** The private chat with a person, made when they write for the first time. */
export function privateChat(bot: BotState, user: User): ChatState {
  const known = bot.chats.get(user.id)
  if (known) return known
  const { id, first_name, last_name, username } = user
  return addChat(bot, {
    id,
    type: 'private',
    first_name,
    ...(last_name !== undefined && { last_name }),
    ...(username !== undefined && { username }),
  })
}

/** @throws {RangeError} for an id that no group has */
export function group(bot: BotState, spec: GroupSpec): ChatState {
  const given = typeof spec === 'number' ? { id: spec } : spec
  if (!(given.id < 0)) throw new RangeError('The id of a group is negative')
  const known = bot.chats.get(given.id)
  if (known) return known
  const { is_forum, ...rest } = given
  const chat: Chat = {
    type: String(given.id).startsWith('-100') ? 'supergroup' : 'group',
    title: `Group ${-given.id}`,
    ...rest,
    ...(is_forum && { is_forum: true }),
  }
  return addChat(bot, chat)
}

/** A chat that exists. @throws {RangeError} */
export function existingChat(bot: BotState, chatId: number): ChatState {
  const chat = bot.chats.get(chatId)
  if (!chat) throw new RangeError(`The bot has no chat ${chatId}`)
  return chat
}

/** Changes whether the bot can write to a chat and tells it by `my_chat_member`, when the platform does. */
export function changeMembership(bot: BotState, chat: ChatState, obstacle: Obstacle, by: User, isTold = true): void {
  const before = chat.obstacle
  if (before === obstacle) return
  chat.obstacle = obstacle
  emit(bot, { type: 'chat', chatId: chat.chat.id })
  if (!isTold) return
  const member = (status: string): { user: User; status: string } => ({ user: bot.user, status })
  bot.updates.add({
    my_chat_member: {
      chat: chat.chat,
      from: by,
      date: Math.floor(bot.clock.now() / 1000),
      old_chat_member: member(isOut(before) ? 'kicked' : 'member'),
      new_chat_member: member(isOut(obstacle) ? 'kicked' : 'member'),
    },
  })
}

const isOut = (obstacle: Obstacle): boolean => obstacle === 'blocked' || obstacle === 'kicked'

/** The private chat's user. @throws {RangeError} for a group */
export function privateChatAndUser(bot: BotState, chatId: number): readonly [ChatState, User] {
  const chat = existingChat(bot, chatId)
  if (chat.chat.type !== 'private') throw new RangeError(`Chat ${chatId} is a group: use kick`)
  return [chat, person(bot, chatId)]
}

/** Upgrades a group: service messages on both sides, and the old id answers with the new one. */
export function migrateGroup(bot: BotState, options: { chatId: number; by: PersonSpec; to?: number }): number {
  const old = existingChat(bot, options.chatId)
  if (old.chat.type !== 'group') throw new RangeError(`Chat ${options.chatId} is no basic group`)
  const from = person(bot, options.by)
  const to = options.to ?? Number(`-100${1_000_000_000 + Math.abs(options.chatId)}`)
  const next = addChat(bot, { ...old.chat, id: to, type: 'supergroup' } satisfies Chat)
  next.botIsAdmin = old.botIsAdmin
  tell(bot, old, from, { migrate_to_chat_id: to })
  old.migratedTo = to
  tell(bot, next, from, { migrate_from_chat_id: options.chatId })
  return to
}

function tell(bot: BotState, chat: ChatState, from: User, content: Partial<Message>): void {
  const date = Math.floor(bot.clock.now() / 1000)
  const message: Message = { message_id: nextMessageId(bot, chat), date, chat: chat.chat, from, ...content }
  storeMessage(bot, chat, message, '')
  bot.updates.add({ message })
}
