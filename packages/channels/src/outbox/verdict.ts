import { backoffMs } from '../backoff.ts'
import { REFUSALS } from '../errors.ts'
import type { Outcome } from '../platform.ts'
import type { DeliveryContent } from './content.ts'

/** What becomes of a delivery after an attempt. */
export type Verdict =
  | { readonly next: 'delivered'; readonly messageId: string }
  | { readonly next: 'retry'; readonly atMs: number }
  | { readonly next: 'plain' }
  | { readonly next: 'unreply' }
  | { readonly next: 'move'; readonly toChatId: string }
  /** Waits for the credentials to work again. */
  | { readonly next: 'hold' }
  /** It may have been shown: find out at `atMs`. */
  | { readonly next: 'find'; readonly atMs: number }
  | { readonly next: 'dead'; readonly state: 'refused' | 'unknown' }

/** A delivery that no platform has taken for this long is given up. */
export const GIVE_UP_AFTER_MS = 24 * 60 * 60 * 1000

export interface Attempt {
  readonly content: DeliveryContent
  readonly hasReplyTo: boolean
  /** How often it was tried, this attempt included. */
  readonly attempts: number
  readonly createdAtMs: number
  /** The same delivery can be sent again without showing twice. */
  readonly canResend: boolean
  /** Milliseconds until it can be found out whether it was shown; `null`: never. */
  readonly findAfterMs: number | null
}

/** Pure: outcome in, verdict out. */
export function judge(outcome: Outcome, attempt: Attempt, nowMs: number, random: () => number): Verdict {
  const wait = backoffMs(attempt.attempts, 1_000, 60_000, random)
  const tooOld = nowMs - attempt.createdAtMs > GIVE_UP_AFTER_MS
  if (outcome.status === 'delivered') return { next: 'delivered', messageId: outcome.messageId }
  if (outcome.status === 'unknown') {
    if (attempt.canResend && !tooOld) return { next: 'retry', atMs: nowMs + wait }
    if (attempt.findAfterMs !== null) return { next: 'find', atMs: nowMs + attempt.findAfterMs }
    return { next: 'dead', state: 'unknown' }
  }
  if (tooOld) return { next: 'dead', state: 'refused' }
  switch (REFUSALS[outcome.code].delivery) {
    case 'hold':
      return { next: 'hold' }
    case 'wait':
      return {
        next: 'retry',
        atMs: nowMs + Math.max(outcome.retryAfterMs ?? 0, outcome.code === 'network' ? wait : 1_000),
      }
    case 'plain':
      if (attempt.content.kind === 'text' && !attempt.content.usePlain) return { next: 'plain' }
      return { next: 'dead', state: 'refused' }
    case 'unreply':
      return attempt.hasReplyTo ? { next: 'unreply' } : { next: 'dead', state: 'refused' }
    case 'move':
      if (outcome.toChatId !== undefined) return { next: 'move', toChatId: outcome.toChatId }
      return { next: 'dead', state: 'refused' }
    case 'final':
      return { next: 'dead', state: 'refused' }
  }
}
