import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Traffic } from '../../api/gateway-api.ts'
import { refresh, useCall } from '../../api/queries.ts'
import { useEvents } from '../../api/streams.ts'
import { useFormat } from '../../language/format.ts'
import { useTexts } from '../../language/language.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { Select } from '../../parts/field.tsx'
import { Page as Sheet } from '../../parts/layout.tsx'
import { isPlatform, platformTexts } from '../../parts/platform.tsx'
import { Segments } from '../../parts/radio-group.tsx'
import { useSearchState } from '../../parts/search-state.ts'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { useNow } from '../../parts/time.tsx'
import { Chart } from './chart.tsx'
import style from './analytics.module.css'
import { NumbersTable, Totals } from './numbers.tsx'
import { analyticsTexts } from './texts.ts'
import {
  type AnalyticsFilters,
  byPlatform,
  errorSeries,
  isQuiet,
  parseFilters,
  receivedByOutcome,
  replyTimeSeries,
  sentByOutcome,
  type Series,
  spanEndingAt,
  type SpanName,
  SPANS,
  startOfDay,
  toSearch,
} from './traffic.ts'

/** The analytics page: messages, reply times and errors over time. */
export function Page(): ReactNode {
  const texts = useTexts(analyticsTexts)
  const [choice, change] = useSearchState('/analytics', parseFilters, toSearch)
  const { traffic, isOld, error, retry } = useTraffic(choice.span)
  return (
    <Sheet title={texts.title} lead={texts.lead}>
      <Toolbar choice={choice} onChange={change} />
      {error !== null && <Failure error={error} onRetry={retry} />}
      {traffic === null && error === null && <Loading lines={6} />}
      {traffic !== null && (
        <div className={style['all']} aria-busy={isOld}>
          <AnalyticsContent traffic={traffic} by={choice.by} />
        </div>
      )}
    </Sheet>
  )
}

function Toolbar({
  choice,
  onChange,
}: {
  readonly choice: AnalyticsFilters
  onChange(choice: AnalyticsFilters): void
}): ReactNode {
  const texts = useTexts(analyticsTexts)
  return (
    <div className={style['toolbar']}>
      <Segments
        label={texts.span}
        value={choice.span}
        options={SPANS.map((span) => [span, texts.spans[span]])}
        onChange={(span) => onChange({ ...choice, span })}
      />
      <Select
        label={texts.by}
        value={choice.by}
        options={[
          ['platform', texts.byPlatform],
          ['outcome', texts.byOutcome],
        ]}
        onChange={(by) => onChange({ ...choice, by })}
      />
    </div>
  )
}

function AnalyticsContent({
  traffic,
  by,
}: {
  readonly traffic: Traffic
  readonly by: AnalyticsFilters['by']
}): ReactNode {
  const texts = useTexts(analyticsTexts)
  if (traffic.platforms.length === 0) {
    const actions = (
      <ButtonLink kind="primary" to="/channels">
        {texts.toChannels}
      </ButtonLink>
    )
    return (
      <Empty icon="analytics" title={texts.noneTitle} actions={actions}>
        {texts.none}
      </Empty>
    )
  }
  if (isQuiet(traffic)) {
    return (
      <Empty icon="analytics" title={texts.quietTitle}>
        {texts.quiet}
      </Empty>
    )
  }
  return (
    <>
      <Totals totals={traffic.totals} />
      <Charts traffic={traffic} by={by} />
      <NumbersTable traffic={traffic} />
    </>
  )
}

function Charts({ traffic, by }: { readonly traffic: Traffic; readonly by: AnalyticsFilters['by'] }): ReactNode {
  const texts = useTexts(analyticsTexts)
  const platforms = useTexts(platformTexts)
  const format = useFormat()
  const outcomes: Readonly<Record<string, string | undefined>> = texts.outcomes
  const seriesLabel = ({ id }: Series): string => (isPlatform(id) ? platforms[id] : (outcomes[id] ?? id))
  const { from, to, step_ms: stepMs, totals } = traffic
  const counts = { from, to, stepMs, seriesLabel, kind: 'bars', write: format.number } as const
  const isByPlatform = by === 'platform'
  const { charts, chartLeads } = texts
  const received = isByPlatform ? byPlatform(traffic, 'received') : receivedByOutcome(traffic)
  const sent = isByPlatform ? byPlatform(traffic, 'delivered') : sentByOutcome(traffic)
  return (
    <>
      <p className={style['explore']}>{texts.explore}</p>
      <div className={style['charts']}>
        <Chart {...counts} title={charts.received} lead={chartLeads.received} series={received} />
        <Chart {...counts} title={charts.sent} lead={chartLeads.sent} series={sent} />
        <Chart
          {...counts}
          kind="lines"
          title={charts.times}
          lead={chartLeads.times}
          series={replyTimeSeries(traffic)}
          write={format.span}
          seriesTotal={({ id }) => totals.answer_ms?.[id === 'p50' ? 'p50' : 'p95'] ?? null}
        />
        <Chart {...counts} title={charts.errors} lead={chartLeads.errors} series={errorSeries(traffic)} />
      </div>
    </>
  )
}

/** Minimum interval of refetches after events. */
const PAUSE_MS = 4_000

/** Analytics of a range that ends now. */
export interface TrafficState {
  /** Those of the previous range until the new ones are loaded. */
  readonly traffic: Traffic | null
  readonly isOld: boolean
  readonly error: unknown
  retry(): void
}

/** Returns the analytics of a range, refetched as time passes and events arrive. */
export function useTraffic(span: SpanName): TrafficState {
  const nowMs = useNow(60_000)
  const { data, error, refetch } = useCall('getAnalytics', { query: spanEndingAt(span, nowMs, startOfDay(nowMs)) })
  const [traffic, keep] = useState<Traffic | null>(data ?? null)
  if (data !== undefined && data !== traffic) keep(data)
  useRefreshOnEvents()
  return { traffic, isOld: data === undefined, error, retry: () => void refetch() }
}

function useRefreshOnEvents(): void {
  const client = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useEvents(({ type }) => {
    if (type === 'state') return
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void refresh(client, 'getAnalytics')
    }, PAUSE_MS)
  })
}
