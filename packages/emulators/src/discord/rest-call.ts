import type { FormPart } from '../kit/http.ts'
import type { DiscordState } from './state.ts'

/** A REST call with its parsed form. */
export interface RestCall {
  readonly state: DiscordState
  /** Named parts of the path. */
  readonly path: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly files: readonly FormPart[]
}

/** Result of a REST call; `null` means status 204. */
export type RestAnswer = { readonly status?: number; readonly value: unknown } | null

/** A REST method. */
export interface RestMethod {
  /** Its name in faults and records. */
  readonly name: string
  readonly by: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** E.g. `/channels/:channel/messages`. */
  readonly path: string
  /** Performs the call. @throws {DiscordFailure} */
  run(call: RestCall): RestAnswer
}
