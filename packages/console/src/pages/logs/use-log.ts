import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useReducer, useRef, useState } from 'react'
import { type Batches, createBatches } from './log-batches.ts'
import { matchesFilters, type LogFilters, toQuery } from './log-filters.ts'
import {
  type LogPage,
  MOST_LINES,
  NO_LINES,
  type ShownLog,
  withNew,
  withNewest,
  withOlder,
  withoutWaiting,
  withWaiting,
} from './log-lines.ts'
import { call } from '../../api/client.ts'
import type { LogLine } from '../../api/gateway-api.ts'
import { useLiveLog } from '../../api/streams.ts'
import { queryKey } from '../../api/queries.ts'

const PAGE_LINES = 200
/** Empty pages to read at a time: the service scans a part of its files for each. */
const EMPTY_PAGES = 5
/** New lines are shown in batches. */
const BATCH_MS = 150

/** State of the stream. */
export type LiveState = 'off' | 'connecting' | 'live'

/** The log as shown by this page. */
export interface LogView extends Omit<ShownLog, 'older'> {
  readonly hasOlder: boolean
  readonly days: readonly string[]
  readonly state: 'loading' | 'ready' | 'failed'
  readonly error: unknown
  readonly isLoadingOlder: boolean
  readonly live: LiveState
  readonly isFull: boolean
  showOlder(): void
  retry(): void
  /** Shows the lines held back. */
  catchUp(): void
}

/** Follows the log. @param isReading Whether the viewer has scrolled up, so that new lines are held back. */
export function useLog(filters: LogFilters, follow: boolean, isReading: () => boolean): LogView {
  const [shown, apply] = useReducer((log: ShownLog, change: (log: ShownLog) => ShownLog) => change(log), NO_LINES)
  const { fetchPage, reset, days, state, error, isLoadingOlder } = usePages(filters)
  const [live, setLive] = useState<LiveState>('connecting')
  const take = useBatched((lines) => {
    const wanted = lines.filter((line) => matchesFilters(line, filters))
    if (wanted.length > 0) apply((log) => (isReading() ? withWaiting(log, wanted) : withNew(log, wanted)))
  })
  const newest = (): void => fetchPage(null, (page) => apply((log) => withNewest(log, page)))
  const first = useEffectEvent(() => {
    reset()
    apply(() => NO_LINES)
    newest()
  })
  const filtersKey = JSON.stringify(filters)
  useEffect(() => first(), [filtersKey])
  useLiveLog(follow, {
    opened() {
      setLive('live')
      newest()
    },
    broken: () => setLive('connecting'),
    line: take,
  })
  return {
    lines: shown.lines,
    waiting: shown.waiting,
    hasOlder: shown.older !== null,
    days,
    state,
    error,
    isLoadingOlder,
    live: follow ? live : 'off',
    isFull: shown.lines.length >= MOST_LINES,
    showOlder: () => fetchPage(shown.older, (page) => apply((log) => withOlder(log, page))),
    retry: newest,
    catchUp: () => apply(withoutWaiting),
  }
}

/** Batches values that arrive within a moment. */
function useBatched(onBatch: (lines: readonly LogLine[]) => void): (line: LogLine) => void {
  const passOn = useEffectEvent(onBatch)
  const batches = useRef<Batches<LogLine> | null>(null)
  useEffect(() => {
    const own = createBatches<LogLine>(BATCH_MS, (lines) => passOn(lines))
    batches.current = own
    return () => own.stop()
  }, [])
  return (line) => batches.current?.add(line)
}

interface Pages extends Pick<LogView, 'days' | 'state' | 'error' | 'isLoadingOlder'> {
  /** Discards the responses of pending requests, after the filters have changed. */
  reset(): void
  /** @param before Cursor; `null` for the newest lines. */
  fetchPage(before: string | null, onPage: (page: LogPage) => void): void
}

/** Fetches pages of the log. */
function usePages(filters: LogFilters): Pages {
  const client = useQueryClient()
  const [days, setDays] = useState<readonly string[]>([])
  const [state, setState] = useState<LogView['state']>('loading')
  const [error, setError] = useState<unknown>(null)
  const [isLoadingOlder, setLoadingOlder] = useState(false)
  const generation = useRef(0)
  const fetchPage: Pages['fetchPage'] = (before, onPage) => {
    const ownGeneration = generation.current
    const ended = (tell: () => void) => (): void => {
      if (ownGeneration !== generation.current) return
      tell()
      setLoadingOlder(false)
    }
    setLoadingOlder(before !== null)
    void pageWithLines(client, filters, before).then(
      (page) =>
        ended(() => {
          onPage(page)
          setDays(page.days)
          setError(null)
          setState('ready')
        })(),
      (why: unknown) =>
        ended(() => {
          setError(why)
          setState('failed')
        })(),
    )
  }
  const reset = (): void => {
    generation.current += 1
    setState('loading')
    setLoadingOlder(false)
  }
  return { fetchPage, reset, days, state, error, isLoadingOlder }
}

/** Fetches a page, skipping empty ones while there are more. */
async function pageWithLines(client: QueryClient, filters: LogFilters, before: string | null): Promise<FoundPage> {
  let next = before
  for (let tries = 1; ; tries += 1) {
    const query = { ...toQuery(filters), limit: PAGE_LINES, ...(next !== null && { before: next }) }
    const found = await client.query({
      queryKey: queryKey('listLogs', query),
      queryFn: ({ signal }) => call('listLogs', { query }, signal),
      staleTime: 0,
      gcTime: 0,
    })
    if (found.items.length > 0 || found.next === null || tries === EMPTY_PAGES) return found
    next = found.next
  }
}

interface FoundPage extends LogPage {
  readonly days: readonly string[]
}
