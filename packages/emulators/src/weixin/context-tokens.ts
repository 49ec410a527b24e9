import type { EmulatorClock } from '../kit/clock.ts'
import { forgetOldest } from '../kit/forget-oldest.ts'
import { madeUp, type MessageIds } from './message-ids.ts'

interface Issued {
  readonly userId: string
  readonly atMs: number
  sends: number
}

export interface ContextLimits {
  /** Sends that one inbound message allows. */
  readonly sendsPerMessage: number
  readonly contextLifeMs: number
  /** How many tokens are kept. */
  readonly history: number
}

/** Every message of a person allows a few sends to this person, for a while. */
export class ContextTokens {
  readonly #clock: EmulatorClock
  readonly #ids: MessageIds
  readonly #limits: ContextLimits
  readonly #issued = new Map<string, Issued>()

  constructor(clock: EmulatorClock, ids: MessageIds, limits: ContextLimits) {
    this.#clock = clock
    this.#ids = ids
    this.#limits = limits
  }

  issue(userId: string): string {
    const token = `CT${madeUp('context', userId, this.#ids.next())}`
    this.#issued.set(token, { userId, atMs: this.#clock.now(), sends: 0 })
    forgetOldest(this.#issued, this.#limits.history)
    return token
  }

  /** Whether the token is this person's and not too old. */
  isLive(token: string, userId: string): boolean {
    const issued = this.#issued.get(token)
    return issued?.userId === userId && this.#clock.now() - issued.atMs < this.#limits.contextLifeMs
  }

  /** Counts one send. @returns `null`, or the text with which it is refused */
  spend(token: string, userId: string): string | null {
    const issued = this.#issued.get(token)
    if (issued?.userId !== userId) return 'unknown error'
    if (!this.isLive(token, userId)) return 'prepare failed'
    if (issued.sends >= this.#limits.sendsPerMessage) return ''
    issued.sends += 1
    return null
  }

  /** Counts one send for the newest message of this person. */
  spendNewest(userId: string): string | null {
    const newest = [...this.#issued].findLast(([, issued]) => issued.userId === userId)
    return newest ? this.spend(newest[0], userId) : 'unknown error'
  }
}
