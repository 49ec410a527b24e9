import type { DemoLine } from './demo.ts'

/** The part of an emulator that a demo needs, as `@gatepost/emulators` gives it: the gateway itself knows no emulator. */
export interface DemoEmulator {
  readonly platform: string
  readonly label: string
  readonly page: string
  readonly info: { readonly groups: boolean; readonly confirms?: false; readonly acts: readonly string[] }
  readonly control: DemoControl
}

/** Its operations: those whose options come from a visitor, and those that are looked at again and again. */
export interface DemoControl {
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
export interface EmulatedSwitch {
  readonly label: string
  readonly hint: string
  readonly code?: string
  readonly fault: { readonly kind: string }
  readonly lasting?: true
}
