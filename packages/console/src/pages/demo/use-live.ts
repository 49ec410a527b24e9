import { createContext, use, useEffect, useState, useSyncExternalStore } from 'react'
import type { DemoEvent } from '../../api/gateway-api.ts'
import { followStream } from '../../api/live-stream.ts'
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
    start: () =>
      followStream('streamDemo', {}, ['pane', 'chat'], {
        opened: () => become({ ...live, line: 'open' }),
        broken: () => become({ ...live, line: 'broken' }),
        event: (data) => become(heard(live, JSON.parse(data) as DemoEvent)), // the service writes it by the schema that the type is made from
      }),
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
