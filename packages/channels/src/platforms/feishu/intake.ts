import type { Inbox } from '../../connection.ts'
import type { Chat, InboundEvent } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { list } from '../wire/json.ts'
import { readData, type FeishuClient } from './client.ts'
import {
  forwardedText,
  toInboundMessage,
  isByPerson,
  type Parent,
  quotedText,
  readItem,
  type RawMessage,
} from './decode.ts'
import { describeFailure } from './outcome.ts'

/** Stores received messages in the order in which they arrived. */
export interface Intake {
  /** Resolves when it is stored, or need not be. Rejects when it could not be: then nothing may be confirmed. */
  message(raw: RawMessage, known?: Chat): Promise<void>
  event(event: InboundEvent): Promise<void>
  /** Rejects with what the inbox threw first; never resolves. */
  readonly failed: Promise<never>
  /** Resolves when all work has ended. */
  settled(): Promise<void>
}

/** Options of `openIntake`. */
export interface IntakeOptions {
  readonly inbox: Inbox
  readonly client: FeishuClient
  readonly io: PlatformIo
  readonly botId: string | null
  readonly appId: string
  readonly signal: AbortSignal
}

/** What is asked besides must be there within the 3 seconds in which an event is to be confirmed. */
const ASK_MS = 1_500

/** Creates the intake of one run. */
export const openIntake = (options: IntakeOptions): Intake => new OrderedIntake(options)

class OrderedIntake implements Intake {
  readonly #options: IntakeOptions
  readonly #failed = Promise.withResolvers<never>()
  #last: Promise<void> = Promise.resolve()
  #isBroken = false

  constructor(options: IntakeOptions) {
    this.#options = options
    this.#failed.promise.catch(() => undefined) // whoever waits for it sees it
  }

  get failed(): Promise<never> {
    return this.#failed.promise
  }

  async settled(): Promise<void> {
    await this.#last.catch(() => undefined) // told by `failed`
  }

  message(raw: RawMessage, known?: Chat): Promise<void> {
    if (!isByPerson(raw)) return Promise.resolve()
    const asked = this.#ask(raw)
    return this.#inOrder(async () => {
      const { botId } = this.#options
      const message = toInboundMessage(raw, botId, { ...(await asked), ...(known === undefined ? {} : { known }) })
      if (message !== null) return message
      this.#options.io.log.debug('Ignored an empty Feishu message', { type: raw.type })
      return null
    })
  }

  event(event: InboundEvent): Promise<void> {
    return this.#inOrder(() => Promise.resolve(event))
  }

  /** Requests for later messages run at once, but the messages are stored in order. */
  #inOrder(make: () => Promise<InboundEvent | null>): Promise<void> {
    const { inbox } = this.#options
    const run = this.#last.then(async () => {
      if (this.#isBroken) return this.#failed.promise
      const event = await make()
      try {
        if (event !== null) await inbox.accept([event], null)
      } catch (error) {
        this.#isBroken = true
        this.#failed.reject(error)
        throw error
      }
    })
    this.#last = run.catch(() => undefined) // the one who asked for it is told
    return run
  }

  async #ask(raw: RawMessage): Promise<{ readonly parent: Parent | null; readonly forwarded: string | null }> {
    const { parentId } = raw
    const [parent, forwarded] = await Promise.all([
      parentId === undefined ? null : this.#read(parentId),
      raw.type === 'merge_forward' ? this.#read(raw.messageId) : null,
    ])
    const { botId, appId } = this.#options
    const [answered] = parent ?? []
    const own = answered?.senderType === 'app' && (answered.senderId === appId || answered.senderId === botId)
    return {
      parent: answered === undefined ? null : { text: quotedText(answered, botId), own },
      forwarded: forwarded === null ? null : forwardedText(forwarded.slice(1)),
    }
  }

  /** A message, and what is merged in it; `null` when it cannot be had. */
  async #read(messageId: string): Promise<readonly RawMessage[] | null> {
    const { client, io, signal } = this.#options
    const path = `/open-apis/im/v1/messages/${encodeURIComponent(messageId)}`
    const answer = await client.call({ method: 'GET', path }, { signal, timeoutMs: ASK_MS })
    if (answer.ok)
      return list(readData(answer.body)['items'])
        .map(readItem)
        .filter((raw) => raw !== null)
    io.log.info("Couldn't read a quoted or forwarded Feishu message", { why: describeFailure(answer.failure) })
    return null
  }
}
