import { createContext, use, useEffect, useState, useSyncExternalStore } from 'react'
import { callAddress } from '../../api/call.ts'
import type { DemoEvent } from '../../api/gateway-api.ts'
import { heard, type LiveDemo, NOTHING_HEARD } from './live-demo.ts'

interface Store {
  readonly get: () => LiveDemo
  readonly subscribe: (changed: () => void) => () => void
  readonly start: () => () => void
}

/** Follows the demo while somebody looks at the page; whoever comes back is told everything anew. */
function createStore(): Store {
  let live = NOTHING_HEARD
  const watchers = new Set<() => void>()
  const become = (next: LiveDemo): void => {
    live = next
    for (const changed of watchers) changed()
  }
  return {
    get: () => live,
    subscribe(changed) {
      watchers.add(changed)
      return () => watchers.delete(changed)
    },
    start() {
      let source: EventSource | null = null
      const hear = ({ data }: MessageEvent<string>): void => become(heard(live, JSON.parse(data) as DemoEvent)) // the service writes it by the schema that the type is made from
      const look = (): void => {
        if (document.hidden) {
          source?.close()
          source = null
        } else if (source === null || source.readyState === EventSource.CLOSED) {
          source = new EventSource(callAddress('streamDemo', {}))
          source.addEventListener('open', () => become({ ...live, line: 'open' }))
          source.addEventListener('error', () => become({ ...live, line: 'broken' }))
          for (const type of ['pane', 'chat'] as const) source.addEventListener(type, hear)
        }
      }
      document.addEventListener('visibilitychange', look)
      window.addEventListener('online', look)
      look()
      return () => {
        document.removeEventListener('visibilitychange', look)
        window.removeEventListener('online', look)
        source?.close()
      }
    },
  }
}

/** Around everything that shows the demo. */
export const LiveDemoContext = createContext<Store | null>(null)

/** Follows the demo from now on, for `LiveDemoContext`. */
export function useStartedDemo(): Store {
  const [store] = useState(createStore)
  useEffect(() => store.start(), [store])
  return store
}

/** A part of the demo, kept up to date. @param pick Gives the same value while nothing in it has changed. */
export function useLive<T>(pick: (live: LiveDemo) => T): T {
  const store = use(LiveDemoContext)
  if (store === null) throw new Error('A part of the demo stands outside of it.')
  return useSyncExternalStore(store.subscribe, () => pick(store.get()))
}
