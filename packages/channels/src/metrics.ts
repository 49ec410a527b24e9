/** Counters of this process since it started. */
export interface Metrics {
  received: number
  ignored: number
  readonly turns: { answered: number; failed: number; retried: number }
  readonly deliveries: { delivered: number; refused: number; unknown: number; retried: number }
  readonly answerMs: Histogram
}

/** A histogram with fixed buckets. */
export interface Histogram {
  /** Upper bounds in milliseconds, rising. */
  readonly bounds: readonly number[]
  /** Values per bucket (not cumulative). */
  readonly counts: number[]
  sum: number
  count: number
}

const BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000] as const

/** Creates counters that start at zero. */
export const createMetrics = (): Metrics => ({
  received: 0,
  ignored: 0,
  turns: { answered: 0, failed: 0, retried: 0 },
  deliveries: { delivered: 0, refused: 0, unknown: 0, retried: 0 },
  answerMs: { bounds: BOUNDS_MS, counts: BOUNDS_MS.map(() => 0), sum: 0, count: 0 },
})

/** Adds a value to a histogram. */
export function observe(histogram: Histogram, value: number): void {
  const index = histogram.bounds.findIndex((bound) => value <= bound)
  if (index >= 0) histogram.counts[index] = (histogram.counts[index] ?? 0) + 1
  histogram.sum += value
  histogram.count += 1
}
