/**
 * How long to wait before try number `attempt` (1 is the first retry): doubling from `firstMs` up to `capMs`, between
 * half and all of it by chance, so that many that failed together do not come back together.
 * @param random A number from 0 up to but not including 1.
 * @returns Milliseconds.
 */
export function backoffMs(attempt: number, firstMs: number, capMs: number, random: () => number): number {
  const full = Math.min(capMs, firstMs * 2 ** Math.min(30, attempt - 1))
  return Math.round(full * (0.5 + random() / 2))
}
