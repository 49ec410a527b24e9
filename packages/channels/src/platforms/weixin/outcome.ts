import { type ChannelRefusal, ConnectionError } from '../../errors.ts'
import type { Outcome, Refused } from '../../message.ts'
import type { Failed, WireFailure } from '../wire/call.ts'
import type { Json } from '../wire/json.ts'

/** How a call failed. No text in it holds the token. */
export type WeixinFailure =
  /** Weixin said no: `ret` or `errcode`, and its own words. */
  { readonly kind: 'answer'; readonly code: number; readonly words: string } | WireFailure

/** Result of one call. */
export type Answer = { readonly ok: true; readonly body: Json } | Failed<WeixinFailure>

/** The codes whose meaning is known: `ret -2` stands for a used-up quota, a burst and an expired context alike. */
const CODES: ReadonlyMap<number, ChannelRefusal> = new Map([
  [-14, 'credentials_rejected'],
  [-2, 'quota_used_up'],
])

/** How long a 429 without `Retry-After` waits, in milliseconds. */
const NO_HINT_WAIT_MS = 5_000
/** Pauses between polls that fail: the vendor's. */
const FAILURE_MS = 2_000
const FAILURES_MS = 30_000
const FAILURES = 3

/** Returns the outcome of a failed send. An undocumented code is inconclusive. */
export function toOutcome(failure: WeixinFailure): Outcome {
  const detail = describeFailure(failure)
  const code = toRefusal(failure)
  if (code === 'rate_limited') return rateLimited(failure)
  return code === null ? { status: 'unknown', detail } : { status: 'refused', code, detail }
}

/** Returns the refusal for a failure before the send itself: nothing was shown, so it can be retried. */
export function toPreSendOutcome(failure: WeixinFailure): Refused {
  const known = toRefusal(failure)
  if (known === 'rate_limited') return rateLimited(failure)
  const final =
    failure.kind === 'answer' || (failure.kind === 'foreign' && failure.status >= 400 && failure.status < 500)
  return {
    status: 'refused',
    code: known ?? (final ? 'content_rejected' : 'network'),
    detail: describeFailure(failure),
  }
}

function toRefusal(failure: WeixinFailure): ChannelRefusal | null {
  if (failure.kind === 'unsent') return 'network'
  if (failure.kind === 'answer') return CODES.get(failure.code) ?? null
  if (failure.kind !== 'foreign') return null
  if (failure.status === 429) return 'rate_limited'
  // A proxy that finds the request too large has not forwarded it; other proxy pages are inconclusive.
  return failure.status === 413 ? 'content_rejected' : null
}

const rateLimited = (failure: WeixinFailure): Refused => ({
  status: 'refused',
  code: 'rate_limited',
  detail: describeFailure(failure),
  retryAfterMs: getRetryAfterMs(failure),
})

const getRetryAfterMs = (failure: WeixinFailure): number =>
  (failure.kind === 'foreign' ? failure.retryAfterMs : undefined) ?? NO_HINT_WAIT_MS

/**
 * What a failed poll means for the connection.
 * @param failures How many polls in a row have failed, this one included.
 */
export function toConnectionError(failure: WeixinFailure, failures: number): ConnectionError {
  const words = describeFailure(failure)
  if (isRejection(failure))
    return new ConnectionError('credentials_rejected', `${NOT_VALID} Set up the channel again. (${words})`)
  const retryAfterMs = failures < FAILURES ? FAILURE_MS : FAILURES_MS
  const code = toRefusal(failure)
  if (code === 'rate_limited' || code === 'quota_used_up') {
    const wait = Math.max(retryAfterMs, getRetryAfterMs(failure))
    return new ConnectionError('rate_limited', `Weixin is rate limiting this bot: ${words}`, { retryAfterMs: wait })
  }
  const message = failure.kind === 'answer' ? `Weixin refused the poll: ${words}` : `Couldn't reach Weixin: ${words}`
  return new ConnectionError('network', message, { retryAfterMs })
}

/** Of a sign-in that ended. */
export const NOT_VALID = 'The Weixin sign-in is no longer valid.'

/** Returns whether the sign-in has ended (-14). */
export const isRejection = (failure: WeixinFailure): boolean => failure.kind === 'answer' && failure.code === -14

/** Describes the failure in one sentence for a user. */
export const describeFailure = (failure: WeixinFailure): string =>
  failure.kind === 'answer'
    ? `${failure.words === '' ? 'no reason given' : failure.words} (${failure.code})`
    : failure.detail
