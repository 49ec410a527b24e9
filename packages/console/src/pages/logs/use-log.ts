import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useReducer, useRef, useState } from 'react'
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
const GATHER_MS = 150

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
  const { ask, begin, days, state, error, isLoadingOlder } = usePages(filters)
  const [live, setLive] = useState<LiveState>('connecting')
  const take = useGathered((lines) => {
    const wanted = lines.filter((line) => matchesFilters(line, filters))
    if (wanted.length > 0) apply((log) => (isReading() ? withWaiting(log, wanted) : withNew(log, wanted)))
  })
  const newest = (): void => ask(null, (page) => apply((log) => withNewest(log, page)))
  const first = useEffectEvent(() => {
    begin()
    apply(() => NO_LINES)
    newest()
  })
  const asked = JSON.stringify(filters)
  useEffect(() => first(), [asked])
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
    showOlder: () => ask(shown.older, (page) => apply((log) => withOlder(log, page))),
    retry: newest,
    catchUp: () => apply(withoutWaiting),
  }
}

/** Batches values that arrive within a moment. */
function useGathered(hand: (lines: readonly LogLine[]) => void): (line: LogLine) => void {
  const [gathered, gather] = useState<readonly LogLine[]>([])
  const handOver = useEffectEvent(() => {
    hand(gathered)
    gather([])
  })
  const isWaiting = gathered.length > 0
  useEffect(() => {
    if (!isWaiting) return
    const timer = setTimeout(() => handOver(), GATHER_MS)
    return () => clearTimeout(timer)
  }, [isWaiting])
  return (line) => gather((before) => [...before, line])
}

interface Pages extends Pick<LogView, 'days' | 'state' | 'error' | 'isLoadingOlder'> {
  /** Aborts pending requests when the filters change. */
  begin(): void
  /** @param before Cursor; `null` for the newest lines. */
  ask(before: string | null, taken: (page: LogPage) => void): void
}

/** Fetches pages of the log. */
function usePages(filters: LogFilters): Pages {
  const client = useQueryClient()
  const [days, setDays] = useState<readonly string[]>([])
  const [state, setState] = useState<LogView['state']>('loading')
  const [error, setError] = useState<unknown>(null)
  const [isLoadingOlder, setLoadingOlder] = useState(false)
  const begun = useRef(0)
  const ask: Pages['ask'] = (before, taken) => {
    const mine = begun.current
    const ended = (tell: () => void) => (): void => {
      if (mine !== begun.current) return
      tell()
      setLoadingOlder(false)
    }
    setLoadingOlder(before !== null)
    void pageWithLines(client, filters, before).then(
      (page) =>
        ended(() => {
          taken(page)
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
  const begin = (): void => {
    begun.current += 1
    setState('loading')
    setLoadingOlder(false)
  }
  return { ask, begin, days, state, error, isLoadingOlder }
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
