import { backoffMs } from '../retry.ts'
import type { Connection } from '../connection.ts'
import { REFUSALS } from '../errors.ts'
import type { Outcome } from '../message.ts'
import { readContent, toPart, type DeliveryContent } from './content.ts'
import type { DeliveryRow, DeliveryChange } from './deliveries.sql.ts'

/** What to do with a delivery after an attempt. */
export type Verdict =
  | { readonly next: 'delivered'; readonly messageId: string }
  | { readonly next: 'retry'; readonly atMs: number }
  | { readonly next: 'plain' }
  | { readonly next: 'unreply' }
  | { readonly next: 'move'; readonly toChatId: string; readonly atMs: number }
  /** An unfinished form is in the chat and has to be replaced. */
  | { readonly next: 'finish'; readonly messageId: string }
  /** The message it was to replace can be neither replaced nor repeated: send it as a new message. */
  | { readonly next: 'resend_as_new' }
  /** Wait until the credentials work again. */
  | { readonly next: 'hold' }
  /** It may have been delivered: find out at `atMs`. */
  | { readonly next: 'find'; readonly atMs: number }
  | { readonly next: 'dead'; readonly state: 'refused' | 'unknown' }

/** A delivery that has not been accepted for this long fails. */
export const GIVE_UP_AFTER_MS = 24 * 60 * 60 * 1000

/** How often to check whether the user has written. The check makes no request. */
export const AWAIT_MS = 2_000

/** What the verdict on an attempt depends on. */
export interface Attempt {
  readonly content: DeliveryContent
  readonly hasReplyTo: boolean
  /** It edited a message in the chat. */
  readonly isEdit: boolean
  /** Number of attempts, including this one. */
  readonly attempts: number
  readonly createdAtMs: number
  /** It replies to a message, so it may wait until the user writes again. */
  readonly isReply: boolean
  /** It can be resent without showing twice. */
  readonly canResend: boolean
  /** Milliseconds until it can be found out whether it was delivered; `null`: never. */
  readonly findAfterMs: number | null
}

/** Describes an attempt. @param triedAtMs When it was sent. @throws {ZodError} when this version did not write the row. */
export const toAttempt = (row: DeliveryRow, can: Connection['can'], triedAtMs: number): Attempt => ({
  content: readContent(row.content_json),
  hasReplyTo: row.reply_to !== null,
  isEdit: row.platform_message_id !== null,
  attempts: row.attempts,
  createdAtMs: row.created_at_ms,
  isReply: row.kind === 'reply',
  canResend: isRepeatable(row, can, triedAtMs),
  findAfterMs: row.mark === null ? null : (can.findSent?.settleMs ?? null),
})

/** Decides what to do after an attempt. Pure. */
export function decideVerdict(outcome: Outcome, attempt: Attempt, nowMs: number, random: () => number): Verdict {
  const wait = backoffMs(attempt.attempts, 1_000, 60_000, random)
  const tooOld = isTooOld(attempt.createdAtMs, nowMs)
  const begun = attempt.content.kind === 'text' && attempt.content.begun === true
  if (outcome.status === 'delivered') {
    return { next: begun ? 'finish' : 'delivered', messageId: outcome.messageId }
  }
  if (outcome.status === 'unknown') {
    if (attempt.canResend && !tooOld) return { next: 'retry', atMs: nowMs + wait }
    if (attempt.findAfterMs !== null) return { next: 'find', atMs: nowMs + attempt.findAfterMs }
    return begun && !tooOld ? { next: 'resend_as_new' } : { next: 'dead', state: 'unknown' }
  }
  const dead = { next: 'dead', state: 'refused' } as const
  if (tooOld) return dead
  // only the unfinished form was refused: the reply itself may still be accepted
  const final = attempt.isEdit || begun ? ({ next: 'resend_as_new' } as const) : dead
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
      // at once, but not in an endless loop
      return { next: 'move', toChatId: outcome.toChatId, atMs: attempt.attempts === 1 ? nowMs : nowMs + wait }
    }
    case 'final':
      return outcome.code === 'recipient_unreachable' ? dead : final
  }
}

/** Returns whether a delivery is too old to retry. */
export const isTooOld = (createdAtMs: number, nowMs: number): boolean => nowMs - createdAtMs > GIVE_UP_AFTER_MS

/**
 * What to do about a delivery whose last attempt has an unknown outcome. `repeat`: repeating it is safe. `send`: it was
 * not shown. `find`: ask the platform. `indeterminate`: there is no way to find out.
 */
type Resolution = 'repeat' | 'send' | 'find' | 'indeterminate'

/** Decides how to resolve it. @throws {ZodError} when this version did not write the row. */
export function resolveUndecided(row: DeliveryRow, can: Connection['can']): Resolution {
  if (isRepeatable(row, can, row.updated_at_ms)) return 'repeat'
  if (can.findSent && row.mark !== null) return 'find'
  const content = readContent(row.content_json)
  // an unfinished form may remain in the chat: that is not the reply
  return content.kind === 'text' && content.begun === true ? 'send' : 'indeterminate'
}

/**
 * Returns whether an attempt with an unknown outcome can be repeated without showing twice.
 * @param triedAtMs When it was made. @throws {ZodError} when this version did not write the row.
 */
const isRepeatable = (row: DeliveryRow, { resend, editAgain }: Connection['can'], triedAtMs: number): boolean =>
  row.platform_message_id === null
    ? resend?.(toPart(row), triedAtMs) === true
    : (editAgain?.(row.platform_message_id) ?? true)

/** Returns the changes of a stored delivery for a verdict. */
export function toDeliveryChange(verdict: Verdict, outcome: Outcome, row: DeliveryRow, nowMs: number): DeliveryChange {
  const why = {
    code: outcome.status === 'refused' ? outcome.code : null,
    reason: outcome.status === 'delivered' ? null : outcome.detail,
  }
  switch (verdict.next) {
    case 'delivered':
      return { state: 'delivered', dead: 0, platform_message_id: verdict.messageId, ...why }
    case 'finish':
      return { state: 'queued', platform_message_id: verdict.messageId, content_json: clearBegun(row), ...why }
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
    case 'resend_as_new':
      return { state: 'queued', platform_message_id: null, content_json: clearBegun(row), ...why }
    case 'plain':
      return { state: 'queued', content_json: withText(row, { usePlain: true }), ...why }
  }
}

/** Returns the content once it is known whether an unfinished form is in the chat. */
export const clearBegun = (row: DeliveryRow): string => withText(row, { begun: undefined })

function withText(
  row: DeliveryRow,
  change: Partial<Pick<Extract<DeliveryContent, { kind: 'text' }>, 'usePlain' | 'begun'>>,
): string {
  const content = readContent(row.content_json)
  return content.kind === 'text' ? JSON.stringify({ ...content, ...change }) : row.content_json
}
