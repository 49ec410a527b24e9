import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { startEvents, useEvents } from '../api/streams.ts'
import { refresh } from '../api/queries.ts'
import { useViewedAccount } from '../api/viewed-account.ts'
import type { CallName } from '../api/client.ts'
import type { Event } from '../api/gateway-api.ts'

/** Responses that are stale after an event of each type. */
const STALE: Readonly<Record<Event['type'], readonly CallName[]>> = {
  state: ['listChannels', 'getChannel'],
  message: ['listConversations', 'getConversation', 'getChannel', 'listUsers', 'listMessages'],
  delivery: ['getConversation', 'listConversations', 'listAllDeliveries', 'getChannel', 'listDeliveries'],
}
/** Responses to refetch when the stream opens: they may be stale. */
const LIVE: readonly CallName[] = [...new Set(Object.values(STALE).flat())]
/** Delay before refetching, in ms, since events come in bursts. */
const PAUSE_MS = 150
/** Longest wait for responses, in ms, before refetching again. */
const PATIENCE_MS = 10_000

/** Refetches the pages' data when events arrive. */
export function useLiveUpdates(): void {
  const client = useQueryClient()
  const account = useViewedAccount()
  const waiting = useRef<StaleCalls>(new Map())
  const isRefreshing = useRef(false)
  useEffect(() => {
    const opened = (isReconnect: boolean): void =>
      void (isReconnect ? client.invalidateQueries() : refresh(client, ...LIVE))
    return startEvents(opened)
  }, [client, account])
  useEvents(({ type, platform }) => {
    for (const name of STALE[type]) waiting.current.set(name, (waiting.current.get(name) ?? new Set()).add(platform))
    if (isRefreshing.current) return
    isRefreshing.current = true
    void refreshStale(client, waiting.current).finally(() => (isRefreshing.current = false))
  })
}

/** Operations to refetch, with the platforms that had events. */
type StaleCalls = Map<unknown, Set<unknown>>

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Refetches in rounds, so that a slow request isn't repeated before it completes. */
async function refreshStale(client: QueryClient, waiting: StaleCalls): Promise<void> {
  while (waiting.size > 0) {
    await delay(PAUSE_MS)
    const stale = new Map(waiting)
    waiting.clear()
    const isStale = ({ queryKey: [name, input] }: { readonly queryKey: readonly unknown[] }): boolean => {
      const { params } = (input ?? {}) as { readonly params?: { readonly platform?: string } } // built by `queryKey`
      const platforms = stale.get(name)
      return platforms !== undefined && (params?.platform === undefined || platforms.has(params.platform))
    }
    await Promise.race([client.invalidateQueries({ predicate: isStale }), delay(PATIENCE_MS)])
  }
}
