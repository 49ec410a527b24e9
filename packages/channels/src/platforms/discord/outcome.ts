import { type ChannelRefusal, ConnectionError } from '../../errors.ts'
import type { Outcome } from '../../message.ts'
import { type Failed, toWireOutcome, type WireFailure } from '../wire/call.ts'

/** How a call of the REST interface failed. No text in it holds the token. */
export type DiscordFailure =
  /** Discord said no, in its own words. `code`: Discord's own, 0 when it gave none. */
  | { readonly kind: 'answer'; readonly status: number; readonly code: number; readonly description: string }
  /** Wait. `retryAfterMs`: as the answer, or what is known of the bucket without asking, says. */
  | { readonly kind: 'limited'; readonly retryAfterMs: number; readonly description: string }
  | WireFailure

/** Result of one call. */
export type Answer = { readonly ok: true; readonly result: unknown } | Failed<DiscordFailure>

/** Discord's error code for an unknown channel. */
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
  [50_083, 'configuration'], // someone must open the thread again
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

/** Returns the outcome of a failed send or edit. */
export function toOutcome(failure: DiscordFailure): Outcome {
  if (failure.kind === 'limited') return refused('rate_limited', failure.description, failure.retryAfterMs)
  return failure.kind === 'answer' ? answerToOutcome(failure) : toWireOutcome(failure)
}

function answerToOutcome({ status, code, description }: Extract<DiscordFailure, { kind: 'answer' }>): Outcome {
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

/** Returns the connection error for a failed call. */
export function toConnectionError(failure: DiscordFailure): ConnectionError {
  if (failure.kind === 'limited') {
    const { retryAfterMs, description } = failure
    return new ConnectionError('rate_limited', `Discord is rate limiting this bot: ${description}`, { retryAfterMs })
  }
  if (failure.kind !== 'answer') {
    return new ConnectionError('network', `Couldn't reach Discord: ${failure.detail}`)
  }
  if (isRejection(failure)) return rejectedToken(failure.description)
  if (failure.status >= 400 && failure.status < 500) {
    return new ConnectionError('configuration', `Discord refused the request: ${failure.description}`)
  }
  return new ConnectionError('network', `Discord is unavailable: ${failure.description}`)
}

const rejectedToken = (words: string): ConnectionError =>
  new ConnectionError('credentials_rejected', `Discord rejected the bot token: ${words}`)

/** Returns whether Discord rejected the token. */
export const isRejection = (failure: DiscordFailure): boolean => failure.kind === 'answer' && failure.status === 401

/** Returns Discord's error code, or 0. */
export const getErrorCode = (failure: DiscordFailure): number => (failure.kind === 'answer' ? failure.code : 0)

/** Describes the failure in one sentence for a user. */
export const describeFailure = (failure: DiscordFailure): string =>
  failure.kind === 'answer' || failure.kind === 'limited' ? failure.description : failure.detail

/** How a session's socket ended, and what to do next. */
export type Ending =
  /** Connect again. `isLost`: the session cannot be resumed. */
  | { readonly next: 'again'; readonly isLost: boolean; readonly why: string }
  /** Connect again without the intent that has to be enabled in the portal. */
  | { readonly next: 'without_content' }
  | { readonly next: 'fail'; readonly error: ConnectionError }

const WRONG_TOKEN = 4004
const DISALLOWED_INTENTS = 4014

const FATAL: ReadonlyMap<number, string> = new Map([
  [4010, 'invalid shard'],
  [4011, 'the bot is in too many servers for one connection'],
  [4012, 'this API version is no longer supported'],
  [4013, 'invalid intents'],
])

/** Not authenticated, already authenticated, wrong sequence, timed out: a new session is needed. */
const LOST: ReadonlySet<number> = new Set([4003, 4005, 4007, 4009])

/**
 * @param code            Close code of the socket.
 * @param askedForContent Whether the message content intent was requested.
 * @param networkError    The socket's error before it closed, if any.
 * @see Discord, "Opcodes and Status Codes", gateway close event codes
 */
export function readEnding(code: number, askedForContent: boolean, networkError: string | null): Ending {
  if (code === WRONG_TOKEN) return { next: 'fail', error: rejectedToken('Authentication failed (4004)') }
  if (code === DISALLOWED_INTENTS) {
    return askedForContent
      ? { next: 'without_content' }
      : failed(`Discord refused this bot's intents. ${ENABLE_INTENT}`, code)
  }
  const fatal = FATAL.get(code)
  if (fatal !== undefined) return failed(fatal, code)
  return { next: 'again', isLost: LOST.has(code), why: networkError ?? `the connection closed (${code})` }
}

const failed = (why: string, code: number): Ending => ({
  next: 'fail',
  error: new ConnectionError('configuration', `Discord closed the connection (${code}): ${why}`),
})

const ENABLE_INTENT =
  'In the developer portal (https://discord.com/developers/applications), open the application, then Bot, and enable MESSAGE CONTENT INTENT.'

/** Shown to the operator while the bot runs without that intent. */
export const WITHOUT_CONTENT = `The bot receives direct messages and messages that mention it, but no other messages in servers. ${ENABLE_INTENT}`
