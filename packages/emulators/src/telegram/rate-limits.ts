import type { EmulatorClock } from '../kit/clock.ts'
import { tooManyRequests } from './failure.ts'

/** The platform's limits for sends and edits, as its FAQ gives them. */
export interface RateLimits {
  /** Overall, per second. */
  readonly overallPerSecond: number
  /** Per chat, per second; short bursts pass. */
  readonly chatPerSecond: number
  /** How many may come at once in a chat. */
  readonly chatBurst: number
  /** Per group and minute. */
  readonly groupPerMinute: number
}

export const REAL_RATE_LIMITS: RateLimits = {
  overallPerSecond: 30,
  chatPerSecond: 1,
  chatBurst: 3,
  groupPerMinute: 20,
}

/** Tokens that come back with time. */
interface Bucket {
  tokens: number
  atMs: number
}

/** Counts sends and edits; does nothing until limits are set. */
export class RateLimiter {
  readonly #clock: EmulatorClock
  readonly #buckets = new Map<string, Bucket>()
  #limits: RateLimits | null = null

  constructor(clock: EmulatorClock) {
    this.#clock = clock
  }

  /** Null switches the limits off. */
  set(limits: RateLimits | null): void {
    this.#limits = limits
    this.#buckets.clear()
  }

  /** @throws {TelegramFailure} 429 with the seconds until one more would pass. */
  take(chatId: number): void {
    if (!this.#limits) return
    const { overallPerSecond, chatPerSecond, chatBurst, groupPerMinute } = this.#limits
    const buckets = [this.#refill('all', overallPerSecond, overallPerSecond)]
    if (chatId > 0) buckets.push(this.#refill(`chat ${chatId}`, chatBurst, chatPerSecond))
    else buckets.push(this.#refill(`group ${chatId}`, groupPerMinute, groupPerMinute / 60))
    const waits = buckets.map(({ bucket, perSecond }) => (1 - bucket.tokens) / perSecond)
    const wait = Math.max(...waits)
    if (wait > 0) throw tooManyRequests(Math.max(1, Math.ceil(wait)))
    for (const { bucket } of buckets) bucket.tokens--
  }

  #refill(key: string, capacity: number, perSecond: number): { bucket: Bucket; perSecond: number } {
    const now = this.#clock.now()
    const bucket = this.#buckets.get(key) ?? { tokens: capacity, atMs: now }
    bucket.tokens = Math.min(capacity, bucket.tokens + ((now - bucket.atMs) / 1000) * perSecond)
    bucket.atMs = now
    this.#buckets.set(key, bucket)
    return { bucket, perSecond }
  }
}
