import type { DemoView, Seen, SeenChat } from './demo-view.ts'
import type { DemoEvent, DemoLine } from './demo.ts'
import type { Clock } from '@gatepost/channels'

/** How often the platforms are looked at while somebody reads. */
const EVERY_MS = 80

/**
 * Everything as it is, then what changes, until `signal` aborts. Nothing is looked at while nobody reads; what changes
 * and changes back between two looks is not told.
 */
export async function* demoEvents(
  views: readonly DemoView[],
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<DemoEvent> {
  const told = views.map((): Told => ({ pane: '', chats: new Map() }))
  while (!signal.aborted) {
    for (const [index, view] of views.entries()) {
      const before = told[index]
      if (before !== undefined) yield* changes(view.emulator.platform, await view.look(), before)
    }
    await clock.sleep(EVERY_MS, signal)
  }
}

/** What a reader has been told of a platform. */
interface Told {
  pane: string
  readonly chats: Map<string, SeenChat>
}

/** What is new to the reader, who then knows it. */
function* changes(platform: string, { pane, chats }: Seen, told: Told): Generator<DemoEvent> {
  const words = JSON.stringify(pane)
  if (words !== told.pane) yield pane
  told.pane = words
  for (const now of chats) {
    const before = told.chats.get(now.chat)
    told.chats.set(now.chat, now)
    if (before !== undefined && before.lines === now.lines && before.typing === now.typing) continue
    const known = new Set<DemoLine>(before?.lines)
    yield {
      type: 'chat',
      platform,
      chat: now.chat,
      typing: now.typing,
      ids: now.lines.map(({ id }) => id),
      lines: now.lines.filter((line) => !known.has(line)),
    }
  }
}
