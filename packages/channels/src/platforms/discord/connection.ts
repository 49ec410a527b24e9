import type { Connection } from '../../connection.ts'
import type { Chat, OutboundTextPart, Outcome } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { openClient } from './client.ts'
import { type DiscordCredentials, discordApiUrl, discordIdentity } from './credentials.ts'
import { createDirectory } from './directory.ts'
import { editBody, nonceOf } from './encode.ts'
import { fetchMedia } from './fetch-media.ts'
import { attempts, discordFindSent, seenMessages } from './find-sent.ts'
import { healthOf } from './health.ts'
import { idOf } from './snowflake.ts'
import { outcomeOf, sentenceOf } from './outcome.ts'
import { newMemory, receive } from './receive.ts'
import { sendPart } from './send.ts'
import type { DiscordWorld } from './world.ts'

const EDIT_MS = 30_000
const TYPING_MS = 10_000

/** Opens nothing yet: the first request is made by `run` or `send`. */
export function connectDiscord(credentials: DiscordCredentials, io: PlatformIo): Connection {
  const token = credentials.bot_token
  const botId = discordIdentity(credentials)
  const client = openClient(token, discordApiUrl(io), io)
  const seen = seenMessages()
  const tried = attempts(io.clock.now)
  const directory = createDirectory(client, botId)
  const world: DiscordWorld = { io, client, token, botId, seen, directory, health: healthOf(io, botId) }
  const memory = newMemory()

  async function edit(part: OutboundTextPart, messageId: string, signal: AbortSignal): Promise<Outcome> {
    if (idOf(part.chat.id) === undefined || idOf(messageId) === undefined) return NO_SUCH_MESSAGE
    const path = `/channels/${part.chat.id}/messages/${messageId}` as const
    const call = { method: 'PATCH', path, body: editBody(part) } as const
    const answer = await client.call(call, { signal, timeoutMs: EDIT_MS })
    return answer.ok ? { status: 'delivered', messageId } : outcomeOf(answer.failure)
  }

  async function typing(chat: Chat, signal: AbortSignal): Promise<void> {
    if (idOf(chat.id) === undefined) return
    const call = { method: 'POST', path: `/channels/${chat.id}/typing` } as const
    const answer = await client.call(call, { signal, timeoutMs: TYPING_MS })
    if (!answer.ok) io.log.debug('Discord typing sign not shown', { why: sentenceOf(answer.failure) })
  }

  return {
    run: (inbox, signal) => receive(world, memory, inbox, signal),
    async send(part, signal) {
      tried.began(part.deliveryId)
      const outcome = await sendPart(client, part, signal)
      if (outcome.status !== 'unknown') tried.ended(part.deliveryId)
      if (outcome.status === 'delivered') {
        const { messageId } = outcome
        seen.see({ channelId: part.chat.id, messageId, nonce: nonceOf(part.deliveryId) })
      }
      return outcome
    },
    can: {
      edit,
      typing,
      fetchMedia: (media, signal) => fetchMedia(client, media, io.clock.now(), signal),
      resend: (part, triedAtMs) => tried.canRepeat(part.deliveryId, triedAtMs),
      findSent: discordFindSent(client, seen, botId),
    },
  }
}

const NO_SUCH_MESSAGE: Outcome = { status: 'refused', code: 'content_rejected', detail: 'there is no such message' }
