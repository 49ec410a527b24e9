import { randomUUID } from 'node:crypto'

let lastMs = 0
let counter = 0

/**
 * A UUID of version 7 that is greater, as text, than every one before it in this process: lists are in the order of
 * acceptance also within one millisecond.
 * @see RFC 9562 section 6.2, method 1: 12 bits of counter
 */
export function risingId(nowMs: number): string {
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
