import { shownBlockSchema } from '@gatepost/channels'
import { z } from 'zod'

/** A demo in this process: emulated platforms and their operations. */
export interface RunningDemo {
  readonly platforms: readonly DemoPlatform[]
  readonly people: readonly DemoPerson[]
  /** The group of the people and the bot, on platforms with groups. */
  readonly group: { readonly id: string; readonly title: string }
  /** Key in the demo link. Anyone who has it is signed in. */
  readonly key: string
  /**
   * Runs an operation of a platform's emulator.
   * @throws {GatewayError} `demo_refused` @throws {ChannelError} `unknown_platform`
   */
  act(platform: string, operation: DemoOperation, options: Readonly<Record<string, unknown>>): Promise<unknown>
  /** Yields the full state, then every change, until `signal` aborts. */
  events(signal: AbortSignal): AsyncIterable<DemoEvent>
}

/** Operations for visitors. */
export const DEMO_OPERATIONS = [
  'say',
  'conversation',
  'scan',
  'injectFault',
  'clearFaults',
  'faults',
  'switches',
  'dropConnections',
  'revoke',
  'bot',
] as const

/** One of `DEMO_OPERATIONS`. */
export type DemoOperation = (typeof DEMO_OPERATIONS)[number]

/** A person that the visitor plays. */
interface DemoPerson {
  readonly id: string
  readonly name: string
}

/** A platform of a demo. */
export interface DemoPlatform {
  readonly platform: string
  readonly label: string
  /** Whether the platform has groups. */
  readonly groups: boolean
  /** Whether the platform receives acknowledgements. */
  readonly confirms: boolean
  /** What a person can do with a scanned code; empty: the platform has no codes. */
  readonly acts: readonly string[]
  /** Address of the emulator's own page. */
  readonly page: string
  /** The most useful faults; the emulator's page has more. */
  readonly switches: readonly DemoSwitch[]
}

/** A fault that a visitor can inject. */
export interface DemoSwitch {
  /** Stable, for programs. */
  readonly id: string
  readonly label: string
  readonly hint: string
  /** As `injectFault` takes it. */
  readonly fault: Readonly<Record<string, unknown>>
  /** Whether it stays active until turned off. */
  readonly lasting: boolean
}

/** A message as people see it. */
export interface DemoLine {
  readonly id: string
  readonly by: 'person' | 'bot'
  readonly name: string
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  /** The text in the platform's markup. */
  readonly text: string
  readonly blocks: readonly DemoBlock[]
  /** Whether it's still being written. */
  readonly unfinished: boolean
  readonly edited: boolean
  /** Names. */
  readonly files: readonly string[]
  /** Delivery state of a message from a person; `null` for the bot's. */
  readonly way: 'sent' | 'delivered' | 'confirmed' | null
}

/** A change on a platform. */
export type DemoEvent =
  | {
      readonly type: 'pane'
      readonly platform: string
      readonly bot: string
      readonly connected: boolean
      /** State of a setup code that is waiting to be scanned. */
      readonly code: 'waiting' | 'scanned' | null
      /** Active switches and their faults. */
      readonly faults: readonly { readonly switch: string | null; readonly id: number; readonly left: number | null }[]
    }
  | {
      readonly type: 'chat'
      readonly platform: string
      /** Id of a person or the group. */
      readonly chat: string
      readonly typing: boolean
      /** Ids of all shown messages, oldest first. */
      readonly ids: readonly string[]
      /** New or changed messages. */
      readonly lines: readonly DemoLine[]
    }

/** A block of rendered text, including the tables that emulated platforms render. */
export const demoBlock = z
  .union([
    shownBlockSchema,
    z.strictObject({
      type: z.literal('table'),
      rows: z.array(z.array(z.string()).readonly()).readonly().exactOptional().describe('Header row first'),
    }),
  ])
  .meta({ id: 'DemoBlock', description: 'A block of rendered text' })

/** A block, as described by `demoBlock`. */
type DemoBlock = z.infer<typeof demoBlock>
