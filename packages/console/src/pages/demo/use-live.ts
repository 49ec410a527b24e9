import { createContext, use, useEffect, useState, useSyncExternalStore } from 'react'
import type { DemoEvent } from '../../api/gateway-api.ts'
import { followStream } from '../../api/live-stream.ts'
import { applyEvent, type LiveDemo, NO_EVENTS } from './live-demo.ts'

interface DemoStore {
  readonly get: () => LiveDemo
  readonly subscribe: (changed: () => void) => () => void
  readonly start: () => () => void
}

/** Creates a store that follows the demo while the page is visible. */
function createStore(): DemoStore {
  let live = NO_EVENTS
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
        event: (data) => become(applyEvent(live, JSON.parse(data) as DemoEvent)), // the type is generated from the service's schema
      }),
  }
}

/** Provides the store of the demo. */
export const LiveDemoContext = createContext<DemoStore | null>(null)

/** Creates and starts the store for `LiveDemoContext`. */
export function useDemoStore(): DemoStore {
  const [store] = useState(createStore)
  useEffect(() => store.start(), [store])
  return store
}

/** Returns a part of the demo's state. @param pick Must return the same value while nothing has changed. */
export function useLiveDemo<T>(pick: (live: LiveDemo) => T): T {
  const store = use(LiveDemoContext)
  if (store === null) throw new Error('A part of the demo stands outside of it.')
  return useSyncExternalStore(store.subscribe, () => pick(store.get()))
}
