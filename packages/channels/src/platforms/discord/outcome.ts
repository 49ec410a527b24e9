import { type ChannelRefusal, ConnectionError } from '../../errors.ts'
import type { Outcome } from '../../message.ts'
import { type Failed, outcomeOfWire, type WireFailure } from '../wire/call.ts'

/** How a call of the REST interface failed. No text in it holds the token. */
export type DiscordFailure =
  /** Discord said no, in its own words. `code`: Discord's own, 0 when it gave none. */
  | { readonly kind: 'answer'; readonly status: number; readonly code: number; readonly description: string }
  /** Wait. `retryAfterMs`: as the answer, or what is known of the bucket without asking, says. */
  | { readonly kind: 'limited'; readonly retryAfterMs: number; readonly description: string }
  | WireFailure

/** What came of one call. */
export type Answer = { readonly ok: true; readonly result: unknown } | Failed<DiscordFailure>

export const UNKNOWN_CHANNEL = 10_003

/** @see Discord, "Opcodes and Status Codes", JSON error codes */
const BY_CODE: ReadonlyMap<number, ChannelRefusal> = new Map<number, ChannelRefusal>([
  [UNKNOWN_CHANNEL, 'recipient_unreachable'],
  [10_008, 'content_rejected'], // the message to edit is gone
  [10_013, 'recipient_unreachable'],
  [20_016, 'rate_limited'],
  [20_028, 'rate_limited'],
  [40_003, 'rate_limited'],
  [40_005, 'content_rejected'],
  [40_062, 'rate_limited'],
  [40_333, 'configuration'],
  [50_001, 'recipient_unreachable'],
  [50_006, 'content_rejected'],
  [50_007, 'recipient_unreachable'],
  [50_013, 'configuration'],
  [50_033, 'recipient_unreachable'],
  [50_083, 'configuration'], // somebody must open the thread again
  [50_278, 'recipient_unreachable'],
  [160_002, 'reply_target_gone'],
])

const BY_STATUS: ReadonlyMap<number, ChannelRefusal> = new Map<number, ChannelRefusal>([
  [401, 'credentials_rejected'],
  [403, 'configuration'],
])

const OVERLOADED = 130_000
const INVALID_FORM = 50_035
/** How long a code that asks to wait, but not how long, makes us wait. */
const NO_HINT_WAIT_MS = 5_000

/** What a failed send or edit means for the delivery. */
export function outcomeOf(failure: DiscordFailure): Outcome {
  if (failure.kind === 'limited') return refused('rate_limited', failure.description, failure.retryAfterMs)
  return failure.kind === 'answer' ? outcomeOfAnswer(failure) : outcomeOfWire(failure)
}

function outcomeOfAnswer({ status, code, description }: Extract<DiscordFailure, { kind: 'answer' }>): Outcome {
  if (status < 400 || status >= 500 || code === OVERLOADED) return { status: 'unknown', detail: description }
  if (status === 401) return refused('credentials_rejected', description)
  if (code === INVALID_FORM && /message_reference/.test(description)) return refused('reply_target_gone', description)
  const refusal = BY_CODE.get(code) ?? BY_STATUS.get(status) ?? 'content_rejected'
  return refused(refusal, description, refusal === 'rate_limited' ? NO_HINT_WAIT_MS : undefined)
}

const refused = (code: ChannelRefusal, detail: string, retryAfterMs?: number): Outcome => ({
  status: 'refused',
  code,
  detail,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})

/** What a failed call means for the connection that needed it. */
export function connectionErrorOf(failure: DiscordFailure): ConnectionError {
  if (failure.kind === 'limited') {
    const { retryAfterMs, description } = failure
    return new ConnectionError('rate_limited', `Discord asks to wait: ${description}`, { retryAfterMs })
  }
  if (failure.kind !== 'answer') {
    return new ConnectionError('network', `Discord could not be reached: ${failure.detail}`)
  }
  if (isRejection(failure)) return rejectedToken(failure.description)
  if (failure.status >= 400 && failure.status < 500) {
    return new ConnectionError('configuration', `Discord refuses to hand over messages: ${failure.description}`)
  }
  return new ConnectionError('network', `Discord is not available: ${failure.description}`)
}

export const rejectedToken = (words: string): ConnectionError =>
  new ConnectionError('credentials_rejected', `Discord rejected the bot token: ${words}`)

export const isRejection = (failure: DiscordFailure): boolean => failure.kind === 'answer' && failure.status === 401

/** Discord's own code of the failure; 0 when there is none. */
export const codeOf = (failure: DiscordFailure): number => (failure.kind === 'answer' ? failure.code : 0)

/** One sentence for a person. */
export const sentenceOf = (failure: DiscordFailure): string =>
  failure.kind === 'answer' || failure.kind === 'limited' ? failure.description : failure.detail
