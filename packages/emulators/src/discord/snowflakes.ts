import { createHash } from 'node:crypto'
import type { EmulatorClock } from '../kit/clock.ts'

const EPOCH_MS = 1_420_070_400_000

/** Generates rising ids: milliseconds since 2015 and 22 more bits. */
export class Snowflakes {
  readonly #clock: EmulatorClock
  #last = 0n

  constructor(clock: EmulatorClock) {
    this.#clock = clock
  }

  /** Returns a new id. */
  next(): string {
    const earliest = BigInt(Math.max(0, this.#clock.now() - EPOCH_MS)) << 22n
    this.#last = earliest > this.#last ? earliest : this.#last + 1n
    return String(this.#last)
  }
}

/** Returns a numeric id unchanged, and always the same snowflake for any other text. */
export function toSnowflake(id: string): string {
  if (/^\d{1,20}$/.test(id)) return id
  const digest = createHash('sha256').update(id).digest()
  return String(1_000_000_000_000_000_000n + digest.readBigUInt64BE() / 100n)
}
