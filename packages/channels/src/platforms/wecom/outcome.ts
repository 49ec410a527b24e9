import { ConnectionError, type ChannelRefusal } from '../../errors.ts'
import type { Outcome } from '../../message.ts'
import { type Failed, toWireOutcome, type WireFailure } from '../wire/call.ts'
import type { Json } from '../wire/json.ts'
import { FREQUENCY_WAIT_MS } from './limits.ts'

/** What came of one frame. */
export type Answer = { readonly ok: true; readonly body: Json } | Failed<WecomFailure>

/** How a frame failed. `detail` and `errmsg` hold no secret. */
export type WecomFailure =
  /** The platform said no, in its own words. */
  { readonly kind: 'answer'; readonly errcode: number; readonly errmsg: string } | WireFailure

/** Data conflict; on a final frame: its text is shown already. */
const CONFLICT = 6000
/** The connection no longer counts as subscribed. */
const NOT_SUBSCRIBED = 846609
const FREQUENCY = 45009
const NEVER_WROTE = 93001

const MUST_WRITE_FIRST =
  'The recipient must message the bot first: a WeCom bot can only write to people and groups that have messaged it.'

/** What an error code says of a send. A code that is not here says nothing about whether it was shown. */
const CODES: ReadonlyMap<number, ChannelRefusal> = new Map<number, ChannelRefusal>([
  [40058, 'content_rejected'], // invalid parameter, which includes too long
  [FREQUENCY, 'rate_limited'],
  [846604, 'reply_target_gone'], // the time to reply is over
  [846605, 'reply_target_gone'], // req_id of another connection
  [846608, 'reply_target_gone'], // the stream has expired
  [NOT_SUBSCRIBED, 'network'],
  [NEVER_WROTE, 'recipient_unreachable'],
  [93006, 'recipient_unreachable'], // chatid invalid
  [93008, 'recipient_unreachable'], // the bot is not in the group
  [93017, 'content_rejected'], // picture empty
  [93018, 'content_rejected'], // picture too large
  [93019, 'credentials_rejected'], // no such bot
  [853000, 'credentials_rejected'], // secret wrong
])

/** Returns the outcome of a failed send. */
export function toOutcome(failure: WecomFailure): Outcome {
  if (failure.kind !== 'answer') return toWireOutcome(failure)
  const code = CODES.get(failure.errcode)
  const detail = describeFailure(failure)
  if (code === undefined) return { status: 'unknown', detail }
  if (code === 'rate_limited') return { status: 'refused', code, detail, retryAfterMs: FREQUENCY_WAIT_MS }
  return { status: 'refused', code, detail }
}

/** The reply came too late or on another connection: it was not shown, and a push may still be. */
export const isExpired = (failure: WecomFailure): boolean =>
  failure.kind === 'answer' && CODES.get(failure.errcode) === 'reply_target_gone'

/** A final frame whose text is shown already. */
export const isShownAlready = (failure: WecomFailure): boolean =>
  failure.kind === 'answer' && failure.errcode === CONFLICT

/** Returns whether the connection no longer counts as subscribed. */
export const isNotSubscribed = (failure: WecomFailure): boolean =>
  failure.kind === 'answer' && failure.errcode === NOT_SUBSCRIBED

/** Describes the failure in one sentence for a user. */
function describeFailure(failure: WecomFailure): string {
  if (failure.kind !== 'answer') return failure.detail
  const words = `${failure.errmsg} (${failure.errcode})`
  return failure.errcode === NEVER_WROTE ? `${MUST_WRITE_FIRST} ${words}` : words
}

/** How a connection ended. */
export type SessionEnd =
  /** We ended it. */
  | { readonly why: 'closed' }
  /** Another connection of the same bot has subscribed. */
  | { readonly why: 'taken_over' }
  /** The subscription was refused. */
  | { readonly why: 'refused'; readonly errcode: number; readonly errmsg: string }
  | { readonly why: 'lost'; readonly detail: string }

/** Returns whether this refusal of a subscription means that the credentials are wrong. */
export const isRejection = (errcode: number): boolean => CODES.get(errcode) === 'credentials_rejected'

/** Returns the connection error for the end of a connection. */
export function toConnectionError(end: SessionEnd): ConnectionError {
  if (end.why === 'taken_over') {
    const message =
      'Another program connected with this bot, and WeCom allows only one connection. This channel stays disconnected so ' +
      'that the two do not replace each other: stop the other program or use a separate bot, then enable the channel.'
    return new ConnectionError('taken_over', message, { final: true })
  }
  if (end.why !== 'refused') {
    const detail = end.why === 'lost' ? end.detail : 'the connection was closed'
    return new ConnectionError('network', `The connection to WeCom closed: ${detail}`)
  }
  const said = `${end.errmsg} (${end.errcode})`
  if (isRejection(end.errcode))
    return new ConnectionError('credentials_rejected', `WeCom rejected the Bot ID or the Secret: ${said}`)
  if (end.errcode === FREQUENCY) {
    return new ConnectionError('rate_limited', `WeCom is rate limiting connections: ${said}`, {
      retryAfterMs: FREQUENCY_WAIT_MS,
    })
  }
  return new ConnectionError('network', `WeCom refused the connection: ${said}`)
}
