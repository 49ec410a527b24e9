import { createHash } from 'node:crypto'
import type { EmulatorClock } from '../kit/clock.ts'

/**
 * Ids of messages: 64 bits of the time and a count, far above 2^53, so that two of one millisecond are the same number to
 * whoever reads them as a double. Later processes give higher ones.
 */
export class MessageIds {
  readonly #clock: EmulatorClock
  #last = 0n

  constructor(clock: EmulatorClock) {
    this.#clock = clock
  }

  next(): string {
    const earliest = BigInt(Math.max(0, this.#clock.now())) << 22n
    this.#last = earliest > this.#last ? earliest : this.#last + 1n
    return String(this.#last)
  }
}

/** A value that `JSON.stringify` writes as a bare number, digit by digit. @param digits Decimal digits. */
export function bareNumber(digits: string): unknown {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown } // newer than the type library
  return rawJSON(digits)
}

/** Made up, and the same for the same `parts`. */
export const madeUp = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('base64url')
