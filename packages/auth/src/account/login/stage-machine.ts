import { AuthError } from '../../errors.ts'
import type { LoginState, StageKey } from '../../kernel/login.ts'

/** An event in the stages of a login. */
export type StageEvent =
  /** The login has reached this stage, which must be the next one. */
  | { readonly type: 'entered'; readonly stage: StageKey }
  /** The current stage needs the visitor: its page is shown. */
  | { readonly type: 'waited'; readonly data?: unknown }
  /** The current stage has nothing to do, or has been done. */
  | { readonly type: 'passed' }

/** Returns the state before any stage. @param stageData Initial data of the stages, by key */
export function createLoginState(stageData: Readonly<Record<string, unknown>>): LoginState {
  const stages = Object.entries(stageData).map(([key, data]) => [key, { handled: false, data }] as const)
  return { current: null, stages: Object.fromEntries(stages) }
}

/** Returns the first of `keys` that hasn't been passed, or `null` if all have. */
export const nextStage = (state: LoginState, keys: readonly StageKey[]): StageKey | null =>
  keys.find((key) => state.stages[key]?.handled !== true) ?? null

/**
 * Returns the next state. Pure: no clock, store, or mail. A stage is never passed before those that precede it.
 * @param keys Stages of every login, in order.
 * @throws {AuthError} `flow_wrong_stage` (409)
 */
export function advance(state: LoginState, event: StageEvent, keys: readonly StageKey[]): LoginState {
  const next = nextStage(state, keys)
  if (next === null) throw new AuthError('flow_wrong_stage')
  if (event.type === 'entered') {
    if (event.stage !== next) throw new AuthError('flow_wrong_stage')
    return { ...state, current: next }
  }
  if (state.current !== next) throw new AuthError('flow_wrong_stage')
  const stage = state.stages[next] ?? { handled: false }
  if (event.type === 'passed') return { ...state, stages: { ...state.stages, [next]: { ...stage, handled: true } } }
  const data = event.data === undefined ? {} : { data: event.data }
  return { ...state, stages: { ...state.stages, [next]: { ...stage, shown: true, ...data } } }
}

/** Returns whether the current stage is done and the login hasn't continued yet. */
export const isPassed = ({ current, stages }: LoginState): boolean =>
  current !== null && stages[current]?.handled === true

/** Returns whether the visitor has been shown the page of any stage. */
export const hasShownStage = (state: LoginState): boolean =>
  Object.values(state.stages).some(({ shown }) => shown === true)
