import type { FormPart } from '../kit/http.ts'
import type { DiscordState } from './state.ts'

/** One call of the REST interface, its form checked. */
export interface RestCall {
  readonly state: DiscordState
  /** The parts of the path that are named. */
  readonly path: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly files: readonly FormPart[]
}

/** `null`: status 204. */
export type RestAnswer = { readonly status?: number; readonly value: unknown } | null

/** What a path and an HTTP method stand for. */
export interface RestMethod {
  /** The name by which faults and tests know it. */
  readonly name: string
  readonly by: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** E.g. `/channels/:channel/messages`. */
  readonly path: string
  /** @throws {DiscordFailure} */
  run(call: RestCall): RestAnswer
}
