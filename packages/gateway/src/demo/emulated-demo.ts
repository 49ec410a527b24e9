import { newSecretText } from '../accounts/secret-text.ts'
import { GatewayError } from '../server/errors.ts'
import type { DemoEmulator } from './demo-emulator.ts'
import type { DemoOperation, DemoPlatform, RunningDemo } from './demo.ts'
import { demoEvents } from './demo-events.ts'
import { endsConnections, switchesOf } from './demo-switches.ts'
import { type DemoView, demoView } from './demo-view.ts'
import { ChannelError, type Clock, platformNamed } from '@gatepost/channels'
import { isDeepStrictEqual } from 'node:util'

/** Whom a visitor can be. */
const PEOPLE = [
  { id: 'ann', name: 'Ann' },
  { id: 'milo', name: 'Milo' },
] as const
const GROUP = { id: 'harbour', title: 'Harbour office' } as const

/** A demo over emulators that run in this process. */
export async function emulatedDemo(emulators: readonly DemoEmulator[], clock: Clock): Promise<RunningDemo> {
  const chats = PEOPLE.map(({ id }) => id)
  const views = await Promise.all(
    emulators.map(async (emulator) => {
      const switches = switchesOf(await emulator.control.switches())
      const shown = emulator.info.groups ? [...chats, GROUP.id] : chats
      return demoView(emulator, { switches, chats: shown, clock })
    }),
  )
  return {
    platforms: views.map(platformOf),
    people: PEOPLE,
    group: GROUP,
    key: newSecretText(),
    act: (platform, operation, options) => act(viewNamed(views, platform), operation, options),
    events: (signal) => demoEvents(views, clock, signal),
  }
}

const platformOf = ({ emulator, switches }: DemoView): DemoPlatform => ({
  platform: emulator.platform,
  label: emulator.label,
  groups: emulator.info.groups,
  confirms: emulator.info.confirms ?? true,
  acts: emulator.info.acts,
  page: emulator.page,
  switches,
})

function viewNamed(views: readonly DemoView[], name: string): DemoView {
  const platform = platformNamed(name)
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
    return { id, name, connected, setup } // never its credentials, made up as they are
  }
  if (operation === 'switches') return switches
  const pressed = switches.find(({ fault }) => isDeepStrictEqual(fault, options))
  if (operation === 'injectFault' && pressed === undefined)
    throw new GatewayError('demo_refused', { message: 'Only the faults of the switches can be made here.' })
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
