const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Spans that can be looked at, the shortest first. */
export const SPANS = ['1h', '24h', '7d', '30d', '90d'] as const
/** The name of a time span. */
export type SpanName = (typeof SPANS)[number]

/** How long it is, and in which steps the service counts it. */
const LENGTHS: Readonly<Record<SpanName, { readonly ms: number; readonly stepMs: number }>> = {
  '1h': { ms: HOUR_MS, stepMs: MINUTE_MS },
  '24h': { ms: DAY_MS, stepMs: 15 * MINUTE_MS },
  '7d': { ms: 7 * DAY_MS, stepMs: 6 * HOUR_MS },
  '30d': { ms: 30 * DAY_MS, stepMs: DAY_MS },
  '90d': { ms: 90 * DAY_MS, stepMs: DAY_MS },
}

/**
 * The span that ends with the step of now, so that steps begin where clocks and calendars do.
 * @param midnightMs The beginning of the day in the zone of the viewer; after a change of clocks earlier steps are off by it.
 */
export function spanAt(
  name: SpanName,
  nowMs: number,
  midnightMs: number,
): { readonly from: number; readonly to: number } {
  const { ms, stepMs } = LENGTHS[name]
  const to = midnightMs + (Math.floor((nowMs - midnightMs) / stepMs) + 1) * stepMs
  return { from: to - ms, to }
}

/** The beginning of a day in the zone of the viewer. */
export const midnightOf = (ms: number): number => new Date(ms).setHours(0, 0, 0, 0)

/** What may be chosen in the address of the page. */
export interface FigureChoice {
  readonly span: SpanName
  readonly by: 'platform' | 'outcome'
}

/** The choice of an address; what cannot be is the default. */
export const choiceOf = ({ span, by }: Readonly<Record<string, unknown>>): FigureChoice => ({
  span: SPANS.find((known) => known === span) ?? '24h',
  by: by === 'outcome' ? 'outcome' : 'platform',
})

/** The same in an address. */
export const searchOf = ({ span, by }: FigureChoice): Record<string, string> => ({
  ...(span !== '24h' && { span }),
  ...(by !== 'platform' && { by }),
})
