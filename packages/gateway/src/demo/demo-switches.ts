import type { EmulatedSwitch } from './demo-emulator.ts'
import type { DemoSwitch } from './demo.ts'

/** Those that say what they do by a code, each with the whole of its fault. */
export const switchesOf = (offered: readonly EmulatedSwitch[]): readonly DemoSwitch[] =>
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
export const switchOf = (switches: readonly DemoSwitch[], spec: object): string | null =>
  switches.find(({ fault }) => isOf(spec, fault))?.id ?? null

/** What neither says stands for once, in every call. */
function isOf(spec: object, wanted: object): boolean {
  const all = new Map<string, unknown>(Object.entries({ times: 1, method: '*', ...spec }))
  return Object.entries({ times: 1, method: '*', ...wanted }).every(
    ([key, value]) => JSON.stringify(all.get(key)) === JSON.stringify(value),
  )
}
