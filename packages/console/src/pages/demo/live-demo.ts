import type { DemoEvent, DemoLine } from '../../api/gateway-api.ts'

/** How a platform is at the moment. */
export type Pane = Extract<DemoEvent, { readonly type: 'pane' }>

/** A chat as people see it. */
export interface Chat {
  readonly typing: boolean
  /** Oldest first. */
  readonly lines: readonly DemoLine[]
  /** A text of the bot was seen to grow. */
  readonly hasGrown: boolean
}

/** All emulated platforms, as far as they have been told of. */
export interface LiveDemo {
  readonly panes: Readonly<Record<string, Pane | undefined>>
  /** By platform and chat, see `chatKey`. */
  readonly chats: Readonly<Record<string, Chat | undefined>>
  readonly line: 'connecting' | 'open' | 'broken'
}

/** Under which a chat is kept. */
export const chatKey = (platform: string, chat: string): string => `${platform}/${chat}`

/** Before anything was heard. */
export const NOTHING_HEARD: LiveDemo = { panes: {}, chats: {}, line: 'connecting' }

/** What is known once an event was heard. */
export function heard(live: LiveDemo, event: DemoEvent): LiveDemo {
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
