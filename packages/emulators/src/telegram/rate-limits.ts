import type { EmulatorClock } from '../kit/clock.ts'
import { tooManyRequests } from './failure.ts'

/** Limits for sends and edits. */
export interface RateLimits {
  /** Maximum per second, overall. */
  readonly overallPerSecond: number
  /** Maximum per second and chat, after a burst. */
  readonly chatPerSecond: number
  /** Burst size per chat. */
  readonly chatBurst: number
  /** Maximum per minute and group. */
  readonly groupPerMinute: number
}

/** The platform's limits, from its FAQ. */
export const REAL_RATE_LIMITS: RateLimits = {
  overallPerSecond: 30,
  chatPerSecond: 1,
  chatBurst: 3,
  groupPerMinute: 20,
}

/** A token bucket. */
interface Bucket {
  tokens: number
  atMs: number
}

/** Limits sends and edits; off until limits are set. */
export class RateLimiter {
  readonly #clock: EmulatorClock
  readonly #buckets = new Map<string, Bucket>()
  #limits: RateLimits | null = null

  constructor(clock: EmulatorClock) {
    this.#clock = clock
  }

  /** Sets the limits; `null` turns them off. */
  set(limits: RateLimits | null): void {
    this.#limits = limits
    this.#buckets.clear()
  }

  /** Counts a send. @throws {TelegramFailure} 429 with the seconds until the next one is allowed */
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
