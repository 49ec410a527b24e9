import type { PlatformLimits, Rate } from '../platform.ts'
import type { Clock } from '../platform-io.ts'
import type { Chat } from '../message.ts'

/** A token bucket. Bookkeeping only: the caller waits. */
interface Bucket {
  tokens: number
  atMs: number
  pausedUntilMs: number
}

/**
 * Keeps the sends of one bot within the platform's rate limits: one bucket for the bot and one per chat, in memory. After
 * a restart the buckets are full again, and the platform's `retry_after` makes up for that.
 */
export interface Pace {
  /** Takes one send for this chat, or returns the milliseconds until one is available (0: taken). */
  take(chat: Chat): number
  /** Returns the remaining pause in milliseconds, for requests that do not count as sends. */
  pausedFor(chat: Chat): number
  /** Pauses this chat, or all when `chat` is null, as the platform asked. */
  pause(chat: Chat | null, untilMs: number): void
  /** Pauses a chat that hit a rate limit; two chats within a second mean that the whole bot must wait. */
  limited(chat: Chat, untilMs: number): void
  budget(): { available: number; perSecond: number; pausedUntilMs: number | null }
}

/** Rounding error of fractional tokens: a caller that waited as told must succeed. */
const ROUNDING = 1e-6

/** Creates the pacing of one bot. @param enabled False: only pauses that the platform asks for are honored. */
export const createPace = (limits: PlatformLimits['pace'], clock: Clock, enabled: boolean): Pace =>
  new Buckets(limits, clock, enabled)

class Buckets implements Pace {
  readonly #limits: PlatformLimits['pace']
  readonly #clock: Clock
  readonly #enabled: boolean
  readonly #whole: Bucket
  readonly #chats = new Map<string, Bucket>()
  #lastLimited: { readonly chatId: string; readonly atMs: number } | null = null

  constructor(limits: PlatformLimits['pace'], clock: Clock, enabled: boolean) {
    this.#limits = limits
    this.#clock = clock
    this.#enabled = enabled
    this.#whole = { tokens: limits.channel.burst, atMs: clock.now(), pausedUntilMs: 0 }
  }

  take(chat: Chat): number {
    const nowMs = this.#clock.now()
    const rate = this.#rateFor(chat)
    const bucket = this.#bucketFor(chat, nowMs)
    refill(this.#whole, this.#limits.channel, nowMs)
    refill(bucket, rate, nowMs)
    const wait = Math.max(this.#waitMs(this.#whole, this.#limits.channel, nowMs), this.#waitMs(bucket, rate, nowMs))
    if (wait > 0) return wait
    this.#whole.tokens -= 1
    bucket.tokens -= 1
    return 0
  }

  pausedFor(chat: Chat): number {
    const untilMs = Math.max(this.#whole.pausedUntilMs, this.#chats.get(chat.id)?.pausedUntilMs ?? 0)
    return Math.max(0, untilMs - this.#clock.now())
  }

  pause(chat: Chat | null, untilMs: number): void {
    const bucket = chat ? this.#bucketFor(chat, this.#clock.now()) : this.#whole
    bucket.pausedUntilMs = Math.max(bucket.pausedUntilMs, untilMs)
  }

  limited(chat: Chat, untilMs: number): void {
    const atMs = this.#clock.now()
    this.pause(chat, untilMs)
    const before = this.#lastLimited
    if (before && before.chatId !== chat.id && atMs - before.atMs < 1_000) this.pause(null, untilMs)
    this.#lastLimited = { chatId: chat.id, atMs }
  }

  budget(): ReturnType<Pace['budget']> {
    const nowMs = this.#clock.now()
    const { channel } = this.#limits
    refill(this.#whole, channel, nowMs)
    const { tokens, pausedUntilMs } = this.#whole
    return {
      available: Math.max(0, Math.floor(tokens)),
      perSecond: (channel.count * 1000) / channel.perMs,
      pausedUntilMs: pausedUntilMs > nowMs ? pausedUntilMs : null,
    }
  }

  #rateFor(chat: Chat): Rate {
    return chat.kind === 'group' ? this.#limits.group : this.#limits.direct
  }

  #waitMs(bucket: Bucket, rate: Rate, nowMs: number): number {
    const paused = bucket.pausedUntilMs - nowMs
    if (!this.#enabled || bucket.tokens >= 1 - ROUNDING) return Math.max(0, paused)
    return Math.max(0, paused, Math.ceil(((1 - bucket.tokens) * rate.perMs) / rate.count - ROUNDING))
  }

  #bucketFor(chat: Chat, nowMs: number): Bucket {
    const found = this.#chats.get(chat.id)
    if (found) return found
    if (this.#chats.size >= 10_000) this.#forgetFull(nowMs)
    const bucket = { tokens: this.#rateFor(chat).burst, atMs: nowMs, pausedUntilMs: 0 }
    this.#chats.set(chat.id, bucket)
    return bucket
  }

  /** Drops buckets that were idle for a minute, and are thus full, unless the platform paused them. */
  #forgetFull(nowMs: number): void {
    for (const [id, bucket] of this.#chats) {
      if (bucket.atMs < nowMs - 60_000 && bucket.pausedUntilMs <= nowMs) this.#chats.delete(id)
    }
  }
}

function refill(bucket: Bucket, rate: Rate, nowMs: number): void {
  // a clock that was set back neither adds nor removes tokens
  const gained = (Math.max(0, nowMs - bucket.atMs) * rate.count) / rate.perMs
  bucket.tokens = Math.min(rate.burst, bucket.tokens + gained)
  bucket.atMs = nowMs
}
