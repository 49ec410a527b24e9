import { shownBlockSchema } from '@gatepost/channels'
import { z } from 'zod'

/** A demo that runs in this process: emulated platforms, and what a visitor can do there as a person. */
export interface RunningDemo {
  readonly platforms: readonly DemoPlatform[]
  readonly people: readonly DemoPerson[]
  /** Where the people and the bot are together, on platforms that have groups. */
  readonly group: { readonly id: string; readonly title: string }
  /** Who knows it is signed in: the last part of the link that is printed. */
  readonly key: string
  /**
   * One operation of a platform's emulator.
   * @throws {GatewayError} `demo_refused` @throws {ChannelError} `unknown_platform`
   */
  act(platform: string, operation: DemoOperation, options: Readonly<Record<string, unknown>>): Promise<unknown>
  /** Everything as it is, then every change, until `signal` aborts. */
  events(signal: AbortSignal): AsyncIterable<DemoEvent>
}

/** What a visitor may do. */
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

/** A person whom the visitor plays. */
interface DemoPerson {
  readonly id: string
  readonly name: string
}

/** A platform of a demo. */
export interface DemoPlatform {
  readonly platform: string
  readonly label: string
  /** Whether people and the bot can be together in a group. */
  readonly groups: boolean
  /** Whether the platform hears that a message was received. */
  readonly confirms: boolean
  /** What a person with a phone can do with a code that waits; empty: there are no codes. */
  readonly acts: readonly string[]
  /** Address of the emulator's own page. */
  readonly page: string
  /** What every newcomer understands; the page of the emulator has more. */
  readonly switches: readonly DemoSwitch[]
}

/** A fault that a visitor may try. */
export interface DemoSwitch {
  /** Stable, for programs. */
  readonly id: string
  readonly label: string
  readonly hint: string
  /** As `injectFault` takes it. */
  readonly fault: Readonly<Record<string, unknown>>
  /** Stays on until it is switched off. */
  readonly lasting: boolean
}

/** A message as people see it. */
export interface DemoLine {
  readonly id: string
  readonly by: 'person' | 'bot'
  readonly name: string
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  /** What was said, in the markup of the platform. */
  readonly text: string
  readonly blocks: readonly DemoBlock[]
  /** It is still being written. */
  readonly unfinished: boolean
  readonly edited: boolean
  /** Names. */
  readonly files: readonly string[]
  /** Of a person: how far it has come. `null`: of the bot. */
  readonly way: 'sent' | 'delivered' | 'confirmed' | null
}

/** What has changed on a platform. */
export type DemoEvent =
  | {
      readonly type: 'pane'
      readonly platform: string
      readonly bot: string
      readonly connected: boolean
      /** A code of a guided set-up that waits for the person with the phone. */
      readonly code: 'waiting' | 'scanned' | null
      /** Switches that are on, and the fault that each one is. */
      readonly faults: readonly { readonly switch: string | null; readonly id: number; readonly left: number | null }[]
    }
  | {
      readonly type: 'chat'
      readonly platform: string
      /** A person's id, or the group's. */
      readonly chat: string
      readonly typing: boolean
      /** All that are shown, oldest first. */
      readonly ids: readonly string[]
      /** Those that are new or look different now. */
      readonly lines: readonly DemoLine[]
    }

/** What people see of a text: one block of it. Emulated platforms draw tables besides. */
export const demoBlock = z
  .union([
    shownBlockSchema,
    z.strictObject({
      type: z.literal('table'),
      rows: z.array(z.array(z.string()).readonly()).readonly().exactOptional().describe('The head first'),
    }),
  ])
  .meta({ id: 'DemoBlock', description: 'A block of what people see of a text' })

/** As `demoBlock` describes it. */
type DemoBlock = z.infer<typeof demoBlock>
