import type { Connection } from '../../connection.ts'
import type { Chat } from '../../message.ts'
import { emotionBody } from './encode.ts'
import { isPermission, sentenceOf } from './outcome.ts'
import { robotCodeOf, type SendingBot } from './send-text.ts'

const TYPING_MS = 5_000
const TO_THE_END = new AbortController().signal
/** Signs at a time; more answers are not written at once. */
const MOST_SHOWN = 1_000

/** DingTalk has no typing sign: a reaction to the message that is being answered stands in for it. */
export function createTyping(bot: SendingBot): Required<Pick<Connection['can'], 'typing' | 'typingDone'>> {
  const { client, memory, io } = bot
  const shown = new Set<string>()
  let isAllowed = true
  const call = async (what: 'reply' | 'recall', chat: Chat, messageId: string, signal: AbortSignal): Promise<void> => {
    // after a restart the conversation of a direct chat is known only when the person has written again
    const conversationId = memory.chat(chat.id)?.conversationId ?? (chat.kind === 'group' ? chat.id : undefined)
    if (conversationId === undefined) return
    const body = emotionBody(robotCodeOf(bot, chat.id), conversationId, messageId)
    const answer = await client.api('POST', `/v1.0/robot/emotion/${what}`, body, { signal, timeoutMs: TYPING_MS })
    if (answer.ok) return
    if (isPermission(answer.failure)) isAllowed = false
    io.log.debug('DingTalk typing sign not changed', { what, why: sentenceOf(answer.failure) })
  }
  return {
    async typing(chat, _signal, messageId) {
      if (messageId === undefined || !isAllowed || shown.has(messageId) || shown.size >= MOST_SHOWN) return
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
