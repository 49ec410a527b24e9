import { backoffMs } from '../retry.ts'
import type { Connection } from '../connection.ts'
import { REFUSALS } from '../errors.ts'
import type { Outcome } from '../message.ts'
import { readContent, toPart, type DeliveryContent } from './content.ts'
import type { DeliveryRow, DeliveryChange } from './deliveries.sql.ts'

/** What becomes of a delivery after an attempt. */
export type Verdict =
  | { readonly next: 'delivered'; readonly messageId: string }
  | { readonly next: 'retry'; readonly atMs: number }
  | { readonly next: 'plain' }
  | { readonly next: 'unreply' }
  | { readonly next: 'move'; readonly toChatId: string; readonly atMs: number }
  /** An unfinished form of it stands in the chat: is to be replaced. */
  | { readonly next: 'finish'; readonly messageId: string }
  /** What it was to replace cannot be replaced or repeated: once more as a message of its own. */
  | { readonly next: 'anew' }
  /** Waits for the credentials to work again. */
  | { readonly next: 'hold' }
  /** It may have been shown: find out at `atMs`. */
  | { readonly next: 'find'; readonly atMs: number }
  | { readonly next: 'dead'; readonly state: 'refused' | 'unknown' }

/** A delivery that no platform has taken for this long is given up. */
export const GIVE_UP_AFTER_MS = 24 * 60 * 60 * 1000

/** How soon it is looked again whether the person has written. Asks nobody: a look costs nothing. */
export const AWAIT_MS = 2_000

export interface Attempt {
  readonly content: DeliveryContent
  readonly hasReplyTo: boolean
  /** It replaced the text of a message that stands in the chat. */
  readonly isEdit: boolean
  /** How often it was tried, this attempt included. */
  readonly attempts: number
  readonly createdAtMs: number
  /** It answers a message: it may wait until the person writes again. */
  readonly isReply: boolean
  /** The same delivery can be sent again without showing twice. */
  readonly canResend: boolean
  /** Milliseconds until it can be found out whether it was shown; `null`: never. */
  readonly findAfterMs: number | null
}

/** @param triedAtMs When it was sent. @throws {ZodError} when the row does not hold what this version wrote. */
export const attemptOf = (row: DeliveryRow, can: Connection['can'], triedAtMs: number): Attempt => ({
  content: readContent(row.content_json),
  hasReplyTo: row.reply_to !== null,
  isEdit: row.platform_message_id !== null,
  attempts: row.attempts,
  createdAtMs: row.created_at_ms,
  isReply: row.kind === 'reply',
  canResend: isRepeatable(row, can, triedAtMs),
  findAfterMs: row.mark === null ? null : (can.findSent?.settleMs ?? null),
})

/** Pure: outcome in, verdict out. */
export function judge(outcome: Outcome, attempt: Attempt, nowMs: number, random: () => number): Verdict {
  const wait = backoffMs(attempt.attempts, 1_000, 60_000, random)
  const tooOld = isTooOld(attempt.createdAtMs, nowMs)
  const begun = attempt.content.kind === 'text' && attempt.content.begun === true
  if (outcome.status === 'delivered') {
    return { next: begun ? 'finish' : 'delivered', messageId: outcome.messageId }
  }
  if (outcome.status === 'unknown') {
    if (attempt.canResend && !tooOld) return { next: 'retry', atMs: nowMs + wait }
    if (attempt.findAfterMs !== null) return { next: 'find', atMs: nowMs + attempt.findAfterMs }
    return begun && !tooOld ? { next: 'anew' } : { next: 'dead', state: 'unknown' }
  }
  const dead = { next: 'dead', state: 'refused' } as const
  if (tooOld) return dead
  // what was refused is the unfinished form: the answer itself may still be taken
  const final = attempt.isEdit || begun ? ({ next: 'anew' } as const) : dead
  switch (REFUSALS[outcome.code].delivery) {
    case 'hold':
      return { next: 'hold' }
    case 'wait': {
      const ownMs = outcome.code === 'rate_limited' ? 1_000 : wait
      return { next: 'retry', atMs: nowMs + Math.max(outcome.retryAfterMs ?? 0, ownMs) }
    }
    case 'await':
      return attempt.isReply ? { next: 'retry', atMs: nowMs + AWAIT_MS } : dead
    case 'plain':
      return attempt.content.kind === 'text' && !attempt.content.usePlain ? { next: 'plain' } : final
    case 'unreply':
      return attempt.hasReplyTo ? { next: 'unreply' } : final
    case 'move': {
      if (outcome.toChatId === undefined) return dead
      // at once, but not round and round
      return { next: 'move', toChatId: outcome.toChatId, atMs: attempt.attempts === 1 ? nowMs : nowMs + wait }
    }
    case 'final':
      return outcome.code === 'recipient_unreachable' ? dead : final
  }
}

export const isTooOld = (createdAtMs: number, nowMs: number): boolean => nowMs - createdAtMs > GIVE_UP_AFTER_MS

/**
 * What to do about a delivery whose last attempt has not told how it ended.
 * `repeat`: once more, only that tells what stands there. `send`: it does not stand there. `find`: ask the platform.
 */
type Undecided = 'repeat' | 'send' | 'find' | 'nobody knows'

/** @throws {ZodError} when the row does not hold what this version wrote. */
export function decide(row: DeliveryRow, can: Connection['can']): Undecided {
  if (isRepeatable(row, can, row.updated_at_ms)) return 'repeat'
  if (can.findSent && row.mark !== null) return 'find'
  const content = readContent(row.content_json)
  // an unfinished form of it may stand there and stay: that is not the answer
  return content.kind === 'text' && content.begun === true ? 'send' : 'nobody knows'
}

/**
 * Whether an attempt that has not told how it ended can be made again without showing twice.
 * @param triedAtMs When it was made. @throws {ZodError} when the row does not hold what this version wrote.
 */
const isRepeatable = (row: DeliveryRow, { resend, editAgain }: Connection['can'], triedAtMs: number): boolean =>
  row.platform_message_id === null
    ? resend?.(toPart(row), triedAtMs) === true
    : (editAgain?.(row.platform_message_id) ?? true)

/** What a verdict changes in the stored delivery. */
export function changeFor(verdict: Verdict, outcome: Outcome, row: DeliveryRow, nowMs: number): DeliveryChange {
  const why = {
    code: outcome.status === 'refused' ? outcome.code : null,
    reason: outcome.status === 'delivered' ? null : outcome.detail,
  }
  switch (verdict.next) {
    case 'delivered':
      return { state: 'delivered', dead: 0, platform_message_id: verdict.messageId, ...why }
    case 'finish':
      return { state: 'queued', platform_message_id: verdict.messageId, content_json: settled(row), ...why }
    case 'dead':
      return { state: verdict.state, dead: 1, ...why }
    case 'retry':
      return { state: 'queued', next_attempt_at_ms: verdict.atMs, ...why }
    case 'find':
      return { state: 'sending', next_attempt_at_ms: verdict.atMs, ...why }
    case 'hold':
      return { state: 'queued', next_attempt_at_ms: nowMs, ...why }
    case 'unreply':
      return { state: 'queued', reply_to: null, ...why }
    case 'move':
      return { state: 'queued', chat_id: verdict.toChatId, next_attempt_at_ms: verdict.atMs, ...why }
    case 'anew':
      return { state: 'queued', platform_message_id: null, content_json: settled(row), ...why }
    case 'plain':
      return { state: 'queued', content_json: withText(row, { usePlain: true }), ...why }
  }
}

/** It is known now that no unfinished form of it stands in the chat, or where. */
export const settled = (row: DeliveryRow): string => withText(row, { begun: undefined })

function withText(
  row: DeliveryRow,
  change: Partial<Pick<Extract<DeliveryContent, { kind: 'text' }>, 'usePlain' | 'begun'>>,
): string {
  const content = readContent(row.content_json)
  return content.kind === 'text' ? JSON.stringify({ ...content, ...change }) : row.content_json
}
