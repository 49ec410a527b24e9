import type { Traffic } from '../../api/gateway-api.ts'

/** What is counted. */
export const COUNTS = ['received', 'answered', 'failed', 'delivered', 'refused', 'unknown'] as const
/** The name of a counter. */
export type CountName = (typeof COUNTS)[number]

/** All platforms together in one step. */
export interface StepRow extends Readonly<Record<CountName, number>> {
  readonly from: number
  readonly to: number
  readonly p50: number | null
  readonly p95: number | null
}

/** The counts of all platforms together, one number for each step. */
export function summed(traffic: Traffic, name: CountName): readonly number[] {
  return traffic.answer_ms.map((_, at) => traffic.platforms.reduce((sum, counts) => sum + (counts[name][at] ?? 0), 0))
}

/** One row for each step, the oldest first. */
export function rowsOf(traffic: Traffic): readonly StepRow[] {
  const sums = new Map(COUNTS.map((name) => [name, summed(traffic, name)]))
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

/** Whether anything was counted. */
export const isQuiet = ({ totals }: Traffic): boolean => COUNTS.every((name) => totals[name] === 0)

/** The figures for a spreadsheet: times in UTC, all platforms together, then each of them. */
export function csvOf(traffic: Traffic): string {
  const names = traffic.platforms.flatMap(({ platform }) => COUNTS.map((name) => `${platform}_${name}`))
  const head = ['from', 'to', ...COUNTS, 'answer_p50_ms', 'answer_p95_ms', ...names]
  const lines = rowsOf(traffic).map((row, step) => [
    new Date(row.from).toISOString(),
    new Date(row.to).toISOString(),
    ...COUNTS.map((name) => row[name]),
    row.p50 ?? '',
    row.p95 ?? '',
    ...traffic.platforms.flatMap((counts) => COUNTS.map((name) => counts[name][step] ?? 0)),
  ])
  return [head, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('')
}
