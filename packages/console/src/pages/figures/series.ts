import type { Values } from './geometry.ts'
import { type CountName, sumPlatforms } from './rows.ts'
import type { Traffic } from '../../api/gateway-api.ts'

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
