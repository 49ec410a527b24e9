/** At most `amount` within any `periodMs` milliseconds. */
export interface LoggedRate {
  readonly amount: number
  readonly periodMs: number
}

/** @param stored JSON, an array of milliseconds since the Unix epoch. */
export function readStamps(stored: string): readonly number[] {
  const parsed: unknown = JSON.parse(stored)
  if (!Array.isArray(parsed)) throw new Error('A stored rate is not a list of time stamps.')
  const entries: readonly unknown[] = parsed
  return entries.filter((stamp) => typeof stamp === 'number')
}

/**
 * The time stamps that still count, newest first. One further ahead than a period was written by a clock that has been
 * set back since, and is dropped.
 */
export function liveStamps(stamps: readonly number[], { periodMs }: LoggedRate, nowMs: number): readonly number[] {
  return stamps
    .filter((stamp) => stamp > nowMs - periodMs && stamp <= nowMs + periodMs)
    .toSorted((newer, older) => older - newer)
}

/** How long until one more fits, in milliseconds: 0 when it fits now. */
export function waitMs(counted: readonly number[], { amount, periodMs }: LoggedRate, nowMs: number): number {
  if (counted.length < amount) return 0
  const leavesNext = counted[amount - 1]
  return leavesNext === undefined ? periodMs : Math.max(1, leavesNext + periodMs - nowMs)
}

/** The log with one more entry; clocks of several processes may differ. */
export function addStamp(counted: readonly number[], stamp: number): readonly number[] {
  return [stamp, ...counted].toSorted((newer, older) => older - newer)
}

/** Returns the log without one entry of this time; several attempts of one millisecond are interchangeable. */
export function removeStamp(stamps: readonly number[], stamp: number): readonly number[] {
  const at = stamps.indexOf(stamp)
  return at === -1 ? stamps : stamps.toSpliced(at, 1)
}
