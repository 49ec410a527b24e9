import type { Call } from './call.ts'
import { readChat } from './target.ts'

export const getMe = ({ bot }: Call): Readonly<Record<string, unknown>> => ({
  ...bot.user,
  can_join_groups: true,
  can_read_all_group_messages: bot.canReadAllGroupMessages,
  supports_inline_queries: false,
  can_connect_to_business: false,
  has_main_web_app: false,
})

export function setMyCommands({ bot, parameters }: Call): true {
  bot.commands = parameters.array('commands') ?? []
  return true
}

export function deleteMyCommands({ bot }: Call): true {
  bot.commands = []
  return true
}

export const getMyCommands = ({ bot }: Call): readonly unknown[] => bot.commands

export const getChat = (call: Call): unknown => ({ ...readChat(call).chat, accent_color_id: 0, max_reaction_count: 11 })
