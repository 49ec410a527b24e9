import type { DemoLine, DemoSwitch } from './demo.ts'

/** The parts of an emulator that a demo needs. The gateway doesn't import `@gatepost/emulators`. */
export interface DemoEmulator {
  readonly platform: string
  readonly label: string
  readonly page: string
  readonly info: { readonly groups: boolean; readonly confirms?: false; readonly acts: readonly string[] }
  readonly control: DemoControl
}

/** Operations: those that visitors call, and those that are polled. */
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

/** A message; with `details`, as people see it. */
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

/** Returns the switches with a code, each with its full fault. */
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

/** Faults that also end open connections. */
const CUTS: ReadonlySet<string> = new Set(['cut', 'bad_gateway'])

/** Whether the fault requires ending open connections. */
export const endsConnections = ({ id, lasting }: DemoSwitch): boolean => lasting && CUTS.has(id)

/** Returns the id of the switch that matches a fault, or `null`. */
export const findSwitchId = (switches: readonly DemoSwitch[], spec: object): string | null =>
  switches.find(({ fault }) => matchesFault(spec, fault))?.id ?? null

/** Compares faults. Defaults: once, for every method. */
function matchesFault(spec: object, wanted: object): boolean {
  const all = new Map<string, unknown>(Object.entries({ times: 1, method: '*', ...spec }))
  return Object.entries({ times: 1, method: '*', ...wanted }).every(
    ([key, value]) => JSON.stringify(all.get(key)) === JSON.stringify(value),
  )
}
