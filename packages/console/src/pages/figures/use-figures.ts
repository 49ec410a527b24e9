import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { midnightOf, type SpanName, spanAt } from './spans.ts'
import { useEvents } from '../../api/events.ts'
import type { Traffic } from '../../api/gateway-api.ts'
import { refresh, useCall } from '../../api/queries.ts'
import { useNow } from '../../parts/time.tsx'

/** Counted anew after something happened, at most so often. */
const PAUSE_MS = 4_000

/** The figures of a span that ends now. */
export interface Figures {
  /** Those of the span before, until those of another one are there. */
  readonly traffic: Traffic | null
  readonly isOld: boolean
  readonly error: unknown
  retry(): void
}

/** Follows time, and what happens. */
export function useFigures(span: SpanName): Figures {
  const nowMs = useNow(60_000)
  const { data, error, refetch } = useCall('getFigures', { query: spanAt(span, nowMs, midnightOf(nowMs)) })
  const [traffic, keep] = useState<Traffic | null>(data ?? null)
  if (data !== undefined && data !== traffic) keep(data)
  useRefreshing()
  return { traffic, isOld: data === undefined, error, retry: () => void refetch() }
}

function useRefreshing(): void {
  const client = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useEvents(({ type }) => {
    if (type === 'state') return
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void refresh(client, 'getFigures')
    }, PAUSE_MS)
  })
}
