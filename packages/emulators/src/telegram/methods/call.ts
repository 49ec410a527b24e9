import type { Parameters } from '../parameters.ts'
import type { BotState } from '../state.ts'

/** One call of a Bot API method. */
export interface Call {
  readonly bot: BotState
  readonly parameters: Parameters
  /** Lower case. */
  readonly method: string
  /** Aborts when the caller has closed its connection. */
  readonly gone: AbortSignal
}

/** Gives the `result` of the answer. @throws {TelegramFailure} */
export type Method = (call: Call) => unknown
