import { ConnectionError, type ChannelRefusal } from '../../errors.ts'
import type { Outcome } from '../../message.ts'
import { type Failed, failed, toWireOutcome, type WireFailure } from '../wire/call.ts'

/** How a call failed. No text of it holds a secret. */
export type DingtalkFailure =
  /** DingTalk said no: an HTTP error with a `code`, or an `errcode` (then `status` is 200). */
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly code: string
      readonly message: string
      /** What the app would need. */
      readonly scopes?: readonly string[]
    }
  | WireFailure

/** Result of one call. */
export type Answer<R> = { readonly ok: true; readonly result: R } | Failed<DingtalkFailure>

/** Wraps a response without the expected content. */
export const toMalformed = (detail: string): Failed<DingtalkFailure> => failed({ kind: 'foreign', status: 200, detail })

interface Rule {
  readonly status?: number
  readonly code?: RegExp
  readonly message?: RegExp
  readonly means: ChannelRefusal
  readonly retryAfterMs?: number
}

const QPS_WAIT_MS = 2_000
const BLOCKED_MS = 10 * 60_000
/** The platform names no time for a person who gets too many messages. */
const FLOW_WAIT_MS = 60_000

/** In this order. @see DingTalk Open Platform, error codes of the robot, card and stream APIs */
const RULES: readonly Rule[] = [
  { code: /QpsLimit|Throttling/i, means: 'rate_limited', retryAfterMs: QPS_WAIT_MS },
  { status: 429, means: 'rate_limited', retryAfterMs: QPS_WAIT_MS },
  { code: /^130101$/, means: 'rate_limited', retryAfterMs: BLOCKED_MS },
  { code: /^300001$/, means: 'no_context' },
  { code: /^310000$/, means: 'configuration' },
  { code: /^460101$/, means: 'content_rejected' },
  {
    code: /^(?:InvalidAuthentication|authFailed|invalidClientIdOrSecret|40014|42001|40089)$/i,
    means: 'credentials_rejected',
  },
  { status: 401, means: 'credentials_rejected' },
  { status: 400, message: /access_?token/i, means: 'credentials_rejected' },
  { code: /PermissionDenied|AccessDenied|^60011$/i, means: 'configuration' },
  { status: 403, means: 'configuration' },
  { status: 400, code: /robot/i, means: 'configuration' },
  {
    status: 400,
    message: /robot.*(?:not (?:found|exist|belong)|does ?n.t (?:exist|belong))|机器人.*不存在/i,
    means: 'configuration',
  },
  { status: 400, code: /staff|userid/i, means: 'recipient_unreachable' },
]

const findRule = (failure: Extract<DingtalkFailure, { kind: 'answer' }>): Rule | undefined =>
  RULES.find(
    ({ status, code, message }) =>
      (status === undefined || status === failure.status) &&
      (code === undefined || code.test(failure.code)) &&
      (message === undefined || message.test(failure.message)),
  )

/** Returns the outcome of a failed send or edit. */
export function toOutcome(failure: DingtalkFailure): Outcome {
  if (failure.kind !== 'answer') return toWireOutcome(failure)
  const detail = describeFailure(failure)
  const rule = findRule(failure)
  if (rule !== undefined) {
    const { means: code, retryAfterMs } = rule
    return { status: 'refused', code, detail, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  }
  // -1: the old API's "system busy", which says as little as an HTTP 5xx
  if (failure.status >= 500 || failure.code === '-1') return { status: 'unknown', detail }
  return { status: 'refused', code: 'content_rejected', detail }
}

/** The person has got too many messages lately: `flowControlledStaffIdList`. */
export const flowControlled = (): Outcome => ({
  status: 'refused',
  code: 'rate_limited',
  detail: 'DingTalk is temporarily limiting messages to this person',
  retryAfterMs: FLOW_WAIT_MS,
})

/** Returns whether the access token, not the credentials behind it, may be what was refused. */
export const isTokenRefused = (failure: DingtalkFailure): boolean =>
  failure.kind === 'answer' && findRule(failure)?.means === 'credentials_rejected'

/** Returns whether DingTalk does not know this pair of client id and secret: of the calls that carry both. */
export const isRejection = (failure: DingtalkFailure): boolean =>
  failure.kind === 'answer' &&
  (failure.status === 401 || /authFailed|invalid(?:Client|App)|Authentication/i.test(failure.code))

/** Returns whether the app lacks a permission. */
export const isPermission = (failure: DingtalkFailure): boolean =>
  failure.kind === 'answer' && findRule(failure)?.means === 'configuration' && failure.status === 403

/** Returns whether DingTalk found fault with the call itself: not with who calls, how often, or when. */
export const isFaultOfCall = (failure: DingtalkFailure): boolean =>
  failure.kind === 'answer' && findRule(failure) === undefined && failure.status < 500 && failure.code !== '-1'

const NOT_OPEN =
  'DingTalk refused the connection. Check at open-dev.dingtalk.com that a version of the app is published, that the ' +
  'robot\'s message mode is "Stream", and that the IP allowlist, if any, includes this server.'

/** Returns the connection error for a refused stream request. */
export function toConnectionError(failure: DingtalkFailure): ConnectionError {
  if (failure.kind !== 'answer') {
    return new ConnectionError('network', `Couldn't reach DingTalk: ${failure.detail}`)
  }
  const words = describeFailure(failure)
  if (isRejection(failure)) {
    return new ConnectionError('credentials_rejected', `DingTalk rejected the Client ID and Client Secret: ${words}`)
  }
  const rule = findRule(failure)
  if (rule?.means === 'rate_limited') {
    const retryAfterMs = rule.retryAfterMs ?? QPS_WAIT_MS
    return new ConnectionError('rate_limited', `DingTalk is rate limiting this app: ${words}`, { retryAfterMs })
  }
  if (failure.status >= 400 && failure.status < 500) {
    return new ConnectionError('configuration', `${NOT_OPEN} (${words})`)
  }
  return new ConnectionError('network', `DingTalk is unavailable: ${words}`)
}

/** Describes the failure in one sentence for a user, with the missing permissions. */
export function describeFailure(failure: DingtalkFailure): string {
  if (failure.kind !== 'answer') return failure.detail
  const said = failure.message === '' ? failure.code : `${failure.message} (${failure.code})`
  return failure.scopes === undefined ? said : `${said}; missing permissions: ${failure.scopes.join(', ')}`
}
