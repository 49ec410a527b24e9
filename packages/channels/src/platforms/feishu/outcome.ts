import { type ChannelRefusal, ConnectionError } from '../../errors.ts'
import type { Outcome } from '../../message.ts'
import { type Failed, toWireOutcome, type WireFailure } from '../wire/call.ts'
import type { Json } from '../wire/json.ts'
import { contentRejected } from '../wire/outbound-file.ts'

/** How a call of the open API failed. `msg` and `detail` hold neither secret nor token. */
export type FeishuFailure =
  /** The platform said no. `code` is its own; `retryAfterMs` what its rate-limit headers say. */
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly code: number
      readonly msg: string
      readonly retryAfterMs?: number
    }
  | WireFailure

/** What came of one call; `body` is the whole answer. */
export type Answer = { readonly ok: true; readonly body: Json } | Failed<FeishuFailure>

/** The token is missing, malformed or has expired: one with a new token may pass. */
export const isTokenCode = (code: number): boolean =>
  code === 99991661 || code === 99991663 || code === 99991664 || code === 99991668 || code === 99991669

/** The streaming mode of a card was closed, by its ten minutes or by a pause. */
export const STREAMING_CLOSED: ReadonlySet<number> = new Set([300309, 200850])
/** A newer operation on the card has been seen: the sequence must rise. */
export const SEQUENCE_BEHIND = 300317

/** @see Feishu Open Platform, "Common error codes", "Send message" */
const CODES: ReadonlyMap<number, ChannelRefusal> = new Map([
  [10003, 'credentials_rejected'],
  [10014, 'credentials_rejected'],
  [10015, 'credentials_rejected'],
  [514, 'credentials_rejected'],
  [1000040346, 'credentials_rejected'],
  [403, 'configuration'],
  [1000040350, 'taken_over'],
  [99991400, 'rate_limited'],
  [11232, 'rate_limited'],
  [230020, 'rate_limited'],
  [99991403, 'quota_used_up'],
  [99991662, 'configuration'],
  [99991672, 'configuration'],
  [99991401, 'configuration'],
  [230006, 'configuration'],
  [230013, 'configuration'],
  [230018, 'configuration'],
  [230027, 'configuration'],
  [230002, 'recipient_unreachable'],
  [230011, 'reply_target_gone'],
  [231003, 'reply_target_gone'],
  [230099, 'markup_rejected'],
  [1, 'network'],
  [1000040343, 'network'],
])

/** Codes of messages, uploads, cards and of the gateway before them: a refusal there was made before anything was shown. */
const isKnownRange = (code: number): boolean =>
  (code >= 230000 && code < 236000) ||
  (code >= 300000 && code < 301000) ||
  (code >= 200300 && code < 201000) ||
  (code >= 99990000 && code < 100000000)

/** How long a rate limit without a hint waits, in milliseconds. */
const NO_HINT_WAIT_MS = 1_000

/** Returns the outcome of a failed send or edit. */
export function toOutcome(failure: FeishuFailure): Outcome {
  if (failure.kind !== 'answer') return toWireOutcome(failure)
  const detail = describeFailure(failure)
  const { status, code } = failure
  // refused with a new token too: what will mend that is not known, but nothing was shown
  if (isTokenCode(code)) return { status: 'refused', code: 'network', detail }
  const known = CODES.get(code) ?? (status === 429 ? 'rate_limited' : undefined)
  // an internal error of the platform may have happened after the message was shown
  if (known === 'network' || (known === undefined && status >= 500)) return { status: 'unknown', detail }
  if (known === 'rate_limited') {
    return { status: 'refused', code: known, detail, retryAfterMs: failure.retryAfterMs ?? NO_HINT_WAIT_MS }
  }
  if (known !== undefined) return { status: 'refused', code: known, detail }
  return isKnownRange(code) || status >= 400 ? contentRejected(detail) : { status: 'unknown', detail }
}

/** Returns whether the app id or its secret is wrong, or was withdrawn. */
export const isRejection = (failure: FeishuFailure): boolean =>
  failure.kind === 'answer' && CODES.get(failure.code) === 'credentials_rejected'

const WORDS: Readonly<Partial<Record<ChannelRefusal, string>>> = {
  credentials_rejected: 'Feishu rejected the App ID or App Secret',
  configuration: "Feishu doesn't let this app receive messages",
  taken_over: 'This app has too many connections (50). Stop the other programs that use it',
  rate_limited: 'Feishu is rate limiting this app',
  quota_used_up: "This app has used up Feishu's monthly quota of calls",
}

/** Returns the connection error for a failed attempt to connect. */
export function toConnectionError(failure: FeishuFailure): ConnectionError {
  const detail = describeFailure(failure)
  if (failure.kind !== 'answer') return new ConnectionError('network', `Couldn't reach Feishu: ${detail}`)
  const code = CODES.get(failure.code) ?? (failure.status === 429 ? 'rate_limited' : 'network')
  const words = WORDS[code]
  if (words === undefined) return new ConnectionError('network', `Feishu is unavailable: ${detail}`)
  const wait = failure.retryAfterMs ?? (code === 'rate_limited' ? 5_000 : undefined)
  return new ConnectionError(code, `${words}: ${detail}`, wait === undefined ? {} : { retryAfterMs: wait })
}

/** Describes the failure in one sentence for a user. */
export const describeFailure = (failure: FeishuFailure): string =>
  failure.kind === 'answer' ? `${failure.msg} (code ${failure.code})` : failure.detail
