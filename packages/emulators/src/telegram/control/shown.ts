import type { BotState, ChatState, Draft, StoredMessage } from '../state.ts'
import type { Message } from '../wire.ts'
import type { BotInfo, Conversation, ShownMessage, OfBot } from './control.ts'

export const botInfo = (bot: BotState): BotInfo => ({
  id: bot.user.id,
  token: bot.token,
  username: bot.user.username ?? '',
  name: bot.user.first_name,
  revoked: bot.revoked,
  can_read_all_group_messages: bot.canReadAllGroupMessages,
  old_server: bot.oldServer,
  webhook_url: bot.webhookUrl,
  commands: bot.commands,
  polling: bot.updates.isHeld,
})

export function shownMessage(bot: BotState, stored: StoredMessage): ShownMessage {
  const { sequence, method, atMs, message, versions, deleted, reactions } = stored
  return {
    sequence,
    chatId: message.chat.id,
    messageId: message.message_id,
    method,
    atMs,
    text: textOf(message),
    message,
    versions: [...versions],
    deleted,
    reactions,
    files: filesOf(bot, message),
  }
}

function textOf({ text, caption, rich_message }: Message): string {
  if (text !== undefined) return text
  if (caption !== undefined) return caption
  if (!rich_message) return ''
  return rich_message.markdown ?? rich_message.html ?? JSON.stringify(rich_message.blocks)
}

function filesOf(bot: BotState, message: Message): ShownMessage['files'] {
  const file = message.photo?.at(-1) ?? message.document ?? message.voice ?? message.audio ?? message.video
  if (!file) return []
  return [{ fileId: file.file_id, name: bot.files.get(file.file_id)?.name ?? '', size: file.file_size }]
}

export function liveDrafts(bot: BotState, chat: ChatState): readonly Draft[] {
  const now = bot.clock.now()
  return [...chat.drafts.values()].filter(({ expiresAtMs }) => expiresAtMs > now)
}

export function conversationOf(bot: BotState, chat: ChatState, limit: number): Conversation {
  const messages = [...chat.messages.values()].filter(({ deleted }) => !deleted).slice(-limit)
  return {
    chat: chat.chat,
    obstacle: chat.obstacle,
    messages: messages.map((stored) => shownMessage(bot, stored)),
    drafts: liveDrafts(bot, chat),
  }
}

/** Resolves when enough messages of the bot are there, or when the time is over. */
export async function waitForSent(
  bot: BotState,
  options: OfBot & { readonly afterSequence?: number; readonly count?: number; readonly timeoutMs?: number },
): Promise<readonly ShownMessage[]> {
  const { afterSequence = 0, count = 1, timeoutMs = 10_000 } = options
  const isEnough = (): boolean => bot.sent.countAfter(afterSequence) >= count
  if (!isEnough()) {
    const enough = new AbortController()
    const look = (): void => {
      if (isEnough()) enough.abort()
    }
    bot.sentWatchers.add(look)
    await bot.clock.sleep(timeoutMs, enough.signal)
    bot.sentWatchers.delete(look)
  }
  return bot.sent.after(afterSequence).map((stored) => shownMessage(bot, stored))
}
