import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { startOfDay, type SpanName, spanEndingAt } from './spans.ts'
import { useEvents } from '../../api/events.ts'
import type { Traffic } from '../../api/gateway-api.ts'
import { refresh, useCall } from '../../api/queries.ts'
import { useNow } from '../../parts/time.tsx'

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
  const { data, error, refetch } = useCall('getFigures', { query: spanEndingAt(span, nowMs, startOfDay(nowMs)) })
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
      void refresh(client, 'getFigures')
    }, PAUSE_MS)
  })
}
