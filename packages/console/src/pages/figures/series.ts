import type { Values } from './geometry.ts'
import { type CountName, summed } from './rows.ts'
import type { Traffic } from '../../api/gateway-api.ts'

/** Which colour a series has: that of a platform, or that of what it means. */
export type SeriesLook = { readonly platform: string } | { readonly tone: 'good' | 'warn' | 'bad' | 'accent' | 'quiet' }

/** What belongs together in a chart. */
export interface Series {
  /** A platform, or what is counted. */
  readonly id: string
  readonly look: SeriesLook
  readonly values: Values
}

/** One series for each platform of which anything was counted; all of them where there is nothing. */
export function byPlatform(traffic: Traffic, name: CountName): readonly Series[] {
  const all = traffic.platforms.map((counts): Series => {
    return { id: counts.platform, look: { platform: counts.platform }, values: counts[name] }
  })
  const counted = all.filter(({ values }) => values.some((value) => value !== null && value > 0))
  return counted.length > 0 ? counted : all
}

/** What became of what was received. */
export function receivedByOutcome(traffic: Traffic): readonly Series[] {
  const answered = summed(traffic, 'answered')
  const failed = summed(traffic, 'failed')
  const others = summed(traffic, 'received').map((all, at) =>
    Math.max(0, all - (answered[at] ?? 0) - (failed[at] ?? 0)),
  )
  return [
    { id: 'answered', look: { tone: 'good' }, values: answered },
    { id: 'failed', look: { tone: 'bad' }, values: failed },
    { id: 'open', look: { tone: 'quiet' }, values: others },
  ]
}

/** What became of what was sent. */
export const sentByOutcome = (traffic: Traffic): readonly Series[] => [
  { id: 'delivered', look: { tone: 'good' }, values: summed(traffic, 'delivered') },
  ...refusals(traffic),
]

const refusals = (traffic: Traffic): readonly Series[] => [
  { id: 'refused', look: { tone: 'bad' }, values: summed(traffic, 'refused') },
  { id: 'unknown', look: { tone: 'warn' }, values: summed(traffic, 'unknown') },
]

/** What went wrong. */
export const errorsOf = (traffic: Traffic): readonly Series[] => [
  { id: 'failed', look: { tone: 'accent' }, values: summed(traffic, 'failed') },
  ...refusals(traffic),
]

/** How long people waited. */
export const timesOf = (traffic: Traffic): readonly Series[] => [
  { id: 'p50', look: { tone: 'accent' }, values: traffic.answer_ms.map((times) => times?.p50 ?? null) },
  { id: 'p95', look: { tone: 'warn' }, values: traffic.answer_ms.map((times) => times?.p95 ?? null) },
]

/** Everything of a series together. */
export const totalOf = ({ values }: Series): number => values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
