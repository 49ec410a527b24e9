import type { PlatformId } from '../platform-names.ts'

/** Milliseconds since the Unix epoch; `null`: until now, and from 24 hours before the end. */
export interface TrafficSpan {
  readonly from: number | null
  readonly to: number | null
}

/** How many of each; a message counts when it was accepted, a delivery when its outcome was stored. */
export interface TrafficCounts<N> {
  readonly received: N
  readonly answered: N
  readonly failed: N
  readonly delivered: N
  readonly refused: N
  readonly unknown: N
}

/** From the acceptance of a message to its answer confirmed, in milliseconds. */
export interface AnswerTimes {
  readonly p50: number
  readonly p95: number
}

/** Counted in steps of equal length: step `i` begins at `from + i * step_ms`. */
export interface Traffic {
  readonly from: number
  readonly to: number
  readonly step_ms: number
  /** Every platform with a configured bot; each list has one number for each step. */
  readonly platforms: readonly (TrafficCounts<readonly number[]> & { readonly platform: PlatformId })[]
  /** Of each step; `null`: nothing was answered in it. */
  readonly answer_ms: readonly (AnswerTimes | null)[]
  readonly totals: TrafficCounts<number> & { readonly answer_ms: AnswerTimes | null }
}
