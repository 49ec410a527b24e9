import type { DemoEvent, DemoLine } from '../../api/gateway-api.ts'

/** The current state of a platform. */
export type Pane = Extract<DemoEvent, { readonly type: 'pane' }>

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
  readonly line: 'connecting' | 'open' | 'broken'
}

/** Returns the key of a chat. */
export const chatKey = (platform: string, chat: string): string => `${platform}/${chat}`

/** The state before any event. */
export const NO_EVENTS: LiveDemo = { panes: {}, chats: {}, line: 'connecting' }

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
