import type { DemoLine, DemoSwitch } from './demo.ts'

/** The part of an emulator that a demo needs, as `@gatepost/emulators` gives it: the gateway itself knows no emulator. */
export interface DemoEmulator {
  readonly platform: string
  readonly label: string
  readonly page: string
  readonly info: { readonly groups: boolean; readonly confirms?: false; readonly acts: readonly string[] }
  readonly control: DemoControl
}

/** Its operations: those whose options come from a visitor, and those that are looked at again and again. */
interface DemoControl {
  bot(): Promise<{
    readonly id: string
    readonly name: string
    readonly connected: boolean
    readonly setup?: 'waiting' | 'scanned' | null
  }>
  conversation(options: {
    readonly chatId: string
    readonly limit?: number
    readonly details?: boolean
  }): Promise<readonly EmulatedLine[]>
  typing(): Promise<readonly { readonly chatId: string }[]>
  events(): Promise<
    readonly { readonly messageId: string; readonly deliveries: number; readonly confirmedAtMs: number | null }[]
  >
  faults(): Promise<readonly { readonly id: number; readonly spec: object; readonly left: number | null }[]>
  switches(): Promise<readonly EmulatedSwitch[]>
}

/** A message, and with `details` what people see of it. */
export interface EmulatedLine {
  readonly messageId: string
  readonly by: 'person' | 'bot'
  readonly name: string
  readonly atMs: number
  readonly text: string
  readonly unfinished: boolean
  readonly edited: boolean
  readonly files: readonly string[]
  readonly blocks?: DemoLine['blocks']
}

/** A fault that an emulator offers. */
interface EmulatedSwitch {
  readonly label: string
  readonly hint: string
  readonly code?: string
  readonly fault: { readonly kind: string }
  readonly lasting?: true
}

/** Those that say what they do by a code, each with the whole of its fault. */
export const toDemoSwitches = (offered: readonly EmulatedSwitch[]): readonly DemoSwitch[] =>
  offered.flatMap(({ code, label, hint, fault, lasting = false }) =>
    code === undefined
      ? []
      : [
          {
            id: code,
            label,
            hint,
            fault: { ...(lasting && { times: null }), ...fault },
            lasting,
          },
        ],
  )

/** Switches that end what is open, too. */
const CUTS: ReadonlySet<string> = new Set(['cut', 'bad_gateway'])

/** Whether what is open has to be ended for it: nothing that was asked before gets through. */
export const endsConnections = ({ id, lasting }: DemoSwitch): boolean => lasting && CUTS.has(id)

/** The switch that a fault was made by. */
export const findSwitchId = (switches: readonly DemoSwitch[], spec: object): string | null =>
  switches.find(({ fault }) => matchesFault(spec, fault))?.id ?? null

/** What neither says stands for once, in every call. */
function matchesFault(spec: object, wanted: object): boolean {
  const all = new Map<string, unknown>(Object.entries({ times: 1, method: '*', ...spec }))
  return Object.entries({ times: 1, method: '*', ...wanted }).every(
    ([key, value]) => JSON.stringify(all.get(key)) === JSON.stringify(value),
  )
}
