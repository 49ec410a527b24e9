import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { startEvents, useEvents } from '../api/events.ts'
import { refresh } from '../api/queries.ts'
import { useViewedAccount } from '../api/viewed-account.ts'
import type { CallName } from '../api/call.ts'
import type { Event } from '../api/gateway-api.ts'

/** Whose answers are old after something happened. */
const STALE: Readonly<Record<Event['type'], readonly CallName[]>> = {
  state: ['listChannels', 'getChannel'],
  message: ['listConversations', 'getConversation', 'getChannel', 'listUsers', 'listMessages'],
  delivery: ['getConversation', 'listConversations', 'listAllDeliveries', 'getChannel', 'listDeliveries'],
}
/** What a page asks for before the stream is open may be old when it is. */
const LIVE: readonly CallName[] = [...new Set(Object.values(STALE).flat())]
/** Many things happen at once: answers are asked for anew after such a pause. */
const PAUSE_MS = 150
/** After that an answer is not waited for, but asked for anew. */
const PATIENCE_MS = 10_000

/** Keeps what the pages show up to date with what happens, for as long as the console is open. */
export function useNewsInCache(): void {
  const client = useQueryClient()
  const account = useViewedAccount()
  const waiting = useRef<Waiting>(new Map())
  const isUnderWay = useRef(false)
  useEffect(() => {
    const opened = (isAgain: boolean): void => void (isAgain ? client.invalidateQueries() : refresh(client, ...LIVE))
    return startEvents(opened)
  }, [client, account])
  useEvents(({ type, platform }) => {
    for (const name of STALE[type]) waiting.current.set(name, (waiting.current.get(name) ?? new Set()).add(platform))
    if (isUnderWay.current) return
    isUnderWay.current = true
    void refreshing(client, waiting.current).finally(() => (isUnderWay.current = false))
  })
}

/** Whose answers are to be asked for again, and on which platforms something happened. */
type Waiting = Map<unknown, Set<unknown>>

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Round by round: an answer that is slower than what happens is not asked for again before it is there. */
async function refreshing(client: QueryClient, waiting: Waiting): Promise<void> {
  while (waiting.size > 0) {
    await after(PAUSE_MS)
    const stale = new Map(waiting)
    waiting.clear()
    const isStale = ({ queryKey: [name, input] }: { readonly queryKey: readonly unknown[] }): boolean => {
      const { params } = (input ?? {}) as { readonly params?: { readonly platform?: string } } // as `queryKey` makes it
      const platforms = stale.get(name)
      return platforms !== undefined && (params?.platform === undefined || platforms.has(params.platform))
    }
    await Promise.race([client.invalidateQueries({ predicate: isStale }), after(PATIENCE_MS)])
  }
}
