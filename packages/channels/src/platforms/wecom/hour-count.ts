import { putNewest } from '../wire/newest.ts'

/** How much was sent to each conversation lately. In memory: after a restart the platform's own refusal tells. */
export interface HourCount {
  note(chatId: string, nowMs: number): void
  /** Milliseconds until one more may be sent; 0: now. */
  waitFor(chatId: string, nowMs: number): number
}

const HOUR_MS = 60 * 60 * 1_000
const REMEMBERED_CHATS = 10_000

/** @param most Sends to one conversation within an hour. */
export function hourCount(most: number): HourCount {
  const sent = new Map<string, readonly number[]>()
  // what lies ahead was noted before the clock was set back
  const counting = (chatId: string, nowMs: number): readonly number[] =>
    (sent.get(chatId) ?? []).filter((time) => time > nowMs - HOUR_MS && time <= nowMs)
  return {
    note(chatId, nowMs) {
      putNewest(sent, chatId, [...counting(chatId, nowMs), nowMs].slice(-most), REMEMBERED_CHATS)
    },
    waitFor(chatId, nowMs) {
      const times = counting(chatId, nowMs)
      const [oldest] = times
      return oldest === undefined || times.length < most ? 0 : oldest + HOUR_MS - nowMs
    },
  }
}
