import { timingSafeEqual } from 'node:crypto'

/** Whether two texts or two runs of bytes are the same; takes as long wherever they differ. Their length is no secret. */
export function equalsConstantTime(left: string | Uint8Array, right: string | Uint8Array): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}
