import type { Connection } from '../../connection.ts'
import type { Chat } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { createCards } from './cards.ts'
import { openClient } from './client.ts'
import type { DingtalkCredentials } from './credentials.ts'
import { emotionBody } from './encode.ts'
import { fetchMedia, sendFile } from './files.ts'
import { clearRefusals, getBotMemory } from './memory.ts'
import { isPermission, describeFailure } from './outcome.ts'
import { isExternal, liveWebhook, NO_WEBHOOK, getRobotCode, type SendingBot, sendText } from './send-text.ts'
import { receive } from './stream.ts'

/** Creates a connection. The first request is made by `run` or `send`. */
export function connectDingtalk(credentials: DingtalkCredentials, io: PlatformIo): Connection {
  const clientId = credentials.client_id
  const memory = getBotMemory(io, clientId)
  clearRefusals(memory.health)
  const bot: SendingBot = { client: openClient(credentials, io), clientId, memory, io }
  const cards = createCards(bot)
  return {
    run: (inbox, signal) => receive(bot, inbox, signal),
    send(part, signal) {
      if (part.kind === 'file') return sendFile(bot, part, signal)
      return part.live === true ? cards.begin(part, signal) : sendText(bot, part, signal)
    },
    can: {
      ...createTyping(bot),
      edit: (part, messageId, signal) => cards.change(part, messageId, signal),
      fetchMedia: (media, signal) => fetchMedia(bot, media, signal),
      // a card has an id of ours; messages have no idempotency key
      resend: (part) => part.kind === 'text' && part.live === true,
      allowance: (chat) => ({
        left: null,
        refused: isExternal(bot, { chat }) && liveWebhook(bot, chat.id) === null ? NO_WEBHOOK : null,
      }),
    },
  }
}

const TYPING_MS = 5_000
const TO_THE_END = new AbortController().signal
/** Signs at a time; more answers are not written at once. */
const MAX_SHOWN = 1_000

/** DingTalk has no typing indicator: a reaction to the message being answered replaces it. */
function createTyping(bot: SendingBot): Required<Pick<Connection['can'], 'typing' | 'typingDone'>> {
  const { client, memory, io } = bot
  const shown = new Set<string>()
  let isAllowed = true
  const call = async (what: 'reply' | 'recall', chat: Chat, messageId: string, signal: AbortSignal): Promise<void> => {
    // after a restart the conversation of a direct chat is known only when the person has written again
    const conversationId = memory.chat(chat.id)?.conversationId ?? (chat.kind === 'group' ? chat.id : undefined)
    if (conversationId === undefined) return
    const body = emotionBody(getRobotCode(bot, chat.id), conversationId, messageId)
    const answer = await client.api('POST', `/v1.0/robot/emotion/${what}`, body, { signal, timeoutMs: TYPING_MS })
    if (answer.ok) return
    if (isPermission(answer.failure)) isAllowed = false
    io.log.debug("Couldn't change the DingTalk typing reaction", { what, why: describeFailure(answer.failure) })
  }
  return {
    async typing(chat, _signal, messageId) {
      if (messageId === undefined || !isAllowed || shown.has(messageId) || shown.size >= MAX_SHOWN) return
      shown.add(messageId) // also when no answer comes: it may be there, and is taken away too
      // not broken off: a sign that comes later than the call that takes it away would stay for ever
      await call('reply', chat, messageId, TO_THE_END)
    },
    async typingDone(chat, signal, messageId) {
      if (messageId === undefined || !shown.delete(messageId)) return
      await call('recall', chat, messageId, signal)
    },
  }
}
