import { randomUUID } from 'node:crypto'

let lastMs = 0
let counter = 0

/**
 * Returns a version 7 UUID that sorts after every earlier one of this process, so that lists keep the order of arrival
 * even within one millisecond.
 * @see RFC 9562 section 6.2, method 1: 12 bits of counter
 */
export function createRisingId(nowMs: number): string {
  if (nowMs > lastMs) {
    lastMs = nowMs
    counter = 0
  } else if (++counter > 0xfff) {
    lastMs += 1
    counter = 0
  }
  const time = lastMs.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${randomUUID().slice(19)}`
}
