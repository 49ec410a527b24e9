import type { Frame } from './frame.ts'

/** Puts together what comes in pieces. */
export interface Fragments {
  /** @returns the whole payload; `null` while pieces are missing, and for a piece that cannot be. */
  join(frame: Frame, nowMs: number): Uint8Array | null
}

/** What has not come together within this time comes again as a whole. */
const KEPT_MS = 10_000
/** Far above any event, together with what waits for its other pieces. */
const MOST_PIECES = 1_000
const MOST_BYTES = 16 * 1024 * 1024

interface Waiting {
  readonly sinceMs: number
  readonly pieces: Map<number, Uint8Array>
  bytes: number
}

export function openFragments(): Fragments {
  const waiting = new Map<string, Waiting>()

  function forgetOld(nowMs: number): void {
    for (const [id, { sinceMs }] of waiting) if (nowMs - sinceMs >= KEPT_MS) waiting.delete(id)
  }

  /** The oldest goes first. */
  function makeRoom(bytes: number): void {
    let total = bytes
    for (const one of waiting.values()) total += one.bytes
    for (const [id, one] of waiting) {
      if (total <= MOST_BYTES) return
      waiting.delete(id)
      total -= one.bytes
    }
  }

  return {
    join(frame, nowMs) {
      const payload = frame.payload ?? new Uint8Array()
      const sum = whole(frame.headers.get('sum')) ?? 1
      if (sum <= 1) return payload
      const id = frame.headers.get('message_id') ?? ''
      const seq = whole(frame.headers.get('seq'))
      if (seq === null || seq >= sum || sum > MOST_PIECES) return null
      forgetOld(nowMs)
      makeRoom(payload.length)
      const one = waiting.get(id) ?? { sinceMs: nowMs, pieces: new Map<number, Uint8Array>(), bytes: 0 }
      waiting.set(id, one)
      one.bytes += payload.length - (one.pieces.get(seq)?.length ?? 0)
      one.pieces.set(seq, payload)
      const all = Array.from({ length: sum }, (_, index) => one.pieces.get(index)).filter(
        (piece) => piece !== undefined,
      )
      if (all.length < sum) return null
      waiting.delete(id)
      return Buffer.concat(all)
    },
  }
}

const whole = (value: string | undefined): number | null =>
  value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : null
