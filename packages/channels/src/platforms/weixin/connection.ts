import type { Connection } from '../../connection.ts'
import type { Outcome, OutboundPart } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { openClient, type WeixinClient } from './client.ts'
import { type WeixinCredentials, weixinBaseUrl, weixinIdentity } from './credentials.ts'
import { messageBody, textItem } from './encode.ts'
import { id } from './numbers.ts'
import { fetchWeixinMedia, uploadFile } from './media.ts'
import { type BotMemory, memoryOf } from './memory.ts'
import { type Answer, outcomeOf } from './outcome.ts'
import { poll } from './poll.ts'
import { typingSigns } from './typing.ts'

const SEND_MS = 15_000

/** Opens nothing yet: the first request is made by `run` or `send`. */
export function connectWeixin(credentials: WeixinCredentials, io: PlatformIo): Connection {
  const client = openClient(io, weixinBaseUrl(credentials, io), credentials.token)
  const memory = memoryOf(io, weixinIdentity(credentials))
  const { ilink_bot_id: botId } = credentials
  const typing = typingSigns(client, memory, io)
  return {
    run: (inbox, signal) => poll({ client, memory, io, ...(botId === undefined ? {} : { botId }) }, inbox, signal),
    send: (part, signal) => send(client, memory, io, part, signal),
    can: {
      ...typing,
      fetchMedia: (media, signal) => fetchWeixinMedia(io, media, signal),
      allowance: (chat) => memory.windows.allowance(chat.id),
    },
  }
}

async function send(
  client: WeixinClient,
  memory: BotMemory,
  io: PlatformIo,
  part: OutboundPart,
  signal: AbortSignal,
): Promise<Outcome> {
  const person = part.chat.id
  const before = memory.windows.ready(person)
  if ('status' in before) return before
  const item = part.kind === 'text' ? textItem(part.body) : await uploadFile(client, io, part, signal)
  if ('status' in item) {
    if (item.code === 'quota_used_up') before.usedUp = true
    return item
  }
  // The upload took its time: the person may have written again.
  const window = memory.windows.ready(person)
  if ('status' in window) return window
  const body = messageBody({ to: person, clientId: part.deliveryId, contextToken: window.contextToken, item })
  window.sends += 1
  const answer = await client.post('ilink/bot/sendmessage', body, { signal, timeoutMs: SEND_MS })
  const outcome = shown(answer, part)
  if (outcome.status === 'refused') window.sends -= 1
  if (outcome.status === 'refused' && outcome.code === 'quota_used_up') window.usedUp = true
  if (outcome.status === 'delivered') {
    memory.texts.put(person, outcome.messageId, part.kind === 'text' ? part.body : `[file: ${part.name}]`)
  }
  return outcome
}

/** An answer without an id means success too; then our own id of the message stands for it. */
function shown(answer: Answer, part: OutboundPart): Outcome {
  if (!answer.ok) return outcomeOf(answer.failure)
  return { status: 'delivered', messageId: id(answer.body['message_id']) ?? part.deliveryId }
}
