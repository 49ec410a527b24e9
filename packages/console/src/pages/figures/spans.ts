const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** The time ranges, the shortest first. */
export const SPANS = ['1h', '24h', '7d', '30d', '90d'] as const
/** The name of a time span. */
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
