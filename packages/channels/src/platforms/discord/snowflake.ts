/** Discord's ids hold the time at which they were made. @see Discord, "Snowflakes" */
const EPOCH_MS = 1_420_070_400_000n
const HIGHEST = (1n << 64n) - 1n

/** Milliseconds since the Unix epoch. @param id Digits. */
export const readSnowflakeMs = (id: string): number => Number((BigInt(id) >> 22n) + EPOCH_MS)

/** The lowest id that can have been made at this time. */
export function idAt(ms: number): string {
  const since = BigInt(Math.max(0, Math.floor(ms))) - EPOCH_MS
  const id = (since > 0n ? since : 0n) << 22n
  return String(id > HIGHEST ? HIGHEST : id)
}

/** By time, the oldest first. Digits only. */
export const byAge = (a: string, b: string): number =>
  a.length === b.length ? Number(a > b) - Number(a < b) : a.length - b.length

/** One of Discord's ids: digits of an unsigned 64-bit number, always as text. */
export const readSnowflake = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{1,20}$/.test(value) ? value : undefined
