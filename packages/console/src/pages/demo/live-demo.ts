import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import { createContext, use, useEffect, useState, useSyncExternalStore } from 'react'
import { type Answer, type ApiError, call } from '../../api/client.ts'
import type { DemoEvent, DemoLine, DemoSwitch } from '../../api/gateway-api.ts'
import { useRunOnce } from '../../api/queries.ts'
import { followStream } from '../../api/streams.ts'
import { useNotifyError } from '../../parts/toast.tsx'

/** The current state of a platform. */
type Pane = Extract<DemoEvent, { readonly type: 'pane' }>

/** A chat as people see it. */
export interface Chat {
  readonly typing: boolean
  /** Oldest first. */
  readonly lines: readonly DemoLine[]
  /** A reply has been streamed. */
  readonly hasGrown: boolean
}

/** The state of all emulated platforms. */
export interface LiveDemo {
  readonly panes: Readonly<Record<string, Pane | undefined>>
  /** By platform and chat, see `chatKey`. */
  readonly chats: Readonly<Record<string, Chat | undefined>>
  readonly stream: 'connecting' | 'open' | 'broken'
}

/** Returns the key of a chat. */
export const chatKey = (platform: string, chat: string): string => `${platform}/${chat}`

/** The state before any event. */
export const NO_EVENTS: LiveDemo = { panes: {}, chats: {}, stream: 'connecting' }

/** Returns the state after an event. */
export function applyEvent(live: LiveDemo, event: DemoEvent): LiveDemo {
  if (event.type === 'pane') return { ...live, panes: { ...live.panes, [event.platform]: event } }
  const key = chatKey(event.platform, event.chat)
  const before = live.chats[key]
  const known = new Map([...(before?.lines ?? []), ...event.lines].map((line) => [line.id, line]))
  const lines = event.ids.flatMap((id) => known.get(id) ?? [])
  const grew = event.lines.some((line) =>
    hasGrown(
      before?.lines.find(({ id }) => id === line.id),
      line,
    ),
  )
  const chat = { typing: event.typing, lines, hasGrown: before?.hasGrown === true || grew }
  return { ...live, chats: { ...live.chats, [key]: chat } }
}

const hasGrown = (before: DemoLine | undefined, now: DemoLine): boolean =>
  now.by === 'bot' && before !== undefined && before.text !== '' && now.text.length > before.text.length

interface DemoStore {
  readonly get: () => LiveDemo
  readonly subscribe: (changed: () => void) => () => void
  readonly start: () => () => void
}

/** Creates a store that follows the demo while the page is visible. */
function createStore(): DemoStore {
  let live = NO_EVENTS
  const watchers = new Set<() => void>()
  const update = (next: LiveDemo): void => {
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
        opened: () => update({ ...live, stream: 'open' }),
        broken: () => update({ ...live, stream: 'broken' }),
        event: (data) => update(applyEvent(live, JSON.parse(data) as DemoEvent)), // the type is generated from the service's schema
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
  if (store === null) throw new Error('useLiveDemo must be used inside LiveDemoContext.')
  return useSyncExternalStore(store.subscribe, () => pick(store.get()))
}

/** The whole demo. */
export type Demo = Answer<'getDemo'>
/** A person in the demo. */
export interface Visitor {
  readonly id: string
  readonly name: string
}

/** A message sent as a person on a platform. */
export interface DemoMessage {
  readonly platform: string
  readonly from: Visitor
  readonly group?: { readonly id: string; readonly title: string; readonly mention: boolean }
  readonly text: string
}

const actInDemo = (
  platform: string,
  operation: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<unknown> => call('actInDemo', { params: { platform, operation }, body })

/** Returns an action on emulated platforms that notifies of failures. */
function useDemoAction<I>(run: (input: I) => Promise<unknown>): UseMutationResult<unknown, ApiError, I> {
  const notifyError = useNotifyError()
  const once = useRunOnce()
  return useMutation<unknown, ApiError, I>({
    mutationFn: (input) => once(input, () => run(input)),
    onError: notifyError,
  })
}

/** Returns an action that sends a message as a person. */
export const useSendAs = (): UseMutationResult<unknown, ApiError, DemoMessage> =>
  useDemoAction(({ platform, from, group, text }) => {
    const { id, title, mention } = group ?? {}
    return actInDemo(platform, 'say', { from, text, ...(group !== undefined && { group: { id, title }, mention }) })
  })

/** Returns an action that scans, confirms or refuses the latest QR code. */
export const useScan = (
  platform: string,
): UseMutationResult<unknown, ApiError, { readonly act: 'scan' | 'confirm' | 'refuse'; readonly userId?: string }> =>
  useDemoAction((body) => actInDemo(platform, 'scan', { ...body }))

/** Returns an action that injects a fault, or clears it when its ID is given. */
export const useToggleFault = (
  platform: string,
): UseMutationResult<unknown, ApiError, { readonly of: DemoSwitch; readonly active: number | null }> =>
  useDemoAction(({ of, active }) =>
    active === null ? actInDemo(platform, 'injectFault', of.fault) : actInDemo(platform, 'clearFaults', { id: active }),
  )

/** Returns an action that clears all faults of platforms. */
export const useClearFaults = (): UseMutationResult<unknown, ApiError, readonly string[]> =>
  useDemoAction((platforms) => Promise.all(platforms.map((platform) => actInDemo(platform, 'clearFaults'))))

/** Returns the ID of a fault that is active; `null` otherwise. */
export const findActiveFault = (pane: Pane | undefined, of: DemoSwitch): number | null =>
  pane?.faults.find((fault) => fault.switch === of.id)?.id ?? null
