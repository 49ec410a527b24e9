import type { PlatformIo } from '../../platform-io.ts'
import { filled } from '../wire/json.ts'
import { dataOf, type FeishuClient } from './client.ts'
import { sentenceOf } from './outcome.ts'
import { recent } from './recent.ts'

const TYPING_MS = 10_000

/** The sign of typing: a reaction on the message that is being answered, as there is no real one. */
export interface TypingSign {
  show(messageId: string, signal: AbortSignal): Promise<void>
  remove(messageId: string, signal: AbortSignal): Promise<void>
}

export function typingSign(client: FeishuClient, io: PlatformIo): TypingSign {
  /** Ids of reactions by message; a reaction on its way is waited for before it is taken away. */
  const shown = recent<Promise<string | null>>(1_000)
  const pathOf = (messageId: string): string => `/open-apis/im/v1/messages/${encodeURIComponent(messageId)}/reactions`

  async function react(messageId: string, signal: AbortSignal): Promise<string | null> {
    const body = { reaction_type: { emoji_type: 'Typing' } }
    const answer = await client.call(
      { method: 'POST', path: pathOf(messageId), body },
      { signal, timeoutMs: TYPING_MS },
    )
    if (answer.ok) return filled(dataOf(answer.body)['reaction_id']) ?? null
    io.log.debug('Feishu typing sign not shown', { why: sentenceOf(answer.failure) })
    return null
  }

  return {
    async show(messageId, signal) {
      const reaction = shown.get(messageId) ?? react(messageId, signal)
      shown.set(messageId, reaction)
      await reaction
    },
    async remove(messageId, signal) {
      const reactionId = await shown.get(messageId)
      shown.delete(messageId)
      if (reactionId === undefined || reactionId === null) return
      const path = `${pathOf(messageId)}/${encodeURIComponent(reactionId)}`
      const answer = await client.call({ method: 'DELETE', path }, { signal, timeoutMs: TYPING_MS })
      if (!answer.ok) io.log.debug('Feishu typing sign not removed', { why: sentenceOf(answer.failure) })
    },
  }
}
