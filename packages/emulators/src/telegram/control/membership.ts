import { addChat, type BotState, type ChatState, emit, nextMessageId, type Obstacle, storeMessage } from '../state.ts'
import type { Chat, Message, User } from '../wire.ts'
import { existingChat, type PersonSpec, person } from './people.ts'

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
