import type { EmulatorClock } from '../kit/clock.ts'
import type { ChatStore } from '../kit/chat-store.ts'

/** A message for the bot. */
export interface Waiting {
  readonly messageId: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Messages of one poll, with the cursor that confirms them. */
export interface Batch {
  readonly messages: readonly Waiting[]
  readonly cursor: string
}

/** Maximum number of messages per poll. */
const BATCH = 50

/**
 * Messages of people, in order. A batch is returned by every poll until a poll brings its cursor, which confirms it.
 */
export class InboundQueue {
  readonly #chatStore: ChatStore
  readonly #clock: EmulatorClock
  readonly #history: number
  /** Numbered from `#first`. */
  readonly #queue: Waiting[] = []
  #first = 1
  #confirmed = 0
  /** End of the batch that was delivered but not confirmed. */
  #batchEnd = 0
  #epoch = 1
  readonly #held = new Set<AbortController>()

  constructor(chatStore: ChatStore, history: number) {
    this.#chatStore = chatStore
    this.#clock = chatStore.clock
    this.#history = history
  }

  /** Whether a poll is pending. */
  get isPolled(): boolean {
    return this.#held.size > 0
  }

  /** Adds a message and wakes a pending poll. */
  push(message: Waiting): void {
    this.#queue.push(message)
    const isDroppable = this.#first <= this.#confirmed
    if (this.#queue.length > this.#history && isDroppable) {
      this.#queue.shift()
      this.#first += 1
    }
    // only one of several polls gets the message
    const [longest] = this.#held
    longest?.abort()
  }

  /** Confirms up to `cursor`, then waits for messages, at most `holdMs`. */
  async poll(cursor: string, holdMs: number, gone: AbortSignal): Promise<Batch> {
    this.#confirm(this.#parseCursor(cursor))
    if (this.#end() === this.#confirmed) await this.#hold(holdMs, gone)
    const messages = gone.aborted ? [] : this.#next()
    for (const { messageId } of messages) this.#chatStore.recordDelivery(messageId)
    return { messages, cursor: this.#toCursor(this.#confirmed + messages.length) }
  }

  /** Ends pending polls. */
  release(): void {
    for (const held of this.#held) held.abort()
  }

  /** Invalidates all cursors, so that all stored messages are delivered again. */
  reset(): void {
    this.#epoch += 1
    this.#confirmed = this.#first - 1
    this.#batchEnd = this.#confirmed
  }

  #next(): readonly Waiting[] {
    const until = this.#batchEnd > this.#confirmed ? this.#batchEnd : Math.min(this.#end(), this.#confirmed + BATCH)
    this.#batchEnd = until
    return this.#queue.slice(this.#confirmed + 1 - this.#first, until + 1 - this.#first)
  }

  async #hold(holdMs: number, gone: AbortSignal): Promise<void> {
    const held = new AbortController()
    const leave = (): void => held.abort()
    gone.addEventListener('abort', leave)
    this.#held.add(held)
    await this.#clock.sleep(holdMs, held.signal)
    this.#held.delete(held)
    gone.removeEventListener('abort', leave)
  }

  #confirm(position: number): void {
    for (let at = this.#confirmed + 1; at <= position; at++) {
      this.#chatStore.recordConfirmation(this.#queue[at - this.#first]?.messageId ?? '')
    }
    this.#confirmed = Math.max(this.#confirmed, position)
  }

  #end(): number {
    return this.#first + this.#queue.length - 1
  }

  #toCursor(position: number): string {
    return Buffer.from(`${this.#epoch}:${position}`).toString('base64')
  }

  #parseCursor(cursor: string): number {
    const [epoch, position] = Buffer.from(cursor, 'base64').toString().split(':').map(Number)
    return epoch === this.#epoch && Number.isInteger(position) ? Math.min(position ?? 0, this.#end()) : 0
  }
}
