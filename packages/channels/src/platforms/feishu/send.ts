import type { OutboundPart, OutboundTextPart, Outcome } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { nothingShown, type CallLimits } from '../wire/call.ts'
import { filled, list, object } from '../wire/json.ts'
import { contentRejected } from '../wire/outbound-file.ts'
import { type CardEntity, cardOfMessage, createCard, finishCard, growCard, replaceCard } from './card-entities.ts'
import { type Call, dataOf, type FeishuClient } from './client.ts'
import { idempotencyKey, postContent, receiverOf, staticCard, textContent, type Written } from './encode.ts'
import { type Answer, outcomeOf, sentenceOf, STREAMING_CLOSED } from './outcome.ts'
import { recent } from '../wire/bounded-map.ts'

const SEND_MS = 30_000
/** `uuid` is remembered for an hour; a little less, as clocks and the way of a request differ. */
const REMEMBERED_MS = 55 * 60_000
/** Between two updates of a card as a whole: 5 a second are allowed. */
const PATCH_EVERY_MS = 1_500
/** After a refusal of card entities (a missing scope) cards are replaced as a whole for so long. */
const NO_ENTITIES_MS = 10 * 60_000
const LONGEST_WAIT_MS = 30_000

/** How a message of ours can be replaced. */
type Replaced =
  | { readonly by: 'entity'; readonly card: CardEntity }
  | { readonly by: 'patch'; patchedAtMs: number }
  | { readonly by: 'put' }

/** Sends messages, and replaces their text while an answer grows. */
export interface Sending {
  text(part: OutboundTextPart, signal: AbortSignal): Promise<Outcome>
  /** Sends what the part has been made into. */
  show(part: OutboundPart, written: Written, signal: AbortSignal): Promise<Outcome>
  edit(part: OutboundTextPart, messageId: string, signal: AbortSignal): Promise<Outcome>
  resend(part: OutboundPart, triedAtMs: number): boolean
}

export const openSending = (client: FeishuClient, io: PlatformIo): Sending => new LadderSending(client, io)

/** From card entities down to cards that are replaced as a whole, and to one final message. */
class LadderSending implements Sending {
  readonly #client: FeishuClient
  readonly #io: PlatformIo
  readonly #replaced = recent<Replaced>(2_000)
  /** By delivery: a beginning that is repeated shows the same card. */
  readonly #cards = recent<CardEntity>(500)
  /** When a delivery was tried first. */
  readonly #triedAtMs = recent<number>(5_000)
  /** Deliveries whose beginning cannot be replaced: their `uuid` would only bring that back. */
  readonly #abandoned = recent<true>(500)
  readonly #waits = recent<number>(1_000)
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
    const answer = await this.#client.call(sendCall(part, written, uuid), limits(signal))
    if (!answer.ok) return this.#patient(chat.id, outcomeOf(answer.failure))
    this.#waits.delete(chat.id)
    const data = dataOf(answer.body)
    const messageId = filled(data['message_id'])
    if (messageId === undefined) return { status: 'unknown', detail: 'the answer named no message' }
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
    const made = known === undefined ? await createCard(this.#client, part, limits(signal)) : { card: known }
    if ('failure' in made) {
      const outcome = nothingShown(outcomeOf(made.failure))
      if (outcome.status !== 'refused' || !LOWER.has(outcome.code)) return this.#patient(part.chat.id, outcome)
      this.#noEntities(sentenceOf(made.failure))
      return this.show(part, whole, signal)
    }
    this.#cards.set(part.deliveryId, made.card)
    const content = JSON.stringify({ type: 'card', data: { card_id: made.card.id } })
    const outcome = await this.show(part, { msg_type: 'interactive', content }, signal)
    if (outcome.status !== 'refused' || !LOWER.has(outcome.code)) return outcome
    this.#cards.delete(part.deliveryId)
    this.#noEntities(outcome.detail)
    return this.show(part, whole, signal)
  }

  #noEntities(why: string): void {
    this.#noEntitiesUntilMs = this.#io.clock.now() + NO_ENTITIES_MS
    this.#io.log.info('Feishu cards that grow are not to be had, cards are replaced as a whole', { why })
  }

  async edit(part: OutboundTextPart, messageId: string, signal: AbortSignal): Promise<Outcome> {
    const how = this.#replaced.get(messageId) ?? (await this.#lookUp(messageId, signal))
    if ('status' in how) return how
    this.#replaced.set(messageId, how)
    const outcome = await this.#replace(part, messageId, how, signal)
    const given = this.#patient(part.chat.id, outcome)
    if (given.status !== 'refused' || part.live === true) return given
    const isGone = given.code === 'reply_target_gone'
    if (!isGone && !LOWER.has(given.code)) return given
    // the answer comes as a message of its own, under a key of its own; its beginning must not stay beside it
    this.#abandoned.set(part.deliveryId, true)
    if (!isGone) await this.#client.call({ method: 'DELETE', path: messagePath(messageId) }, limits(signal))
    return contentRejected(given.detail)
  }

  async #replace(part: OutboundTextPart, messageId: string, how: Replaced, signal: AbortSignal): Promise<Outcome> {
    if (how.by === 'put') {
      const body = { ...postContent(part) }
      return shownAs(
        messageId,
        await this.#client.call({ method: 'PUT', path: messagePath(messageId), body }, limits(signal)),
      )
    }
    if (how.by === 'patch') return this.#patch(part, messageId, how, signal)
    const outcome = shownAs(messageId, await this.#grow(part, how.card, signal))
    if (outcome.status !== 'refused' || !LOWER.has(outcome.code)) return outcome
    const lower: Replaced = { by: 'patch', patchedAtMs: 0 }
    this.#replaced.set(messageId, lower)
    return this.#patch(part, messageId, lower, signal)
  }

  async #grow(part: OutboundTextPart, card: CardEntity, signal: AbortSignal): Promise<Answer> {
    const nowMs = this.#io.clock.now()
    const grown = await growCard(this.#client, card, part, nowMs, limits(signal))
    if (!grown.ok && grown.failure.kind === 'answer' && STREAMING_CLOSED.has(grown.failure.code)) {
      return replaceCard(this.#client, card, staticCard(part), nowMs, limits(signal))
    }
    if (!grown.ok || part.live === true) return grown
    const finished = await finishCard(this.#client, card, part, nowMs, limits(signal))
    if (finished.ok) return grown
    const outcome = outcomeOf(finished.failure)
    // the whole text stands there; a card that is not closed closes by itself
    const isOver = outcome.status === 'refused' && LOWER.has(outcome.code)
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
    return shownAs(
      messageId,
      await this.#client.call({ method: 'PATCH', path: messagePath(messageId), body }, limits(signal)),
    )
  }

  /** For a message of an earlier process. */
  async #lookUp(messageId: string, signal: AbortSignal): Promise<Replaced | Outcome> {
    const answer = await this.#client.call({ method: 'GET', path: messagePath(messageId) }, limits(signal))
    if (!answer.ok) {
      const outcome = outcomeOf(answer.failure)
      // what may not be read may still be replaced
      return outcome.status === 'refused' && outcome.code === 'configuration'
        ? { by: 'patch', patchedAtMs: 0 }
        : outcome
    }
    const type = filled(object(list(dataOf(answer.body)['items'])[0])?.['msg_type'])
    if (type !== 'interactive') return { by: 'put' }
    const found = await cardOfMessage(this.#client, messageId, limits(signal))
    return 'card' in found ? { by: 'entity', card: found.card } : { by: 'patch', patchedAtMs: 0 }
  }

  /** Limits that say no time: twice as long each time, for each chat. */
  #patient(chatId: string, outcome: Outcome): Outcome {
    if (outcome.status !== 'refused' || outcome.code !== 'rate_limited') return outcome
    const waitMs = Math.min(this.#waits.get(chatId) ?? 0, LONGEST_WAIT_MS)
    this.#waits.set(chatId, Math.max(1_000, waitMs) * 2)
    return { ...outcome, retryAfterMs: Math.max(outcome.retryAfterMs ?? 0, waitMs) }
  }
}

/** Refusals after which the next lower rung is tried: the others would meet that too, or pass by themselves. */
const LOWER: ReadonlySet<string> = new Set(['configuration', 'content_rejected', 'markup_rejected'])

const limits = (signal: AbortSignal): CallLimits => ({ signal, timeoutMs: SEND_MS })

const messagePath = (messageId: string): string => `/open-apis/im/v1/messages/${encodeURIComponent(messageId)}`

const shownAs = (messageId: string, answer: Answer): Outcome =>
  answer.ok ? { status: 'delivered', messageId } : outcomeOf(answer.failure)

/** An answer goes to the message; in a thread everything is an answer to one of its messages. */
function sendCall(part: OutboundPart, written: Written, uuid: string): Call {
  const { chat, replyTo, after } = part
  const inThread = chat.threadId !== undefined
  const target = replyTo ?? (inThread ? after : undefined)
  if (target !== undefined) {
    const body = { ...written, uuid, ...(inThread ? { reply_in_thread: true } : {}) }
    return { method: 'POST', path: `${messagePath(target)}/reply`, body }
  }
  const { type, id } = receiverOf(chat)
  const body = { receive_id: id, ...written, uuid }
  return { method: 'POST', path: '/open-apis/im/v1/messages', query: { receive_id_type: type }, body }
}
