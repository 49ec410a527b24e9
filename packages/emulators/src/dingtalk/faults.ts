import { CUT_THE_NETWORK, type FaultSwitch } from '../kit/control.ts'
import type { FaultBase, TransportFault } from '../kit/faults.ts'

/**
 * What goes wrong. Methods: `connections.open`, `connect`, `accessToken`, `gettoken`, `oToMessages.batchSend`,
 * `groupMessages.send`, `sendBySession`, `messageFiles.download`, `files`, `emotion.reply`, `emotion.recall`,
 * `card.create`, `card.deliver`, `card.update`, `card.streaming`, `media.upload`, `file.enable`, `file.chunk`,
 * `file.submit`, `registration.init`, `registration.begin`, `registration.poll`; and `stream.answer` for `drop_before`
 * and `drop_after`, which meet it only when they name it.
 */
export type DingtalkFault =
  | TransportFault
  | (FaultBase &
      (
        | /** The answer of the platform, without effect; `status` and `message` are looked up when absent. */ {
            readonly kind: 'error'
            readonly code: string | number
            readonly status?: number
            readonly message?: string
          }
        /** The next answer to a callback is not noticed: the message comes again. */
        | { readonly kind: 'lose_answer' }
        /** The ticket of the next connection counts as expired. */
        | { readonly kind: 'expired_ticket' }
        /** The next batchSend answers 200 and lists its people as unknown, or as written to too often. */
        | { readonly kind: 'invalid_users' | 'flow_controlled_users' }
        /** The next person who writes is outside the organisation: no `senderStaffId`. */
        | { readonly kind: 'outsider' }
        /** The next poll of a registration answers FAIL, the one after it as if nothing had been. */
        | { readonly kind: 'registration_fail' }
        /** While active: 20 webhook messages a minute, then 10 minutes of 130101; 40 card calls a second. */
        | { readonly kind: 'rate_limits' }
        /** At once: a frame of any kind to every connection, e.g. a press on a card; its answer is `stream.other`. */
        | {
            readonly kind: 'frame'
            readonly type: 'SYSTEM' | 'EVENT' | 'CALLBACK'
            readonly topic: string
            readonly data: Readonly<Record<string, unknown>>
          }
        /** At once: a disconnect frame to every connection, which is closed some seconds later. */
        | { readonly kind: 'disconnect' }
        /** At once: the connections look open, but nothing passes any more, pings included. */
        | { readonly kind: 'half_open' }
        /** At once: every token, or every session webhook, is gone. */
        | { readonly kind: 'expire_tokens' | 'expire_webhooks' }
      ))

/** Every kind there is. */
export const DINGTALK_KINDS: Readonly<Record<DingtalkFault['kind'], true>> = {
  drop_before: true,
  drop_after: true,
  hang: true,
  bad_gateway: true,
  slow: true,
  server_error: true,
  error: true,
  lose_answer: true,
  expired_ticket: true,
  invalid_users: true,
  flow_controlled_users: true,
  outsider: true,
  registration_fail: true,
  rate_limits: true,
  frame: true,
  disconnect: true,
  half_open: true,
  expire_tokens: true,
  expire_webhooks: true,
}

interface KnownError {
  /** HTTP status of the new API; the old one answers 200. */
  readonly status: number
  readonly message: string
  readonly requiredScopes?: readonly string[]
}

const PERMISSION = 'Forbidden.AccessDenied.AccessTokenPermissionDenied'

/** The platform's code for too many calls. */
export const QPS_LIMIT = 'Forbidden.AccessDenied.QpsLimitForApi'

/** Answers of the platform and what they mean. */
export const DINGTALK_ERRORS: Readonly<Record<string, KnownError>> = {
  authFailed: { status: 401, message: 'auth failed, check clientId and clientSecret' },
  invalidClientIdOrSecret: { status: 400, message: 'invalid clientId or clientSecret' },
  InvalidAuthentication: { status: 401, message: 'invalid access_token' },
  [PERMISSION]: {
    status: 403,
    message: 'the app lacks a required permission: qyapi_robot_sendmsg',
    requiredScopes: ['qyapi_robot_sendmsg'],
  },
  [QPS_LIMIT]: { status: 403, message: 'qps limit exceeded' },
  'resource.not.found': { status: 400, message: 'robot not found' },
  invalidParameter: { status: 400, message: 'invalid parameter' },
  ServiceUnavailable: { status: 503, message: 'service unavailable' },
  '300001': { status: 400, message: 'token is not exist' },
  '310000': { status: 400, message: 'sign not match' },
  '130101': { status: 400, message: 'send too fast, exceed 20 times per minute' },
  '460101': { status: 400, message: 'message too long, exceed 20000 bytes' },
  '40014': { status: 400, message: 'invalid access_token' },
  '40035': { status: 400, message: 'invalid parameter' },
  '40089': { status: 400, message: 'invalid appkey or appsecret' },
}

/** A refusal, in the shape of the API that gives it. */
export class DingtalkFailure extends Error {
  override readonly name = 'DingtalkFailure'
  readonly code: string
  readonly status: number

  constructor(code: string | number, message?: string, status?: number) {
    const known = DINGTALK_ERRORS[String(code)]
    super(message ?? known?.message ?? 'system error')
    this.code = String(code)
    this.status = status ?? known?.status ?? 400
  }
}

/** What a person may want to try. */
export const DINGTALK_SWITCHES: readonly FaultSwitch<DingtalkFault>[] = [
  CUT_THE_NETWORK,
  {
    label: 'Disconnect frame',
    code: 'reconnect',
    hint: 'The gateway asks for a new connection and closes this one some seconds later.',
    fault: { kind: 'disconnect' },
  },
  {
    label: 'Half open',
    code: 'half_open',
    hint: 'The connection looks open, but nothing passes.',
    fault: { kind: 'half_open' },
  },
  {
    label: 'Answer lost',
    code: 'twice',
    hint: 'The next message is delivered again, with a new frame id and the same msgId.',
    fault: { kind: 'lose_answer' },
  },
  {
    label: 'Wrong secret',
    hint: 'The next request for a ticket is answered with 401.',
    fault: { kind: 'error', code: 'authFailed', method: 'connections.open' },
  },
  {
    label: 'Not published',
    hint: 'The next request for a ticket is answered with 400.',
    fault: { kind: 'error', code: 'invalidParameter', method: 'connections.open', message: 'app is not published' },
  },
  { label: 'Ticket expired', hint: 'The next connection is refused.', fault: { kind: 'expired_ticket' } },
  {
    label: 'Tokens expired',
    code: 'token_expired',
    hint: 'Every access token is gone.',
    fault: { kind: 'expire_tokens' },
  },
  {
    label: 'Webhooks gone',
    hint: 'Replies are answered with 300001: only the API is left.',
    fault: { kind: 'expire_webhooks' },
  },
  {
    label: 'Too many calls',
    hint: 'The next change of a card is answered with QpsLimit.',
    fault: { kind: 'error', code: QPS_LIMIT, method: 'card.streaming' },
  },
  {
    label: 'People unknown',
    hint: 'The next message to a person is answered with 200, and reaches nobody.',
    fault: { kind: 'invalid_users' },
  },
  {
    label: 'Permission missing',
    hint: 'Messages to people are refused with 403.',
    fault: { kind: 'error', code: PERMISSION, method: 'oToMessages.batchSend', times: null },
    lasting: true,
  },
  {
    label: 'No cards',
    code: 'no_streaming',
    hint: 'Cards are refused with 403.',
    fault: { kind: 'error', code: PERMISSION, method: 'card.create', times: null },
    lasting: true,
  },
  {
    label: 'Real rate limits',
    hint: '20 replies a minute, 40 card calls a second.',
    fault: { kind: 'rate_limits', times: null },
    lasting: true,
  },
  {
    label: 'Registration fails once',
    hint: 'The next poll of a registration answers FAIL.',
    fault: { kind: 'registration_fail' },
  },
]
