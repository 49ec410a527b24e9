import type { BotState, ChatState, Draft, StoredMessage } from '../state.ts'
import type { Message } from '../wire.ts'
import type { BotInfo, Conversation, ShownMessage, BotSelector } from './control.ts'

/** Returns the properties of a bot. */
export const toBotInfo = (bot: BotState): BotInfo => ({
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

/** Returns a message in its current state. */
export function toShownMessage(bot: BotState, stored: StoredMessage): ShownMessage {
  const { sequence, method, atMs, message, versions, deleted, reactions } = stored
  return {
    sequence,
    chatId: message.chat.id,
    messageId: message.message_id,
    method,
    atMs,
    text: findText(message),
    message,
    versions: [...versions],
    deleted,
    reactions,
    files: listFiles(bot, message),
  }
}

function findText({ text, caption, rich_message }: Message): string {
  if (text !== undefined) return text
  if (caption !== undefined) return caption
  if (!rich_message) return ''
  return rich_message.markdown ?? rich_message.html ?? JSON.stringify(rich_message.blocks)
}

function listFiles(bot: BotState, message: Message): ShownMessage['files'] {
  const file = message.photo?.at(-1) ?? message.document ?? message.voice ?? message.audio ?? message.video
  if (!file) return []
  return [{ fileId: file.file_id, name: bot.files.get(file.file_id)?.name ?? '', size: file.file_size }]
}

/** Returns the drafts that haven't expired. */
export function listLiveDrafts(bot: BotState, chat: ChatState): readonly Draft[] {
  const now = bot.clock.now()
  return [...chat.drafts.values()].filter(({ expiresAtMs }) => expiresAtMs > now)
}

/** Returns a chat with its messages and drafts. */
export function toConversation(bot: BotState, chat: ChatState, limit: number): Conversation {
  const messages = [...chat.messages.values()].filter(({ deleted }) => !deleted).slice(-limit)
  return {
    chat: chat.chat,
    obstacle: chat.obstacle,
    messages: messages.map((stored) => toShownMessage(bot, stored)),
    drafts: listLiveDrafts(bot, chat),
  }
}

/** Resolves once there are enough messages of the bot, or on timeout. */
export async function waitForSent(
  bot: BotState,
  options: BotSelector & { readonly afterSequence?: number; readonly count?: number; readonly timeoutMs?: number },
): Promise<readonly ShownMessage[]> {
  const { afterSequence = 0, count = 1, timeoutMs = 10_000 } = options
  const hasEnough = (): boolean => bot.sent.countAfter(afterSequence) >= count
  if (!hasEnough()) {
    const done = new AbortController()
    const check = (): void => {
      if (hasEnough()) done.abort()
    }
    bot.sentWatchers.add(check)
    await bot.clock.sleep(timeoutMs, done.signal)
    bot.sentWatchers.delete(check)
  }
  return bot.sent.after(afterSequence).map((stored) => toShownMessage(bot, stored))
}
