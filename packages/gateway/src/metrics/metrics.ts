import type { ChannelMetrics, ChannelState } from '@gatepost/channels'

const STATES: readonly ChannelState[] = [
  'stopped',
  'connecting',
  'running',
  'degraded',
  'backing_off',
  'standby',
  'rejected',
]

/** Returns the Prometheus metrics. */
export function metricsText(metrics: ChannelMetrics, http: readonly Metric[], usage: ProcessUsage): string {
  return exposition([...channelMetrics(metrics), ...http, ...processMetrics(usage)])
}

function channelMetrics(metrics: ChannelMetrics): readonly Metric[] {
  return [
    {
      name: 'gatepost_channels',
      help: 'Channels by platform and state.',
      type: 'gauge',
      samples: stateSamples(metrics),
    },
    counter('gatepost_messages_received_total', 'Messages accepted from platforms.', metrics.received),
    counter('gatepost_messages_ignored_total', 'Messages ignored because of access rules.', metrics.ignored),
    counters('gatepost_turns_total', 'Turns of the assistant by outcome.', 'outcome', metrics.turns),
    counters('gatepost_deliveries_total', 'Delivery attempts by outcome.', 'outcome', metrics.deliveries),
    {
      name: 'gatepost_deliveries_queued',
      help: 'Deliveries waiting to be sent.',
      type: 'gauge',
      samples: metrics.queued === null ? [] : [{ value: metrics.queued }],
    },
    {
      name: 'gatepost_answer_duration_seconds',
      help: 'Time from accepting a message to the confirmed reply.',
      type: 'histogram',
      samples: histogramSamples(metrics.answerMs, 0.001),
    },
  ]
}

function stateSamples({ channels }: ChannelMetrics): Metric['samples'] {
  const platforms = [...new Set(channels.map(({ platform }) => platform))].toSorted()
  return platforms.flatMap((platform) =>
    STATES.map((state) => ({
      labels: { platform, state },
      value: channels.filter((channel) => channel.platform === platform && channel.state === state).length,
    })),
  )
}

const counter = (name: string, help: string, value: number): Metric => ({
  name,
  help,
  type: 'counter',
  samples: [{ value }],
})

const counters = (name: string, help: string, label: string, values: Readonly<Record<string, number>>): Metric => ({
  name,
  help,
  type: 'counter',
  samples: Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value })),
})

interface ProcessUsage {
  readonly residentBytes: number
  readonly cpuSeconds: number
  /** Seconds since the Unix epoch. */
  readonly startedAt: number
}

/** Standard process metrics, named as in other exporters. */
const processMetrics = (usage: ProcessUsage): readonly Metric[] => [
  {
    name: 'process_resident_memory_bytes',
    help: 'Resident memory size in bytes.',
    type: 'gauge',
    samples: [{ value: usage.residentBytes }],
  },
  counter('process_cpu_seconds_total', 'Total user and system CPU time in seconds.', usage.cpuSeconds),
  {
    name: 'process_start_time_seconds',
    help: 'Start time of the process since the Unix epoch in seconds.',
    type: 'gauge',
    samples: [{ value: usage.startedAt }],
  },
]

/** One metric with its current values. */
export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}
interface Sample {
  /** Suffix of the metric's name, e.g. `_bucket`. */
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** Cumulative counts per upper bound, as in Prometheus. */
interface Histogram {
  readonly bounds: readonly number[]
  /** Number of observations at or below each bound. */
  readonly counts: readonly number[]
  readonly sum: number
  readonly count: number
}

/** @see Prometheus, "Exposition formats", text format 0.0.4 */
function exposition(metrics: readonly Metric[]): string {
  return metrics
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(
        ({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelText(labels)} ${number(value)}`,
      )
      return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
    })
    .join('')
}

/** Returns the samples of a histogram. `scale` converts its unit to the base unit. */
function histogramSamples(histogram: Histogram, scale: number, labels: Sample['labels'] = {}): Sample[] {
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
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

/** Counts requests by route and status. */
export interface HttpMetrics {
  /** Counts a request. `routeId` is from a fixed set, never a path, so that the number of series stays bounded. */
  count(routeId: string, status: number, tookMs: number): void
  metrics(): readonly Metric[]
}

const BOUNDS_MS = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 5000, 30_000]

/** Creates the request counters. */
export function createHttpMetrics(): HttpMetrics {
  const requests = new Map<string, { readonly route: string; readonly status: string; value: number }>()
  const took = { bounds: BOUNDS_MS, counts: BOUNDS_MS.map(() => 0), sum: 0, count: 0 }
  return {
    count: (route, status, tookMs) => {
      const key = `${route} ${status}`
      const entry = requests.get(key) ?? { route, status: String(status), value: 0 }
      entry.value += 1
      requests.set(key, entry)
      took.sum += tookMs
      took.count += 1
      for (const [index, bound] of BOUNDS_MS.entries())
        if (tookMs <= bound) took.counts[index] = (took.counts[index] ?? 0) + 1
    },
    metrics: () => [
      {
        name: 'gatepost_http_requests_total',
        help: 'Requests handled.',
        type: 'counter',
        samples: [...requests.values()].map(({ route, status, value }) => ({ labels: { route, status }, value })),
      },
      {
        name: 'gatepost_http_request_duration_seconds',
        help: 'Time from receiving a request to sending the response headers.',
        type: 'histogram',
        samples: histogramSamples(took, 0.001),
      },
    ],
  }
}
