import type { EmulatorClock } from '../kit/clock.ts'

const CHAT_PER_SECOND = 5
const UPDATES_PER_SECOND = 5
const CALLS_PER_SECOND = 50
const CALLS_PER_MINUTE = 1_000

/** Rate limits of the platform; can be off. */
export class RateLimits {
  readonly #clock: EmulatorClock
  readonly #isOn: boolean
  readonly #used = new Map<string, readonly number[]>()

  constructor(clock: EmulatorClock, isOn: boolean) {
    this.#clock = clock
    this.#isOn = isOn
  }

  /** Counts a message unless it exceeds 5 per second in a chat. Returns whether it is allowed. */
  takeSend(chatId: string): boolean {
    return this.#takeFault(`chat ${chatId}`, [[1_000, CHAT_PER_SECOND]])
  }

  /** Counts a card update unless it exceeds 5 per second. Returns whether it is allowed. */
  takeUpdate(messageId: string): boolean {
    return this.#takeFault(`message ${messageId}`, [[1_000, UPDATES_PER_SECOND]])
  }

  /** Counts a call unless it exceeds 50 per second or 1,000 per minute. Returns whether it is allowed. */
  takeCall(method: string): boolean {
    return this.#takeFault(`call ${method}`, [
      [1_000, CALLS_PER_SECOND],
      [60_000, CALLS_PER_MINUTE],
    ])
  }

  #takeFault(key: string, limits: readonly (readonly [windowMs: number, most: number])[]): boolean {
    if (!this.#isOn) return true
    const now = this.#clock.now()
    const recent = (this.#used.get(key) ?? []).filter((atMs) => atMs > now - 60_000)
    const isFree = limits.every(([windowMs, most]) => recent.filter((atMs) => atMs > now - windowMs).length < most)
    this.#used.set(key, isFree ? [...recent, now] : recent)
    return isFree
  }
}
