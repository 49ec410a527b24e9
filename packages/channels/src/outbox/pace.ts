import type { Chat, Clock, PlatformLimits, Rate } from '../platform.ts'

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
  budget(): { available: number; perSecond: number; pausedUntilMs: number | null }
}

/** What sums of fractions of a token may be off by: who waits as long as told must be served. */
const ROUNDING = 1e-6

/** @param enabled False: only the platform's own requests to wait are honoured. */
export function createPace(limits: PlatformLimits['pace'], clock: Clock, enabled: boolean): Pace {
  const whole: Bucket = { tokens: limits.channel.burst, atMs: clock.now(), pausedUntilMs: 0 }
  const chats = new Map<string, Bucket>()
  const rateOf = (chat: Chat): Rate => (chat.kind === 'group' ? limits.group : limits.direct)

  const refill = (bucket: Bucket, rate: Rate, nowMs: number): void => {
    // a clock that was set back gives nothing and takes nothing
    const gained = (Math.max(0, nowMs - bucket.atMs) * rate.count) / rate.perMs
    bucket.tokens = Math.min(rate.burst, bucket.tokens + gained)
    bucket.atMs = nowMs
  }
  const waitOf = (bucket: Bucket, rate: Rate, nowMs: number): number => {
    const paused = bucket.pausedUntilMs - nowMs
    const short =
      enabled && bucket.tokens < 1 - ROUNDING
        ? Math.ceil(((1 - bucket.tokens) * rate.perMs) / rate.count - ROUNDING)
        : 0
    return Math.max(0, paused, short)
  }
  const bucketOf = (chat: Chat, nowMs: number): Bucket => {
    const found = chats.get(chat.id)
    if (found) return found
    if (chats.size >= 10_000) forgetFull(nowMs)
    const bucket = { tokens: rateOf(chat).burst, atMs: nowMs, pausedUntilMs: 0 }
    chats.set(chat.id, bucket)
    return bucket
  }
  // a bucket untouched for a minute is as good as full, unless the platform paused it
  const forgetFull = (nowMs: number): void => {
    for (const [id, bucket] of chats) {
      if (bucket.atMs < nowMs - 60_000 && bucket.pausedUntilMs <= nowMs) chats.delete(id)
    }
  }

  return {
    take(chat) {
      const nowMs = clock.now()
      const rate = rateOf(chat)
      const bucket = bucketOf(chat, nowMs)
      refill(whole, limits.channel, nowMs)
      refill(bucket, rate, nowMs)
      const wait = Math.max(waitOf(whole, limits.channel, nowMs), waitOf(bucket, rate, nowMs))
      if (wait > 0) return wait
      whole.tokens -= 1
      bucket.tokens -= 1
      return 0
    },
    pausedFor(chat) {
      const untilMs = Math.max(whole.pausedUntilMs, chats.get(chat.id)?.pausedUntilMs ?? 0)
      return Math.max(0, untilMs - clock.now())
    },
    pause(chat, untilMs) {
      const bucket = chat ? bucketOf(chat, clock.now()) : whole
      bucket.pausedUntilMs = Math.max(bucket.pausedUntilMs, untilMs)
    },
    budget() {
      const nowMs = clock.now()
      refill(whole, limits.channel, nowMs)
      return {
        available: Math.max(0, Math.floor(whole.tokens)),
        perSecond: (limits.channel.count * 1000) / limits.channel.perMs,
        pausedUntilMs: whole.pausedUntilMs > nowMs ? whole.pausedUntilMs : null,
      }
    },
  }
}
