import type { Traffic } from '../../api/gateway-api.ts'
import type { Values } from './geometry.ts'

/** The counts of the API. */
const COUNTS = ['received', 'answered', 'failed', 'delivered', 'refused', 'unknown'] as const
type CountName = (typeof COUNTS)[number]

/** The values of one step, all platforms together. */
export interface StepRow extends Readonly<Record<CountName, number>> {
  readonly from: number
  readonly to: number
  readonly p50: number | null
  readonly p95: number | null
}

/** Returns the sum over all platforms for each step. */
function sumPlatforms(traffic: Traffic, name: CountName): readonly number[] {
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

/** The color of a series: of a platform, or of a tone. */
export type SeriesLook = { readonly platform: string } | { readonly tone: 'good' | 'warn' | 'bad' | 'accent' | 'quiet' }

/** A series of a chart. */
export interface Series {
  /** A platform or a count. */
  readonly id: string
  readonly look: SeriesLook
  readonly values: Values
}

/** Returns one series per platform with data, or for all platforms if none has any. */
export function byPlatform(traffic: Traffic, name: CountName): readonly Series[] {
  const all = traffic.platforms.map((counts): Series => {
    return { id: counts.platform, look: { platform: counts.platform }, values: counts[name] }
  })
  const counted = all.filter(({ values }) => values.some((value) => value !== null && value > 0))
  return counted.length > 0 ? counted : all
}

/** Returns the received messages by outcome. */
export function receivedByOutcome(traffic: Traffic): readonly Series[] {
  const answered = sumPlatforms(traffic, 'answered')
  const failed = sumPlatforms(traffic, 'failed')
  const others = sumPlatforms(traffic, 'received').map((all, at) =>
    Math.max(0, all - (answered[at] ?? 0) - (failed[at] ?? 0)),
  )
  return [
    { id: 'answered', look: { tone: 'good' }, values: answered },
    { id: 'failed', look: { tone: 'bad' }, values: failed },
    { id: 'open', look: { tone: 'quiet' }, values: others },
  ]
}

/** Returns the sent messages by outcome. */
export const sentByOutcome = (traffic: Traffic): readonly Series[] => [
  { id: 'delivered', look: { tone: 'good' }, values: sumPlatforms(traffic, 'delivered') },
  ...rejectionSeries(traffic),
]

const rejectionSeries = (traffic: Traffic): readonly Series[] => [
  { id: 'refused', look: { tone: 'bad' }, values: sumPlatforms(traffic, 'refused') },
  { id: 'unknown', look: { tone: 'warn' }, values: sumPlatforms(traffic, 'unknown') },
]

/** Returns the errors. */
export const errorSeries = (traffic: Traffic): readonly Series[] => [
  { id: 'failed', look: { tone: 'accent' }, values: sumPlatforms(traffic, 'failed') },
  ...rejectionSeries(traffic),
]

/** Returns the reply times. */
export const replyTimeSeries = (traffic: Traffic): readonly Series[] => [
  { id: 'p50', look: { tone: 'accent' }, values: traffic.answer_ms.map((times) => times?.p50 ?? null) },
  { id: 'p95', look: { tone: 'warn' }, values: traffic.answer_ms.map((times) => times?.p95 ?? null) },
]

/** Returns the sum of a series. */
export const sumSeries = ({ values }: Series): number => values.reduce<number>((sum, value) => sum + (value ?? 0), 0)

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** The time ranges, the shortest first. */
export const SPANS = ['1h', '24h', '7d', '30d', '90d'] as const
/** The name of a time range. */
export type SpanName = (typeof SPANS)[number]

/** Length and step of each range. */
const LENGTHS: Readonly<Record<SpanName, { readonly ms: number; readonly stepMs: number }>> = {
  '1h': { ms: HOUR_MS, stepMs: MINUTE_MS },
  '24h': { ms: DAY_MS, stepMs: 15 * MINUTE_MS },
  '7d': { ms: 7 * DAY_MS, stepMs: 6 * HOUR_MS },
  '30d': { ms: 30 * DAY_MS, stepMs: DAY_MS },
  '90d': { ms: 90 * DAY_MS, stepMs: DAY_MS },
}

/**
 * Returns the range that ends with the current step, with steps aligned to the local clock.
 * @param midnightMs Start of the day in the viewer's time zone; after a clock change, earlier steps are off by it.
 */
export function spanEndingAt(
  name: SpanName,
  nowMs: number,
  midnightMs: number,
): { readonly from: number; readonly to: number } {
  const { ms, stepMs } = LENGTHS[name]
  const to = midnightMs + (Math.floor((nowMs - midnightMs) / stepMs) + 1) * stepMs
  return { from: to - ms, to }
}

/** Returns the start of the day in the viewer's time zone. */
export const startOfDay = (ms: number): number => new Date(ms).setHours(0, 0, 0, 0)

/** The filters of the page, kept in the URL. */
export interface AnalyticsFilters {
  readonly span: SpanName
  readonly by: 'platform' | 'outcome'
}

/** Parses the filters of a URL. Invalid values become the default. */
export const parseFilters = ({ span, by }: Readonly<Record<string, unknown>>): AnalyticsFilters => ({
  span: SPANS.find((known) => known === span) ?? '24h',
  by: by === 'outcome' ? 'outcome' : 'platform',
})

/** Returns the filters for the URL, without defaults. */
export const toSearch = ({ span, by }: AnalyticsFilters): Record<string, string> => ({
  ...(span !== '24h' && { span }),
  ...(by !== 'platform' && { by }),
})
