import type { EmulatorClock } from '../kit/clock.ts'

const CHAT_PER_SECOND = 5
const UPDATES_PER_SECOND = 5
const CALLS_PER_SECOND = 50
const CALLS_PER_MINUTE = 1_000

/** The platform's rate limits, or none. */
export class Rates {
  readonly #clock: EmulatorClock
  readonly #isOn: boolean
  readonly #used = new Map<string, readonly number[]>()

  constructor(clock: EmulatorClock, isOn: boolean) {
    this.#clock = clock
    this.#isOn = isOn
  }

  /** Five messages a second to one chat. */
  maySend(chatId: string): boolean {
    return this.#take(`chat ${chatId}`, [[1_000, CHAT_PER_SECOND]])
  }

  /** Five updates a second of one card message. */
  mayUpdate(messageId: string): boolean {
    return this.#take(`message ${messageId}`, [[1_000, UPDATES_PER_SECOND]])
  }

  /** 50 calls a second and 1 000 a minute of one kind. */
  mayCall(method: string): boolean {
    return this.#take(`call ${method}`, [
      [1_000, CALLS_PER_SECOND],
      [60_000, CALLS_PER_MINUTE],
    ])
  }

  #take(key: string, limits: readonly (readonly [windowMs: number, most: number])[]): boolean {
    if (!this.#isOn) return true
    const now = this.#clock.now()
    const recent = (this.#used.get(key) ?? []).filter((atMs) => atMs > now - 60_000)
    const isFree = limits.every(([windowMs, most]) => recent.filter((atMs) => atMs > now - windowMs).length < most)
    this.#used.set(key, isFree ? [...recent, now] : recent)
    return isFree
  }
}
