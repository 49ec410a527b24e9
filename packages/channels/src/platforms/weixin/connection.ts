import type { Connection } from '../../connection.ts'
import type { Outcome, OutboundPart } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { filled } from '../wire/json.ts'
import { openClient, type WeixinClient } from './client.ts'
import { weixinBaseUrl, type WeixinCredentials, weixinIdentity } from './credentials.ts'
import { id } from './decode.ts'
import { configBody, messageBody, textItem, typingBody } from './encode.ts'
import { fetchWeixinMedia, uploadFile } from './media.ts'
import { type BotMemory, getBotMemory } from './memory.ts'
import { type Answer, toOutcome, describeFailure } from './outcome.ts'
import { poll } from './poll.ts'

const SEND_MS = 15_000

/** Creates a connection. The first request is made by `run` or `send`. */
export function connectWeixin(credentials: WeixinCredentials, io: PlatformIo): Connection {
  const client = openClient(io, weixinBaseUrl(credentials, io), credentials.token)
  const memory = getBotMemory(io, weixinIdentity(credentials))
  const { ilink_bot_id: botId } = credentials
  const typing = createTypingSigns(client, memory, io)
  return {
    run: (inbox, signal) => poll({ client, memory, io, ...(botId === undefined ? {} : { botId }) }, inbox, signal),
    send: (part, signal) => send(client, memory, io, part, signal),
    can: {
      ...typing,
      fetchMedia: (media, signal) => fetchWeixinMedia(io, media, signal),
      allowance: (chat, isReply = false) => memory.windows.allowance(chat.id, isReply),
      restoreContexts(contexts) {
        for (const { chat, context, sentAtMs } of contexts) memory.windows.restore(chat.id, context, sentAtMs)
      },
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
  const isReply = part.proactive !== true
  const before = memory.windows.ready(person, isReply)
  if ('status' in before) return before
  const item = part.kind === 'text' ? textItem(part.body) : await uploadFile(client, io, part, signal)
  if ('status' in item) {
    if (item.code === 'quota_used_up') before.usedUp = true
    return item
  }
  // The upload took its time: the person may have written again.
  const window = memory.windows.ready(person, isReply)
  if ('status' in window) return window
  const body = messageBody({ to: person, clientId: part.deliveryId, contextToken: window.contextToken, item })
  window.sends += 1
  const answer = await client.post('ilink/bot/sendmessage', body, { signal, timeoutMs: SEND_MS })
  const outcome = toSendOutcome(answer, part)
  if (outcome.status === 'refused') window.sends -= 1
  if (outcome.status === 'refused' && outcome.code === 'quota_used_up') window.usedUp = true
  if (outcome.status === 'delivered') {
    memory.texts.put(person, outcome.messageId, part.kind === 'text' ? part.body : `[file: ${part.name}]`)
  }
  return outcome
}

/** An answer without an id means success too; then our own id of the message stands for it. */
function toSendOutcome(answer: Answer, part: OutboundPart): Outcome {
  if (!answer.ok) return toOutcome(answer.failure)
  return { status: 'delivered', messageId: id(answer.body['message_id']) ?? part.deliveryId }
}

const TYPING_MS = 10_000
const TICKET_LIFE_MS = 24 * 3_600_000

/** Shows that an answer is being written, as long as the person can be written to. A courtesy: nothing depends on it. */
function createTypingSigns(
  client: WeixinClient,
  memory: BotMemory,
  io: PlatformIo,
): Required<Pick<Connection['can'], 'typing' | 'typingDone'>> {
  const { tickets, windows } = memory
  const toSendOutcome = new Set<string>()

  async function ticketFor(person: string, signal: AbortSignal): Promise<string | null> {
    const known = tickets.get(person, io.clock.now())
    const window = windows.ready(person, true)
    if (known !== null || 'status' in window) return known
    const limits = { signal, timeoutMs: TYPING_MS }
    const answer = await client.post('ilink/bot/getconfig', configBody(person, window.contextToken), limits)
    const ticket = answer.ok ? filled(answer.body['typing_ticket']) : undefined
    if (ticket === undefined) {
      const why = answer.ok ? 'no typing_ticket' : describeFailure(answer.failure)
      io.log.debug("Couldn't show the Weixin typing indicator", { why })
      return null
    }
    tickets.put(person, ticket, io.clock.now() + TICKET_LIFE_MS)
    return ticket
  }

  async function sendTyping(person: string, ticket: string, status: 1 | 2, signal: AbortSignal): Promise<void> {
    const limits = { signal, timeoutMs: TYPING_MS }
    const answer = await client.post('ilink/bot/sendtyping', typingBody(person, ticket, status), limits)
    if (answer.ok) return
    tickets.drop(person) // the next sign asks for a new one
    io.log.debug("Couldn't change the Weixin typing indicator", { why: describeFailure(answer.failure) })
  }

  return {
    async typing(chat, signal) {
      if ('status' in windows.ready(chat.id, true)) return
      const ticket = await ticketFor(chat.id, signal)
      if (ticket === null) return
      toSendOutcome.add(chat.id)
      await sendTyping(chat.id, ticket, 1, signal)
    },
    async typingDone(chat, signal) {
      const ticket = toSendOutcome.delete(chat.id) ? tickets.get(chat.id, io.clock.now()) : null
      if (ticket !== null) await sendTyping(chat.id, ticket, 2, signal)
    },
  }
}
