import { createHash } from 'node:crypto'
import type { EmulatorClock } from '../kit/clock.ts'

/**
 * Generates message ids of 64 bits from time and a counter. They exceed 2^53, so two ids of the same millisecond are equal
 * when parsed as doubles. A later process generates higher ids.
 */
export class MessageIds {
  readonly #clock: EmulatorClock
  #last = 0n

  constructor(clock: EmulatorClock) {
    this.#clock = clock
  }

  /** Returns a new id. */
  next(): string {
    const earliest = BigInt(Math.max(0, this.#clock.now())) << 22n
    this.#last = earliest > this.#last ? earliest : this.#last + 1n
    return String(this.#last)
  }
}

/** Returns a value that `JSON.stringify` writes as a number with all its digits. @param digits Decimal digits. */
export function rawNumber(digits: string): unknown {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown } // newer than the type library
  return rawJSON(digits)
}

/** Returns a token that depends only on `parts`. */
export const makeToken = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('base64url')
