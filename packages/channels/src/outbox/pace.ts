import type { PlatformLimits, Rate } from '../platform.ts'
import type { Clock } from '../platform-io.ts'
import type { Chat } from '../message.ts'

/** A token bucket. Pure bookkeeping: the caller waits. */
interface Bucket {
  tokens: number
  atMs: number
  pausedUntilMs: number
}

/**
 * Keeps the sends of one bot within the platform's rates: one bucket for the bot and one per chat. In memory: after a
 * restart the buckets are full again, and the platform's own `retry_after` corrects what that gets wrong.
 */
export interface Pace {
  /** Takes one send of this chat, or says how many milliseconds until it may be taken (0: taken). */
  take(chat: Chat): number
  /** How many milliseconds the platform still asks to wait: for what is not counted as a send. */
  pausedFor(chat: Chat): number
  /** The platform asked to wait: this chat, or all when `chat` is null. */
  pause(chat: Chat | null, untilMs: number): void
  /** This chat met a limit: it waits alone; two chats in the same second mean that the bot as a whole must wait. */
  limited(chat: Chat, untilMs: number): void
  budget(): { available: number; perSecond: number; pausedUntilMs: number | null }
}

/** What sums of fractions of a token may be off by: who waits as long as told must be served. */
const ROUNDING = 1e-6

/** @param enabled False: only the platform's own requests to wait are honoured. */
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
    const rate = this.#rateOf(chat)
    const bucket = this.#bucketOf(chat, nowMs)
    refill(this.#whole, this.#limits.channel, nowMs)
    refill(bucket, rate, nowMs)
    const wait = Math.max(this.#waitOf(this.#whole, this.#limits.channel, nowMs), this.#waitOf(bucket, rate, nowMs))
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
    const bucket = chat ? this.#bucketOf(chat, this.#clock.now()) : this.#whole
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

  #rateOf(chat: Chat): Rate {
    return chat.kind === 'group' ? this.#limits.group : this.#limits.direct
  }

  #waitOf(bucket: Bucket, rate: Rate, nowMs: number): number {
    const paused = bucket.pausedUntilMs - nowMs
    if (!this.#enabled || bucket.tokens >= 1 - ROUNDING) return Math.max(0, paused)
    return Math.max(0, paused, Math.ceil(((1 - bucket.tokens) * rate.perMs) / rate.count - ROUNDING))
  }

  #bucketOf(chat: Chat, nowMs: number): Bucket {
    const found = this.#chats.get(chat.id)
    if (found) return found
    if (this.#chats.size >= 10_000) this.#forgetFull(nowMs)
    const bucket = { tokens: this.#rateOf(chat).burst, atMs: nowMs, pausedUntilMs: 0 }
    this.#chats.set(chat.id, bucket)
    return bucket
  }

  /** A bucket untouched for a minute is as good as full, unless the platform paused it. */
  #forgetFull(nowMs: number): void {
    for (const [id, bucket] of this.#chats) {
      if (bucket.atMs < nowMs - 60_000 && bucket.pausedUntilMs <= nowMs) this.#chats.delete(id)
    }
  }
}

function refill(bucket: Bucket, rate: Rate, nowMs: number): void {
  // a clock that was set back gives nothing and takes nothing
  const gained = (Math.max(0, nowMs - bucket.atMs) * rate.count) / rate.perMs
  bucket.tokens = Math.min(rate.burst, bucket.tokens + gained)
  bucket.atMs = nowMs
}
