import type { Connection, WecomState } from './state.ts'

/** One frame of the bot. */
export interface Call {
  readonly state: WecomState
  readonly connection: Connection
  readonly reqId: string
  readonly body: Readonly<Record<string, unknown>>
}
