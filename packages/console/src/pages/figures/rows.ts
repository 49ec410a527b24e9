import type { Traffic } from '../../api/gateway-api.ts'

/** The counts of the API. */
export const COUNTS = ['received', 'answered', 'failed', 'delivered', 'refused', 'unknown'] as const
/** The name of a counter. */
export type CountName = (typeof COUNTS)[number]

/** The values of one step, all platforms together. */
export interface StepRow extends Readonly<Record<CountName, number>> {
  readonly from: number
  readonly to: number
  readonly p50: number | null
  readonly p95: number | null
}

/** Returns the sum over all platforms for each step. */
export function sumPlatforms(traffic: Traffic, name: CountName): readonly number[] {
  return traffic.answer_ms.map((_, at) => traffic.platforms.reduce((sum, counts) => sum + (counts[name][at] ?? 0), 0))
}

/** Returns one row per step, the oldest first. */
export function toRows(traffic: Traffic): readonly StepRow[] {
  const sums = new Map(COUNTS.map((name) => [name, sumPlatforms(traffic, name)]))
  const at = (name: CountName, step: number): number => sums.get(name)?.[step] ?? 0
  return traffic.answer_ms.map((times, step) => ({
    from: traffic.from + step * traffic.step_ms,
    to: Math.min(traffic.to, traffic.from + (step + 1) * traffic.step_ms),
    received: at('received', step),
    answered: at('answered', step),
    failed: at('failed', step),
    delivered: at('delivered', step),
    refused: at('refused', step),
    unknown: at('unknown', step),
    p50: times?.p50 ?? null,
    p95: times?.p95 ?? null,
  }))
}

/** Reports whether nothing was counted. */
export const isQuiet = ({ totals }: Traffic): boolean => COUNTS.every((name) => totals[name] === 0)

/** Returns the data as CSV: times in UTC, all platforms together, then each one. */
export function toCsv(traffic: Traffic): string {
  const names = traffic.platforms.flatMap(({ platform }) => COUNTS.map((name) => `${platform}_${name}`))
  const head = ['from', 'to', ...COUNTS, 'answer_p50_ms', 'answer_p95_ms', ...names]
  const lines = toRows(traffic).map((row, step) => [
    new Date(row.from).toISOString(),
    new Date(row.to).toISOString(),
    ...COUNTS.map((name) => row[name]),
    row.p50 ?? '',
    row.p95 ?? '',
    ...traffic.platforms.flatMap((counts) => COUNTS.map((name) => counts[name][step] ?? 0)),
  ])
  return [head, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('')
}
