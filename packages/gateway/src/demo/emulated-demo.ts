import { isDeepStrictEqual } from 'node:util'
import { ChannelError, type Clock, parsePlatformId } from '@gatepost/channels'
import { createSecretText } from '../accounts/secret-text.ts'
import { GatewayError } from '../server/errors.ts'
import { endsConnections, toDemoSwitches, type DemoEmulator } from './demo-emulator.ts'
import { demoView, type DemoView, type Seen, type SeenChat } from './demo-view.ts'
import type { DemoOperation, DemoPlatform, RunningDemo, DemoEvent, DemoLine } from './demo.ts'

/** People that a visitor can play. */
const PEOPLE = [
  { id: 'ann', name: 'Ann' },
  { id: 'milo', name: 'Milo' },
] as const
const GROUP = { id: 'harbour', title: 'Harbour office' } as const

/** Creates a demo on emulators in this process. */
export async function emulatedDemo(emulators: readonly DemoEmulator[], clock: Clock): Promise<RunningDemo> {
  const chats = PEOPLE.map(({ id }) => id)
  const views = await Promise.all(
    emulators.map(async (emulator) => {
      const switches = toDemoSwitches(await emulator.control.switches())
      const shown = emulator.info.groups ? [...chats, GROUP.id] : chats
      return demoView(emulator, { switches, chats: shown, clock })
    }),
  )
  return {
    platforms: views.map(toDemoPlatform),
    people: PEOPLE,
    group: GROUP,
    key: createSecretText(),
    act: (platform, operation, options) => act(viewNamed(views, platform), operation, options),
    events: (signal) => demoEvents(views, clock, signal),
  }
}

const toDemoPlatform = ({ emulator, switches }: DemoView): DemoPlatform => ({
  platform: emulator.platform,
  label: emulator.label,
  groups: emulator.info.groups,
  confirms: emulator.info.confirms ?? true,
  acts: emulator.info.acts,
  page: emulator.page,
  switches,
})

function viewNamed(views: readonly DemoView[], name: string): DemoView {
  const platform = parsePlatformId(name)
  const view = views.find(({ emulator }) => emulator.platform === platform)
  if (view === undefined) throw new ChannelError('unknown_platform')
  return view
}

type Operations = Readonly<Record<string, (options: unknown) => Promise<unknown>>>

async function act(
  view: DemoView,
  operation: DemoOperation,
  options: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const { emulator, switches } = view
  if (operation === 'bot') {
    const { id, name, connected, setup = null } = await emulator.control.bot()
    return { id, name, connected, setup } // without its credentials
  }
  if (operation === 'switches') return switches
  const pressed = switches.find(({ fault }) => isDeepStrictEqual(fault, options))
  if (operation === 'injectFault' && pressed === undefined)
    throw new GatewayError('demo_refused', { message: 'Only the faults of the switches can be injected here.' })
  try {
    const operations = emulator.control as unknown as Operations // its own types are of the platform; options are checked
    const result = await operations[operation]?.(options)
    if (operation === 'say') view.learn(options, result)
    if (operation === 'injectFault' && pressed && endsConnections(pressed)) await operations['dropConnections']?.({})
    return result
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new GatewayError('demo_refused', { message: cause.message, cause })
  }
}

/** How often the platforms are polled while there are readers. */
const EVERY_MS = 80

/**
 * Yields the full state, then changes, until `signal` aborts. Polls only while there are readers, so a change that is
 * undone between two polls isn't reported.
 */
async function* demoEvents(views: readonly DemoView[], clock: Clock, signal: AbortSignal): AsyncGenerator<DemoEvent> {
  const told = views.map((): Told => ({ pane: '', chats: new Map() }))
  while (!signal.aborted) {
    for (const [index, view] of views.entries()) {
      const before = told[index]
      if (before !== undefined) yield* changes(view.emulator.platform, await view.look(), before)
    }
    await clock.sleep(EVERY_MS, signal)
  }
}

/** The state of a platform that a reader has received. */
interface Told {
  pane: string
  readonly chats: Map<string, SeenChat>
}

/** Returns what the reader hasn't received yet, and marks it as received. */
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
