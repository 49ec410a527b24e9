import { ConnectionError, type ChannelRefusal } from '../../errors.ts'
import type { Outcome } from '../../message.ts'
import { type Failed, toWireOutcome, type WireFailure } from '../wire/call.ts'

/** How a call of the Bot API failed. `detail` and `description` hold no token. */
export type TelegramFailure =
  /** The API said no, in its own words. */
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly description: string
      readonly retryAfterMs?: number
      readonly migratedTo?: string
    }
  | WireFailure

/** Result of one call. */
export type Answer = { readonly ok: true; readonly result: unknown } | Failed<TelegramFailure>

/** Codes of descriptions, tried in this order. @see Bot API, "Making requests": the text may change, the status not */
const DESCRIPTIONS: readonly [status: number, description: RegExp, code: ChannelRefusal][] = [
  [
    400,
    /can't parse entities|can't find end|unsupported start tag|ENTITY_BOUNDS_INVALID|ENTITIES_TOO_LONG/i,
    'markup_rejected',
  ],
  [400, /(?:replied|reply)(?: message)? not found|message to (?:be replied|reply) not found/i, 'reply_target_gone'],
  [
    400,
    /not enough rights|have no rights|need administrator rights|_FORBIDDEN|TOPIC_CLOSED|CHAT_RESTRICTED/i,
    'configuration',
  ],
  [
    400,
    /(?:chat|user|thread) not found|PEER_ID_INVALID|USER_IS_BLOCKED|USER_DEACTIVATED|chat was deleted/i,
    'recipient_unreachable',
  ],
  [403, /not enough rights|have no rights|need administrator rights|_FORBIDDEN/i, 'configuration'],
]

const BY_STATUS: ReadonlyMap<number, ChannelRefusal> = new Map([
  [401, 'credentials_rejected'],
  [403, 'recipient_unreachable'],
  [404, 'credentials_rejected'],
  [409, 'taken_over'],
  [413, 'content_rejected'],
])

/** Returns the outcome of a failed send, edit or draft. */
export function toOutcome(failure: TelegramFailure): Outcome {
  if (failure.kind !== 'answer') return toWireOutcome(failure)
  const { status, description: detail } = failure
  if (status === 429) {
    return { status: 'refused', code: 'rate_limited', detail, retryAfterMs: failure.retryAfterMs ?? NO_HINT_WAIT_MS }
  }
  if (failure.migratedTo !== undefined) {
    return { status: 'refused', code: 'chat_moved', detail, toChatId: failure.migratedTo }
  }
  if (status < 400 || status >= 500) return { status: 'unknown', detail }
  const described = DESCRIPTIONS.find(([of, pattern]) => of === status && pattern.test(detail))
  return { status: 'refused', code: described?.[2] ?? BY_STATUS.get(status) ?? 'content_rejected', detail }
}

/** How long a 429 without `retry_after` waits, in milliseconds. */
const NO_HINT_WAIT_MS = 5_000

/** Returns the connection error for a failed poll. */
export function toConnectionError(failure: TelegramFailure): ConnectionError {
  if (failure.kind !== 'answer') return new ConnectionError('network', `Couldn't reach Telegram: ${failure.detail}`)
  const { status, description } = failure
  if (isRejection(failure)) {
    return new ConnectionError('credentials_rejected', `Telegram rejected the bot token: ${description}`)
  }
  if (status === 429) {
    const retryAfterMs = failure.retryAfterMs ?? NO_HINT_WAIT_MS
    return new ConnectionError('rate_limited', `Telegram is rate limiting this bot: ${description}`, { retryAfterMs })
  }
  if (status === 409 && /webhook/i.test(description)) {
    return new ConnectionError(
      'configuration',
      'A webhook is set for this bot, so its messages go there. If nothing needs the webhook anymore, call deleteWebhook with this token.',
    )
  }
  if (status === 409) {
    return new ConnectionError(
      'taken_over',
      `Another process is receiving messages with this token. Stop it, or revoke the token in BotFather and save the new one. (${description})`,
    )
  }
  if (status >= 400 && status < 500) {
    return new ConnectionError('configuration', `Telegram refused the request: ${description}`)
  }
  return new ConnectionError('network', `Telegram is unavailable: ${description}`)
}

/** Returns whether the API does not know the token (401), or finds it malformed (404). */
export const isRejection = (failure: TelegramFailure): boolean =>
  failure.kind === 'answer' && (failure.status === 401 || failure.status === 404)

/** Describes the failure in one sentence for a user. */
export const describeFailure = (failure: TelegramFailure): string =>
  failure.kind === 'answer' ? failure.description : failure.detail
