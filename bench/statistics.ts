import type { Metric } from './metrics.ts'

/** Returns the value that `share` (0 to 1) of the values don't exceed. @throws {RangeError} if `values` is empty */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]
  if (value === undefined) throw new RangeError('no values')
  return value
}

/** Returns the median. */
export const median = (values: readonly number[]): number => percentile(values, 0.5)

/** Returns the slope of the line through the points by least squares. */
export function fitSlope(points: readonly (readonly [x: number, y: number])[]): number {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length
  const above = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  const below = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
  return below === 0 ? 0 : above / below
}

/** Runs `measure` several times and returns the median and the range of each named value. */
export async function measureRounds<K extends string>(
  rounds: number,
  measure: () => Promise<Readonly<Record<K, number>>>,
): Promise<Readonly<Record<K, Pick<Metric, 'value' | 'range'>>>> {
  const all: Readonly<Record<K, number>>[] = []
  for (let n = 0; n < rounds; n += 1) all.push(await measure())
  const names = Object.keys(all[0] ?? {}) as K[] // the keys of the record that was given
  const entries = names.map((name) => {
    const values = all.map((one) => one[name])
    return [name, { value: median(values), range: [Math.min(...values), Math.max(...values)] }] as const
  })
  return Object.fromEntries(entries) as Record<K, Pick<Metric, 'value' | 'range'>> // one entry for each name
}
