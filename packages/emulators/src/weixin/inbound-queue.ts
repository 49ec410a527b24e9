import type { EmulatorClock } from '../kit/clock.ts'
import type { ChatStore } from '../kit/chat-store.ts'

/** A message that waits for the bot. */
export interface Waiting {
  readonly messageId: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface Batch {
  readonly messages: readonly Waiting[]
  readonly cursor: string
}

/** Largest number of messages of one answer. */
const BATCH = 50

/**
 * What people wrote, in order. A batch is returned again and again until its cursor comes back: that confirms it, and it
 * never comes again.
 */
export class InboundQueue {
  readonly #world: ChatStore
  readonly #clock: EmulatorClock
  readonly #history: number
  /** Sequence numbers rise by one from `#first`. */
  readonly #kept: Waiting[] = []
  #first = 1
  #confirmed = 0
  /** End of the batch that was handed out and not confirmed. */
  #handed = 0
  #epoch = 1
  readonly #held = new Set<AbortController>()

  constructor(chatStore: ChatStore, history: number) {
    this.#world = chatStore
    this.#clock = chatStore.clock
    this.#history = history
  }

  /** Whether a poll is held. */
  get isPolled(): boolean {
    return this.#held.size > 0
  }

  push(message: Waiting): void {
    this.#kept.push(message)
    const isDroppable = this.#first <= this.#confirmed
    if (this.#kept.length > this.#history && isDroppable) {
      this.#kept.shift()
      this.#first += 1
    }
    // of several polls one gets the message
    const [longest] = this.#held
    longest?.abort()
  }

  /** Confirms up to `cursor`, then waits for messages, at most `holdMs`. */
  async poll(cursor: string, holdMs: number, gone: AbortSignal): Promise<Batch> {
    this.#confirm(this.#positionOf(cursor))
    if (this.#end() === this.#confirmed) await this.#hold(holdMs, gone)
    const messages = gone.aborted ? [] : this.#next()
    for (const { messageId } of messages) this.#world.recordDelivery(messageId)
    return { messages, cursor: this.#cursorOf(this.#confirmed + messages.length) }
  }

  /** Ends the polls that are held. */
  release(): void {
    for (const held of this.#held) held.abort()
  }

  /** No cursor given so far means anything; everything that is kept comes again. */
  reset(): void {
    this.#epoch += 1
    this.#confirmed = this.#first - 1
    this.#handed = this.#confirmed
  }

  #next(): readonly Waiting[] {
    const until = this.#handed > this.#confirmed ? this.#handed : Math.min(this.#end(), this.#confirmed + BATCH)
    this.#handed = until
    return this.#kept.slice(this.#confirmed + 1 - this.#first, until + 1 - this.#first)
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
      this.#world.recordConfirmation(this.#kept[at - this.#first]?.messageId ?? '')
    }
    this.#confirmed = Math.max(this.#confirmed, position)
  }

  #end(): number {
    return this.#first + this.#kept.length - 1
  }

  #cursorOf(position: number): string {
    return Buffer.from(`${this.#epoch}:${position}`).toString('base64')
  }

  #positionOf(cursor: string): number {
    const [epoch, position] = Buffer.from(cursor, 'base64').toString().split(':').map(Number)
    return epoch === this.#epoch && Number.isInteger(position) ? Math.min(position ?? 0, this.#end()) : 0
  }
}
