import { exposition, histogramSamples, type Metric } from './exposition.ts'
import type { ChannelFigures, ChannelState } from '@gatepost/channels'

const STATES: readonly ChannelState[] = [
  'stopped',
  'connecting',
  'running',
  'degraded',
  'backing_off',
  'standby',
  'rejected',
]

/** Everything that `/metrics` says. */
export function metricsText(figures: ChannelFigures, http: readonly Metric[], usage: ProcessUsage): string {
  return exposition([...channelMetrics(figures), ...http, ...processMetrics(usage)])
}

function channelMetrics(figures: ChannelFigures): readonly Metric[] {
  return [
    {
      name: 'gatepost_channels',
      help: 'Channels by platform and state.',
      type: 'gauge',
      samples: stateSamples(figures),
    },
    counter('gatepost_messages_received_total', 'Messages accepted from platforms.', figures.received),
    counter('gatepost_messages_ignored_total', 'Messages that access rules left unanswered.', figures.ignored),
    counters('gatepost_turns_total', 'Turns of the assistant by outcome.', 'outcome', figures.turns),
    counters('gatepost_deliveries_total', 'Attempts to send by outcome.', 'outcome', figures.deliveries),
    {
      name: 'gatepost_deliveries_queued',
      help: 'Deliveries that wait to be sent.',
      type: 'gauge',
      samples: figures.queued === null ? [] : [{ value: figures.queued }],
    },
    {
      name: 'gatepost_answer_duration_seconds',
      help: 'Time from the acceptance of a message to its answer confirmed.',
      type: 'histogram',
      samples: histogramSamples(figures.answerMs, 0.001),
    },
  ]
}

function stateSamples({ channels }: ChannelFigures): Metric['samples'] {
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

export interface ProcessUsage {
  readonly residentBytes: number
  readonly cpuSeconds: number
  /** Seconds since the Unix epoch. */
  readonly startedAt: number
}

/** Names as other exporters have them, so that common dashboards fit. */
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
