import { addChat, type BotState, type ChatState, emit, nextMessageId, type Obstacle, storeMessage } from '../state.ts'
import type { Chat, User, Message } from '../wire.ts'

/** A person: an id, optionally with a profile. */
export type PersonSpec =
  | number
  | {
      readonly id: number
      readonly first_name?: string
      readonly last_name?: string
      readonly username?: string
      readonly language_code?: string
      /** Whether it is another bot. */
      readonly is_bot?: boolean
    }

/** A group: an id, optionally with a profile. Created on first use. */
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

/** Returns a person, created on first use. */
export function person(bot: BotState, spec: PersonSpec): User {
  const given = typeof spec === 'number' ? { id: spec } : spec
  const known = bot.people.get(given.id)
  if (known && typeof spec === 'number') return known
  const user: User = { is_bot: false, first_name: `User ${given.id}`, ...known, ...given }
  bot.people.set(user.id, user)
  return user
}

/** Returns the private chat with a person, created on first use. */
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

/** Returns a group, created on first use. @throws {RangeError} when the id isn't negative */
export function group(bot: BotState, spec: GroupSpec): ChatState {
  const given = typeof spec === 'number' ? { id: spec } : spec
  if (!(given.id < 0)) throw new RangeError('The id of a group must be negative')
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

/** Returns an existing chat. @throws {RangeError} when there is none */
export function requireChat(bot: BotState, chatId: number): ChatState {
  const chat = bot.chats.get(chatId)
  if (!chat) throw new RangeError(`The bot has no chat ${chatId}`)
  return chat
}

/** Changes the bot's membership and sends `my_chat_member`, unless `notify` is false. */
export function changeMembership(bot: BotState, chat: ChatState, obstacle: Obstacle, by: User, notify = true): void {
  const before = chat.obstacle
  if (before === obstacle) return
  chat.obstacle = obstacle
  emit(bot, { type: 'chat', chatId: chat.chat.id })
  if (!notify) return
  const member = (status: string): { user: User; status: string } => ({ user: bot.user, status })
  bot.updates.add({
    my_chat_member: {
      chat: chat.chat,
      from: by,
      date: Math.floor(bot.clock.now() / 1000),
      old_chat_member: member(isRemoved(before) ? 'kicked' : 'member'),
      new_chat_member: member(isRemoved(obstacle) ? 'kicked' : 'member'),
    },
  })
}

const isRemoved = (obstacle: Obstacle): boolean => obstacle === 'blocked' || obstacle === 'kicked'

/** Returns a private chat and its user. @throws {RangeError} when it is a group */
export function privateChatAndUser(bot: BotState, chatId: number): readonly [ChatState, User] {
  const chat = requireChat(bot, chatId)
  if (chat.chat.type !== 'private') throw new RangeError(`Chat ${chatId} is a group: use kick`)
  return [chat, person(bot, chatId)]
}

/** Upgrades a group: service messages in both chats, and calls with the old id return the new one. */
export function migrateGroup(bot: BotState, options: { chatId: number; by: PersonSpec; to?: number }): number {
  const old = requireChat(bot, options.chatId)
  if (old.chat.type !== 'group') throw new RangeError(`Chat ${options.chatId} isn't a basic group`)
  const from = person(bot, options.by)
  const to = options.to ?? Number(`-100${1_000_000_000 + Math.abs(options.chatId)}`)
  const next = addChat(bot, { ...old.chat, id: to, type: 'supergroup' } satisfies Chat)
  next.botIsAdmin = old.botIsAdmin
  postServiceMessage(bot, old, from, { migrate_to_chat_id: to })
  old.migratedTo = to
  postServiceMessage(bot, next, from, { migrate_from_chat_id: options.chatId })
  return to
}

function postServiceMessage(bot: BotState, chat: ChatState, from: User, content: Partial<Message>): void {
  const date = Math.floor(bot.clock.now() / 1000)
  const message: Message = { message_id: nextMessageId(bot, chat), date, chat: chat.chat, from, ...content }
  storeMessage(bot, chat, message, '')
  bot.updates.add({ message })
}
