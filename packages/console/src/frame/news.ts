import { useQueryClient } from '@tanstack/react-query'
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

/** Keeps what the pages show up to date with what happens, for as long as the console is open. */
export function useNewsInCache(): void {
  const client = useQueryClient()
  const account = useViewedAccount()
  const waiting = useRef(new Set<CallName>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    const opened = (isAgain: boolean): void => void (isAgain ? client.invalidateQueries() : refresh(client, ...LIVE))
    return startEvents(opened)
  }, [client, account])
  useEffect(() => () => clearTimeout(timer.current), [])
  useEvents(({ type }) => {
    for (const name of STALE[type]) waiting.current.add(name)
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void refresh(client, ...waiting.current)
      waiting.current.clear()
    }, PAUSE_MS)
  })
}
