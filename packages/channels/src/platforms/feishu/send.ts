import type { OutboundPart, OutboundTextPart, Outcome } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { exponentialMs } from '../../retry.ts'
import { asNotShown, type CallLimits } from '../wire/call.ts'
import { filled, list, object } from '../wire/json.ts'
import { contentRejected } from '../wire/outbound-file.ts'
import { type CardEntity, cardOfMessage, createCard, finishCard, growCard, replaceCard } from './card-entities.ts'
import { type Call, readData, type FeishuClient } from './client.ts'
import { idempotencyKey, postContent, toReceiver, staticCard, textContent, type Written } from './encode.ts'
import { type Answer, toOutcome, describeFailure, STREAMING_CLOSED } from './outcome.ts'
import { createRecentMap } from '../wire/bounded-map.ts'

const SEND_MS = 30_000
/** `uuid` is remembered for an hour; a little less, as clocks and the way of a request differ. */
const REMEMBERED_MS = 55 * 60_000
/** Between two updates of a card as a whole: 5 a second are allowed. */
const PATCH_EVERY_MS = 1_500
/** After a refusal of card entities (a missing scope) cards are replaced as a whole for so long. */
const NO_ENTITIES_MS = 10 * 60_000
const FIRST_WAIT_MS = 2_000
const LONGEST_WAIT_MS = 30_000

/** How a message of ours can be replaced. */
type Replaced =
  | { readonly by: 'entity'; readonly card: CardEntity }
  | { readonly by: 'patch'; patchedAtMs: number }
  | { readonly by: 'put' }

/** Sends messages, and edits them while a reply is streamed. */
export interface Sending {
  text(part: OutboundTextPart, signal: AbortSignal): Promise<Outcome>
  /** Sends what the part has been made into. */
  show(part: OutboundPart, written: Written, signal: AbortSignal): Promise<Outcome>
  edit(part: OutboundTextPart, messageId: string, signal: AbortSignal): Promise<Outcome>
  resend(part: OutboundPart, triedAtMs: number): boolean
}

/** Creates the sender of one bot. */
export const openSending = (client: FeishuClient, io: PlatformIo): Sending => new FallbackSending(client, io)

/** Falls back from streaming cards to cards that are replaced as a whole, and to one final message. */
class FallbackSending implements Sending {
  readonly #client: FeishuClient
  readonly #io: PlatformIo
  readonly #replaced = createRecentMap<Replaced>(2_000)
  /** By delivery: a beginning that is repeated shows the same card. */
  readonly #cards = createRecentMap<CardEntity>(500)
  /** When a delivery was tried first. */
  readonly #triedAtMs = createRecentMap<number>(5_000)
  /** Deliveries whose beginning cannot be replaced: their `uuid` would only bring that back. */
  readonly #abandoned = createRecentMap<true>(500)
  /** How many sends to a chat in a row met a rate limit. */
  readonly #limitedInARow = createRecentMap<number>(1_000)
  #noEntitiesUntilMs = 0

  constructor(client: FeishuClient, io: PlatformIo) {
    this.#client = client
    this.#io = io
  }

  text(part: OutboundTextPart, signal: AbortSignal): Promise<Outcome> {
    return part.live === true ? this.#begin(part, signal) : this.show(part, textContent(part), signal)
  }

  resend(part: OutboundPart, triedAtMs: number): boolean {
    const firstMs = Math.min(this.#triedAtMs.get(part.deliveryId) ?? triedAtMs, triedAtMs)
    return this.#io.clock.now() - firstMs < REMEMBERED_MS
  }

  async show(part: OutboundPart, written: Written, signal: AbortSignal): Promise<Outcome> {
    const { deliveryId, chat } = part
    if (this.#triedAtMs.get(deliveryId) === undefined) this.#triedAtMs.set(deliveryId, this.#io.clock.now())
    const uuid = idempotencyKey(this.#abandoned.get(deliveryId) ? `${deliveryId}.anew` : deliveryId)
    const answer = await this.#client.call(sendCall(part, written, uuid), sendLimits(signal))
    if (!answer.ok) return this.#backOff(chat.id, toOutcome(answer.failure))
    this.#limitedInARow.delete(chat.id)
    const data = readData(answer.body)
    const messageId = filled(data['message_id'])
    if (messageId === undefined) return { status: 'unknown', detail: 'the response has no message id' }
    const card = this.#cards.get(deliveryId)
    // a repeated `uuid` brings back what was shown at first, whatever is sent now
    const type = filled(data['msg_type']) ?? written.msg_type
    if (card !== undefined && type === 'interactive') this.#replaced.set(messageId, { by: 'entity', card })
    else if (type === 'post' || type === 'text') this.#replaced.set(messageId, { by: 'put' })
    return { status: 'delivered', messageId }
  }

  /** The first sight of a growing answer. */
  async #begin(part: OutboundTextPart, signal: AbortSignal): Promise<Outcome> {
    const whole: Written = { msg_type: 'interactive', content: JSON.stringify(staticCard(part)) }
    const known = this.#cards.get(part.deliveryId)
    if (known === undefined && this.#io.clock.now() < this.#noEntitiesUntilMs) return this.show(part, whole, signal)
    const made = known === undefined ? await createCard(this.#client, part, sendLimits(signal)) : { card: known }
    if ('failure' in made) {
      const outcome = asNotShown(toOutcome(made.failure))
      if (outcome.status !== 'refused' || !FALLBACK_CODES.has(outcome.code)) return this.#backOff(part.chat.id, outcome)
      this.#disableEntities(describeFailure(made.failure))
      return this.show(part, whole, signal)
    }
    this.#cards.set(part.deliveryId, made.card)
    const content = JSON.stringify({ type: 'card', data: { card_id: made.card.id } })
    const outcome = await this.show(part, { msg_type: 'interactive', content }, signal)
    if (outcome.status !== 'refused' || !FALLBACK_CODES.has(outcome.code)) return outcome
    this.#cards.delete(part.deliveryId)
    this.#disableEntities(outcome.detail)
    return this.show(part, whole, signal)
  }

  #disableEntities(why: string): void {
    this.#noEntitiesUntilMs = this.#io.clock.now() + NO_ENTITIES_MS
    this.#io.log.info('Feishu streaming cards are unavailable; replacing whole cards instead', { why })
  }

  async edit(part: OutboundTextPart, messageId: string, signal: AbortSignal): Promise<Outcome> {
    const how = this.#replaced.get(messageId) ?? (await this.#lookUp(messageId, signal))
    if ('status' in how) return how
    this.#replaced.set(messageId, how)
    const outcome = await this.#replace(part, messageId, how, signal)
    const given = this.#backOff(part.chat.id, outcome)
    if (given.status !== 'refused' || part.live === true) return given
    const isGone = given.code === 'reply_target_gone'
    if (!isGone && !FALLBACK_CODES.has(given.code)) return given
    // the reply is sent as a new message with a new key; the unfinished one must not remain
    this.#abandoned.set(part.deliveryId, true)
    if (!isGone) await this.#client.call({ method: 'DELETE', path: messagePath(messageId) }, sendLimits(signal))
    return contentRejected(given.detail)
  }

  async #replace(part: OutboundTextPart, messageId: string, how: Replaced, signal: AbortSignal): Promise<Outcome> {
    if (how.by === 'put') {
      const body = { ...postContent(part) }
      return toEditOutcome(
        messageId,
        await this.#client.call({ method: 'PUT', path: messagePath(messageId), body }, sendLimits(signal)),
      )
    }
    if (how.by === 'patch') return this.#patch(part, messageId, how, signal)
    const outcome = toEditOutcome(messageId, await this.#grow(part, how.card, signal))
    if (outcome.status !== 'refused' || !FALLBACK_CODES.has(outcome.code)) return outcome
    const lower: Replaced = { by: 'patch', patchedAtMs: 0 }
    this.#replaced.set(messageId, lower)
    return this.#patch(part, messageId, lower, signal)
  }

  async #grow(part: OutboundTextPart, card: CardEntity, signal: AbortSignal): Promise<Answer> {
    const nowMs = this.#io.clock.now()
    const grown = await growCard(this.#client, card, part, nowMs, sendLimits(signal))
    if (!grown.ok && grown.failure.kind === 'answer' && STREAMING_CLOSED.has(grown.failure.code)) {
      return replaceCard(this.#client, card, staticCard(part), nowMs, sendLimits(signal))
    }
    if (!grown.ok || part.live === true) return grown
    const finished = await finishCard(this.#client, card, part, nowMs, sendLimits(signal))
    if (finished.ok) return grown
    const outcome = toOutcome(finished.failure)
    // the whole text is shown; an open card closes on its own
    const isOver = outcome.status === 'refused' && FALLBACK_CODES.has(outcome.code)
    return isOver ? grown : finished
  }

  async #patch(
    part: OutboundTextPart,
    messageId: string,
    how: { patchedAtMs: number },
    signal: AbortSignal,
  ): Promise<Outcome> {
    const nowMs = this.#io.clock.now()
    // a preview that comes too soon is left out: the next one says all of it
    if (part.live === true && nowMs - how.patchedAtMs < PATCH_EVERY_MS) return { status: 'delivered', messageId }
    how.patchedAtMs = nowMs
    const body = { content: JSON.stringify(staticCard(part)) }
    return toEditOutcome(
      messageId,
      await this.#client.call({ method: 'PATCH', path: messagePath(messageId), body }, sendLimits(signal)),
    )
  }

  /** For a message of an earlier process. */
  async #lookUp(messageId: string, signal: AbortSignal): Promise<Replaced | Outcome> {
    const answer = await this.#client.call({ method: 'GET', path: messagePath(messageId) }, sendLimits(signal))
    if (!answer.ok) {
      const outcome = toOutcome(answer.failure)
      // what may not be read may still be replaced
      return outcome.status === 'refused' && outcome.code === 'configuration'
        ? { by: 'patch', patchedAtMs: 0 }
        : outcome
    }
    const type = filled(object(list(readData(answer.body)['items'])[0])?.['msg_type'])
    if (type !== 'interactive') return { by: 'put' }
    const found = await cardOfMessage(this.#client, messageId, sendLimits(signal))
    return 'card' in found ? { by: 'entity', card: found.card } : { by: 'patch', patchedAtMs: 0 }
  }

  /** Refusals of a rate limit that name no time: waits twice as long each time, for each chat. */
  #backOff(chatId: string, outcome: Outcome): Outcome {
    if (outcome.status !== 'refused' || outcome.code !== 'rate_limited') return outcome
    const before = this.#limitedInARow.get(chatId) ?? 0
    this.#limitedInARow.set(chatId, before + 1)
    const waitMs = before === 0 ? 0 : exponentialMs(before, FIRST_WAIT_MS, LONGEST_WAIT_MS)
    return { ...outcome, retryAfterMs: Math.max(outcome.retryAfterMs ?? 0, waitMs) }
  }
}

/** Refusals after which the next lower rung is tried: the others would meet that too, or pass by themselves. */
const FALLBACK_CODES: ReadonlySet<string> = new Set(['configuration', 'content_rejected', 'markup_rejected'])

const sendLimits = (signal: AbortSignal): CallLimits => ({ signal, timeoutMs: SEND_MS })

const messagePath = (messageId: string): string => `/open-apis/im/v1/messages/${encodeURIComponent(messageId)}`

const toEditOutcome = (messageId: string, answer: Answer): Outcome =>
  answer.ok ? { status: 'delivered', messageId } : toOutcome(answer.failure)

/** An answer goes to the message; in a thread everything is an answer to one of its messages. */
function sendCall(part: OutboundPart, written: Written, uuid: string): Call {
  const { chat, replyTo, after } = part
  const inThread = chat.threadId !== undefined
  const target = replyTo ?? (inThread ? after : undefined)
  if (target !== undefined) {
    const body = { ...written, uuid, ...(inThread ? { reply_in_thread: true } : {}) }
    return { method: 'POST', path: `${messagePath(target)}/reply`, body }
  }
  const { type, id } = toReceiver(chat)
  const body = { receive_id: id, ...written, uuid }
  return { method: 'POST', path: '/open-apis/im/v1/messages', query: { receive_id_type: type }, body }
}
