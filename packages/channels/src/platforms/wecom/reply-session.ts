import type { OutboundPart } from '../../message.ts'
import { dropOldest, putNewest } from '../wire/bounded-map.ts'
import type { WecomSession } from './client.ts'
import { ownId } from './encode.ts'
import { type Answer, isNotSubscribed } from './outcome.ts'

/** A reply that is streamed into one message. */
export interface Stream {
  readonly id: string
  readonly reqId: string
  readonly deliveryId: string
  readonly chatId: string
  beganAtMs: number | null
  /** What people see in it, as far as the platform has confirmed. */
  text: string
  /** `ending`: its last frame is sent and not confirmed. `closed`: it can take no more, and the answer is not complete. */
  state: 'open' | 'ending' | 'ended' | 'closed'
  /** A last frame of it had no answer: it may be shown. */
  isEndUnsure: boolean
  /** To how many frames the answer never came: it would be taken for that to a later one. */
  behind: number
  /** Of a closed one: what stands in it and need not be said again. */
  head: string
  /** Resolves once it is closed. */
  closing: Promise<void>
}

/** A message can be answered this long, on its own connection. */
const REPLY_MS = 24 * 60 * 60 * 1_000
const REMEMBERED_CHATS = 5_000
const REMEMBERED_MESSAGES = 20
const REMEMBERED_STREAMS = 2_000

interface Heard {
  readonly messageId: string
  readonly reqId: string
  readonly atMs: number
}

/** One connection, with the messages that can be answered on it and the streams in progress: none of it outlives it. */
export class ReplySession {
  /** Rises with every connection of this process. */
  readonly number: number
  readonly #session: WecomSession
  readonly openedAtMs: number
  readonly #heard: ReadonlyMap<string, readonly Heard[]>
  readonly #forgotten = new Set<string>()
  /** Turn or send ids, and what they were sent with. */
  readonly #answers = new Map<string, string>()
  readonly #streams = new Map<string, Stream>()

  constructor(session: WecomSession, heard: ReplyTargets, number: number, openedAtMs: number) {
    this.#session = session
    this.#heard = heard.chats
    this.number = number
    this.openedAtMs = openedAtMs
  }

  async call(
    cmd: string,
    reqId: string,
    body: Readonly<Record<string, unknown>> | null,
    signal: AbortSignal,
  ): Promise<Answer> {
    const answer = await this.#session.call(cmd, reqId, body, signal)
    if (!answer.ok && isNotSubscribed(answer.failure))
      this.#session.close({ why: 'lost', detail: 'the subscription is no longer valid' })
    return answer
  }

  /**
   * What a reply is sent with: to the message that the part answers, or that an earlier part of the same answer did,
   * else to the newest one of the chat. `null`: it cannot be a reply.
   */
  reqIdFor(part: OutboundPart, nowMs: number): string | null {
    if (part.proactive === true) return null
    const heard = this.#heard.get(part.chat.id) ?? []
    const answer = part.deliveryId.slice(0, part.deliveryId.lastIndexOf('.'))
    const before = this.#answers.get(answer)
    const target =
      part.replyTo !== undefined
        ? heard.find(({ messageId }) => messageId === part.replyTo)
        : before !== undefined
          ? heard.find(({ reqId }) => reqId === before)
          : heard.at(-1)
    if (target === undefined || nowMs - target.atMs >= REPLY_MS || this.#forgotten.has(target.reqId)) return null
    putNewest(this.#answers, answer, target.reqId, REMEMBERED_STREAMS)
    return target.reqId
  }

  /** Nothing new is to be sent with it: the platform takes it no more, or owes an answer to an earlier frame. */
  forget(reqId: string): void {
    this.#forgotten.add(reqId)
    dropOldest(this.#forgotten, REMEMBERED_CHATS)
  }

  findStream(deliveryId: string): Stream | undefined {
    return this.#streams.get(deliveryId)
  }

  streamNamed(id: string): Stream | undefined {
    return this.streams().find((stream) => stream.id === id)
  }

  streams(): readonly Stream[] {
    return [...this.#streams.values()]
  }

  /** The stream of this delivery: the one that was begun, or a new one. */
  beginStream(deliveryId: string, chatId: string, reqId: string): Stream {
    const known = this.#streams.get(deliveryId)
    if (known !== undefined) return known
    const stream: Stream = {
      id: ownId('stream', deliveryId, reqId),
      reqId,
      deliveryId,
      chatId,
      beganAtMs: null,
      text: '',
      state: 'open',
      isEndUnsure: false,
      behind: 0,
      head: '',
      closing: Promise.resolve(),
    }
    putNewest(this.#streams, deliveryId, stream, REMEMBERED_STREAMS)
    return stream
  }
}

/** Messages received on one connection, newest last in each chat. */
export class ReplyTargets {
  readonly #chats = new Map<string, readonly Heard[]>()

  get chats(): ReadonlyMap<string, readonly Heard[]> {
    return this.#chats
  }

  note(chatId: string, heard: Heard): void {
    const before = this.#chats.get(chatId) ?? []
    putNewest(this.#chats, chatId, [...before, heard].slice(-REMEMBERED_MESSAGES), REMEMBERED_CHATS)
  }
}
