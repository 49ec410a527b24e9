import type { Connection } from '../../connection.ts'
import { emotionBody } from './encode.ts'
import { isPermission, sentenceOf } from './outcome.ts'
import { robotCodeOf, type SendingBot } from './send-text.ts'

const TYPING_MS = 10_000
/** Of signs that were not taken away, because the process was stopping. */
const MOST_SHOWN = 1_000

/** DingTalk has no typing sign: a reaction to the message that is being answered stands in for it. */
export function createTyping(bot: SendingBot): Required<Pick<Connection['can'], 'typing' | 'typingDone'>> {
  const { client, memory, io } = bot
  const shown = new Set<string>()
  let isAllowed = true
  const call = async (what: 'reply' | 'recall', chatId: string, messageId: string, signal: AbortSignal) => {
    const conversationId = memory.chat(chatId)?.conversationId
    if (conversationId === undefined) return false
    const body = emotionBody(robotCodeOf(bot, chatId), conversationId, messageId)
    const answer = await client.api('POST', `/v1.0/robot/emotion/${what}`, body, { signal, timeoutMs: TYPING_MS })
    if (answer.ok) return true
    if (isPermission(answer.failure)) isAllowed = false
    io.log.debug('DingTalk typing sign not changed', { what, why: sentenceOf(answer.failure) })
    return false
  }
  return {
    async typing(chat, signal, messageId) {
      if (messageId === undefined || !isAllowed || shown.has(messageId)) return
      // a sign whose answer never came may be there: it is taken away too
      if (shown.size < MOST_SHOWN) shown.add(messageId)
      await call('reply', chat.id, messageId, signal)
    },
    async typingDone(chat, signal, messageId) {
      if (messageId === undefined || !shown.delete(messageId)) return
      await call('recall', chat.id, messageId, signal)
    },
  }
}
