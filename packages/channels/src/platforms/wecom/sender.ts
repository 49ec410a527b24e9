import { createHash } from 'node:crypto'
import type { Allowance } from '../../connection.ts'
import type { Chat, OutboundFilePart, OutboundPart, OutboundTextPart, Outcome } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { putNewest } from '../wire/bounded-map.ts'
import {
  closingContent,
  type Content,
  toContent,
  markdown,
  media,
  ownId,
  push,
  stream as streamBody,
  wholeBlocks,
} from './encode.ts'
import { SENDS_PER_HOUR } from './limits.ts'
import { type Answer, isExpired, isShownAlready, toOutcome } from './outcome.ts'
import type { Stream, ReplySession } from './reply-session.ts'
import { upload } from './media.ts'

/**
 * From the first frame of a stream: then it is finished, while it certainly still can be.
 * @see WeCom, "smart bot, long connection" (6 minutes) and "smart bot, callback URL" (10 minutes)
 */
const STREAM_MS = 5 * 60_000
const REMEMBERED = 5_000

/** What was tried, and on which connection. */
interface Tried {
  readonly talk: number
  readonly as: 'stream' | 'push'
}

/** Sends messages: as a stream where a message can be answered on this connection, otherwise as a push. */
export class MessageSender {
  readonly #io: PlatformIo
  readonly #tried = new Map<string, Tried>()
  /** Pushes that were shown, by our name of them: the digest of the text. */
  readonly #pushed = new Map<string, string>()
  readonly #sends = createHourlyCounter(SENDS_PER_HOUR)

  constructor(io: PlatformIo) {
    this.#io = io
  }

  async sendText(talk: ReplySession, part: OutboundTextPart, signal: AbortSignal): Promise<Outcome> {
    const content = toContent(part)
    const begun = talk.findStream(part.deliveryId)
    if (begun?.state === 'closed') return this.#sendRest(talk, part, begun, content, signal)
    if (begun?.state === 'ended' && begun.text === content) return toDelivered(begun.id)
    const wasTried = this.#tried.has(part.deliveryId)
    const isPush = this.#tried.get(part.deliveryId)?.as === 'push'
    const reqId = isPush ? null : (begun?.reqId ?? talk.reqIdFor(part, this.#io.clock.now()))
    if (reqId !== null) {
      const stream = talk.beginStream(part.deliveryId, part.chat.id, reqId)
      const outcome = await this.#sendFrame(talk, stream, content, part.live !== true, signal)
      if (outcome !== EXPIRED) return outcome
      if (part.live !== true && stream.isEndUnsure) return UNCERTAIN_END
    }
    // nothing but a stream can be unfinished; but what was begun before is the whole text now
    if (part.live === true && !wasTried) return STREAM_GONE
    return this.#push(talk, part, content, signal)
  }

  async sendFile(talk: ReplySession, part: OutboundFilePart, signal: AbortSignal): Promise<Outcome> {
    const file = await upload(talk, part, signal)
    if (!('mediaId' in file)) return file
    const content = media(file.type, file.mediaId)
    const reqId = talk.reqIdFor(part, this.#io.clock.now())
    if (reqId === null) return this.#sendPush(talk, part, content, signal)
    const answer = await talk.call('aibot_respond_msg', reqId, content, signal)
    this.#count(part.chat.id, answer)
    if (answer.ok) return toDelivered(ownId('push', part.deliveryId))
    const isGone = isExpired(answer.failure)
    if (isGone || answer.failure.kind === 'unanswered') talk.forget(reqId)
    if (!isGone) return toOutcome(answer.failure)
    return this.#sendPush(talk, part, content, signal)
  }

  /** Replaces the text of a bubble that is still open; without `live` it is the last one. */
  async edit(talk: ReplySession, part: OutboundTextPart, messageId: string, signal: AbortSignal): Promise<Outcome> {
    if (this.#pushed.get(messageId) === digestText(part.body)) return toDelivered(messageId)
    const content = toContent(part)
    const stream = talk.streamNamed(messageId)
    if (stream === undefined) return STREAM_GONE
    if (stream.state === 'ended' && stream.text === content) return toDelivered(messageId)
    const isLive = part.live === true
    if (isLive && stream.state === 'open' && this.#getAgeMs(stream) >= STREAM_MS) this.#closeStream(talk, stream)
    if (stream.state === 'closed') {
      await stream.closing
      return STREAM_GONE
    }
    const outcome = await this.#sendFrame(talk, stream, content, !isLive, signal)
    if (outcome !== EXPIRED) return outcome
    return !isLive && stream.isEndUnsure ? UNCERTAIN_END : STREAM_GONE
  }

  resend(talk: ReplySession, part: OutboundPart, triedAtMs: number): boolean {
    if (part.kind !== 'text' || part.proactive === true) return false
    const tried = this.#tried.get(part.deliveryId)
    // nothing of it was tried by this process: neither by the connection that is open now
    if (tried === undefined) return triedAtMs >= talk.openedAtMs && talk.reqIdFor(part, this.#io.clock.now()) !== null
    const stream = talk.findStream(part.deliveryId)
    return tried.talk === talk.number && tried.as === 'stream' && stream !== undefined && this.#isRepeatable(stream)
  }

  editAgain(talk: ReplySession, messageId: string): boolean {
    const stream = talk.streamNamed(messageId)
    return this.#pushed.has(messageId) || (stream !== undefined && this.#isRepeatable(stream))
  }

  allowance(chat: Chat): Allowance {
    const retryAfterMs = this.#sends.waitFor(chat.id, this.#io.clock.now())
    if (retryAfterMs === 0) return { left: null, refused: null }
    const detail = `This conversation has reached WeCom's limit of ${SENDS_PER_HOUR} messages an hour.`
    return { left: null, refused: { status: 'refused', code: 'quota_used_up', detail, retryAfterMs } }
  }

  /** Finishes the bubbles that will soon take no more. @param withinMs How soon this is asked again. */
  closeOld(talk: ReplySession, withinMs: number): void {
    for (const stream of talk.streams()) {
      if (stream.state === 'open' && this.#getAgeMs(stream) >= STREAM_MS - withinMs) this.#closeStream(talk, stream)
    }
  }

  #isRepeatable(stream: Stream): boolean {
    return stream.state !== 'closed' && this.#getAgeMs(stream) < STREAM_MS
  }

  #getAgeMs(stream: Stream): number {
    return stream.beganAtMs === null ? 0 : this.#io.clock.now() - stream.beganAtMs
  }

  async #sendFrame(
    talk: ReplySession,
    stream: Stream,
    content: string,
    isLast: boolean,
    signal: AbortSignal,
  ): Promise<Outcome | typeof EXPIRED> {
    const isNew = stream.beganAtMs === null
    stream.beganAtMs ??= this.#io.clock.now()
    if (isLast) stream.state = 'ending' // from now on nobody else writes into it
    this.#recordAttempt(stream.deliveryId, { talk: talk.number, as: 'stream' })
    const body = streamBody(stream.id, content, isLast)
    let answer = await talk.call('aibot_respond_msg', stream.reqId, body, signal)
    // the library tells frames of one req_id apart by their order: this may be what the platform said late of another
    for (let late = isLast ? stream.behind : 0; late > 0 && answer.ok; late--)
      answer = await talk.call('aibot_respond_msg', stream.reqId, body, signal)
    if (isNew) this.#count(stream.chatId, answer)
    if (!answer.ok && answer.failure.kind === 'unanswered') {
      stream.behind += 1
      talk.forget(stream.reqId)
    }
    if (answer.ok || (isLast && isShownAlready(answer.failure))) {
      stream.text = content
      if (isLast) stream.state = 'ended'
      return toDelivered(stream.id)
    }
    const outcome = toOutcome(answer.failure)
    if (outcome.status === 'refused' && isNew) stream.beganAtMs = null
    if (outcome.status === 'unknown' && isLast) stream.isEndUnsure = true
    if (isExpired(answer.failure)) {
      if (isNew) talk.forget(stream.reqId)
      stream.state = 'closed'
      return EXPIRED
    }
    // one that was closed meanwhile stays closed
    if (isLast && outcome.status === 'refused' && !stream.isEndUnsure) stream.state = 'open'
    return outcome
  }

  #push(talk: ReplySession, part: OutboundTextPart, content: string, signal: AbortSignal): Promise<Outcome> {
    return this.#sendPush(talk, part, markdown(content), signal)
  }

  async #sendPush(talk: ReplySession, part: OutboundPart, content: Content, signal: AbortSignal): Promise<Outcome> {
    const id = ownId('push', part.deliveryId)
    this.#recordAttempt(part.deliveryId, { talk: talk.number, as: 'push' })
    const answer = await talk.call('aibot_send_msg', id, push(part.chat, content), signal)
    this.#count(part.chat.id, answer)
    if (!answer.ok) return toOutcome(answer.failure)
    if (part.kind === 'text') putNewest(this.#pushed, id, digestText(part.body), REMEMBERED)
    return toDelivered(id)
  }

  /** The bubble had to be finished before the answer was complete: what is missing in it goes as a push. */
  async #sendRest(
    talk: ReplySession,
    part: OutboundTextPart,
    stream: Stream,
    content: string,
    signal: AbortSignal,
  ): Promise<Outcome> {
    await stream.closing
    const rest =
      stream.head !== '' && content.startsWith(stream.head) ? content.slice(stream.head.length).trim() : content
    return rest === '' ? toDelivered(stream.id) : this.#push(talk, part, rest, signal)
  }

  #closeStream(talk: ReplySession, stream: Stream): void {
    stream.state = 'closed'
    const head = wholeBlocks(stream.text)
    const body = streamBody(stream.id, closingContent(head === '' ? stream.text : head), true)
    stream.closing = talk.call('aibot_respond_msg', stream.reqId, body, NEVER).then((answer) => {
      if (answer.ok) {
        stream.head = head
        return
      }
      if (answer.failure.kind === 'unanswered') talk.forget(stream.reqId)
      this.#io.log.debug("Couldn't finish a WeCom message", { why: toOutcome(answer.failure) })
    })
  }

  #recordAttempt(deliveryId: string, tried: Tried): void {
    putNewest(this.#tried, deliveryId, tried, REMEMBERED)
  }

  #count(chatId: string, answer: Answer): void {
    const counts = answer.ok || toOutcome(answer.failure).status === 'unknown'
    if (counts) this.#sends.note(chatId, this.#io.clock.now())
  }
}

const digestText = (body: string): string => createHash('sha256').update(body).digest('base64')
const NEVER = new AbortController().signal
const EXPIRED = Symbol('the stream or the reply is not taken any more')
const toDelivered = (messageId: string): Outcome => ({ status: 'delivered', messageId })
const UNCERTAIN_END: Outcome = {
  status: 'unknown',
  detail: 'an earlier attempt got no response, and the stream has expired',
}
const STREAM_GONE: Outcome = {
  status: 'refused',
  code: 'reply_target_gone',
  detail: 'the message can only be edited for a few minutes, on the connection that sent it',
}

/** Counts the sends to each conversation in the last hour. In memory only: after a restart, the platform's refusal takes over. */
interface HourlyCounter {
  note(chatId: string, nowMs: number): void
  /** Milliseconds until one more may be sent; 0: now. */
  waitFor(chatId: string, nowMs: number): number
}

const HOUR_MS = 60 * 60 * 1_000
const REMEMBERED_CHATS = 10_000

/** @param most Sends to one conversation within an hour. */
export function createHourlyCounter(max: number): HourlyCounter {
  const sent = new Map<string, readonly number[]>()
  // what lies ahead was noted before the clock was set back
  const counting = (chatId: string, nowMs: number): readonly number[] =>
    (sent.get(chatId) ?? []).filter((time) => time > nowMs - HOUR_MS && time <= nowMs)
  return {
    note(chatId, nowMs) {
      putNewest(sent, chatId, [...counting(chatId, nowMs), nowMs].slice(-max), REMEMBERED_CHATS)
    },
    waitFor(chatId, nowMs) {
      const times = counting(chatId, nowMs)
      const [oldest] = times
      return oldest === undefined || times.length < max ? 0 : oldest + HOUR_MS - nowMs
    },
  }
}
