/** One metric with its current values. */
export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}
export interface Sample {
  /** Added to the metric's name, e.g. `_bucket`. */
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** Cumulative counts under upper bounds, as Prometheus has them. */
export interface Histogram {
  readonly bounds: readonly number[]
  /** How many fell at or under each bound. */
  readonly counts: readonly number[]
  readonly sum: number
  readonly count: number
}

/** @see Prometheus, "Exposition formats", text format 0.0.4 */
export function exposition(metrics: readonly Metric[]): string {
  return metrics
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(
        ({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelText(labels)} ${number(value)}`,
      )
      return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
    })
    .join('')
}

/** The samples of one histogram. `scale` turns its unit into the base unit. */
export function histogramSamples(histogram: Histogram, scale: number, labels: Sample['labels'] = {}): Sample[] {
  const { bounds, counts, sum, count } = histogram
  return [
    ...bounds.map((bound, index) => ({
      suffix: '_bucket',
      labels: { ...labels, le: number(bound * scale) },
      value: counts[index] ?? 0,
    })),
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: sum * scale },
    { suffix: '_count', labels, value: count },
  ]
}

const number = (value: number): string => (Number.isFinite(value) ? String(Number(value.toPrecision(15))) : 'NaN')

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
