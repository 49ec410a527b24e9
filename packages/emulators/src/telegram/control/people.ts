import { addChat, type BotState, type ChatState } from '../state.ts'
import type { Chat, User } from '../wire.ts'

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
