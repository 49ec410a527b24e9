import { CUT_THE_NETWORK, type FaultSwitch } from '../kit/control.ts'
import type { FaultBase, TransportFault } from '../kit/faults.ts'

/**
 * Faults of the emulator. Methods: `connections.open`, `connect`, `accessToken`, `gettoken`, `oToMessages.batchSend`,
 * `groupMessages.send`, `sendBySession`, `messageFiles.download`, `files`, `emotion.reply`, `emotion.recall`,
 * `card.create`, `card.deliver`, `card.update`, `card.streaming`, `media.upload`, `file.enable`, `file.chunk`,
 * `file.submit`, `registration.init`, `registration.begin`, `registration.poll`; and `stream.answer` for `drop_before`
 * and `drop_after`, which apply to it only when they name it.
 */
export type DingtalkFault =
  | TransportFault
  | (FaultBase &
      (
        | /** The call has no effect and returns this error; `status` and `message` default to the platform's. */ {
            readonly kind: 'error'
            readonly code: string | number
            readonly status?: number
            readonly message?: string
          }
        /** The next answer to a callback is ignored: the message is delivered again. */
        | { readonly kind: 'lose_answer' }
        /** The ticket of the next connection counts as expired. */
        | { readonly kind: 'expired_ticket' }
        /** The next batchSend returns 200 and lists its recipients as invalid or flow-controlled. */
        | { readonly kind: 'invalid_users' | 'flow_controlled_users' }
        /** The next sender is outside the organization: no `senderStaffId`. */
        | { readonly kind: 'outsider' }
        /** The next poll of a registration returns FAIL; later ones are normal. */
        | { readonly kind: 'registration_fail' }
        /** While active: 20 webhook messages a minute, then 10 minutes of 130101; 40 card calls a second. */
        | { readonly kind: 'rate_limits' }
        /** Immediate: sends a frame to every connection, e.g. a card action; the app's answer is recorded as `stream.other`. */
        | {
            readonly kind: 'frame'
            readonly type: 'SYSTEM' | 'EVENT' | 'CALLBACK'
            readonly topic: string
            readonly data: Readonly<Record<string, unknown>>
          }
        /** Immediate: sends a disconnect frame to every connection and closes it some seconds later. */
        | { readonly kind: 'disconnect' }
        /** Immediate: the connections become half-open; pings fail too. */
        | { readonly kind: 'half_open' }
        /** Immediate: all tokens, or all session webhooks, expire. */
        | { readonly kind: 'expire_tokens' | 'expire_webhooks' }
      ))

/** All fault kinds. */
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
  /** HTTP status of the new API; the old one always returns 200. */
  readonly status: number
  readonly message: string
  readonly requiredScopes?: readonly string[]
}

const PERMISSION = 'Forbidden.AccessDenied.AccessTokenPermissionDenied'

/** Error code for too many calls. */
export const QPS_LIMIT = 'Forbidden.AccessDenied.QpsLimitForApi'

/** Error codes of the platform and their messages. */
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

/** An error of the platform's API. */
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

/** Faults that the page offers. */
export const DINGTALK_SWITCHES: readonly FaultSwitch<DingtalkFault>[] = [
  CUT_THE_NETWORK,
  {
    label: 'Disconnect frame',
    code: 'reconnect',
    hint: 'The platform asks for a new connection and closes this one some seconds later.',
    zh: { label: '断开连接帧', hint: '平台要求建立新连接，数秒后关闭当前连接。' },
    fault: { kind: 'disconnect' },
  },
  {
    label: 'Half-open connection',
    code: 'half_open',
    hint: 'The connection looks open, but nothing gets through.',
    zh: { label: '半开连接', hint: '连接看似正常，实际无法收发数据。' },
    fault: { kind: 'half_open' },
  },
  {
    label: 'Acknowledgment lost',
    code: 'twice',
    hint: 'The next message is delivered again, with a new frame id and the same msgId.',
    zh: { label: '丢失确认', hint: '下一条消息会再次投递，帧 ID 不同，msgId 相同。' },
    fault: { kind: 'lose_answer' },
  },
  {
    label: 'Wrong secret',
    hint: 'The next ticket request returns 401.',
    zh: { label: '密钥错误', hint: '下一次获取 ticket 返回 401。' },
    fault: { kind: 'error', code: 'authFailed', method: 'connections.open' },
  },
  {
    label: 'App not published',
    hint: 'The next ticket request returns 400.',
    zh: { label: '应用未发布', hint: '下一次获取 ticket 返回 400。' },
    fault: { kind: 'error', code: 'invalidParameter', method: 'connections.open', message: 'app is not published' },
  },
  {
    label: 'Ticket expired',
    hint: 'The next connection is refused.',
    zh: { label: 'ticket 过期', hint: '下一次连接被拒绝。' },
    fault: { kind: 'expired_ticket' },
  },
  {
    label: 'Tokens expired',
    code: 'token_expired',
    hint: 'All access tokens expire.',
    zh: { label: 'token 过期', hint: '所有 access_token 立即失效。' },
    fault: { kind: 'expire_tokens' },
  },
  {
    label: 'Webhooks expired',
    hint: 'Session webhooks return 300001; only the API works.',
    zh: { label: 'webhook 过期', hint: '会话 webhook 返回 300001，只能使用 API。' },
    fault: { kind: 'expire_webhooks' },
  },
  {
    label: 'Too many calls',
    hint: 'The next card update returns QpsLimit.',
    zh: { label: '调用过于频繁', hint: '下一次更新卡片返回 QpsLimit。' },
    fault: { kind: 'error', code: QPS_LIMIT, method: 'card.streaming' },
  },
  {
    label: 'Unknown recipients',
    hint: "The next direct message returns 200 but isn't delivered.",
    zh: { label: '接收人无效', hint: '下一条单聊消息返回 200，但不会送达。' },
    fault: { kind: 'invalid_users' },
  },
  {
    label: 'Permission missing',
    hint: 'Direct messages return 403.',
    zh: { label: '缺少权限', hint: '单聊消息返回 403。' },
    fault: { kind: 'error', code: PERMISSION, method: 'oToMessages.batchSend', times: null },
    lasting: true,
  },
  {
    label: 'No cards',
    code: 'no_streaming',
    hint: 'Creating a card returns 403.',
    zh: { label: '禁用卡片', hint: '创建卡片返回 403。' },
    fault: { kind: 'error', code: PERMISSION, method: 'card.create', times: null },
    lasting: true,
  },
  {
    label: 'Real rate limits',
    hint: '20 replies per minute, 40 card calls per second.',
    zh: { label: '真实频率限制', hint: '每分钟 20 条回复，每秒 40 次卡片调用。' },
    fault: { kind: 'rate_limits', times: null },
    lasting: true,
  },
  {
    label: 'Registration fails once',
    hint: 'The next poll of a registration returns FAIL.',
    zh: { label: '注册失败一次', hint: '下一次轮询注册结果返回 FAIL。' },
    fault: { kind: 'registration_fail' },
  },
]
