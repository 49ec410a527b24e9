import { CUT_THE_NETWORK, type FaultSwitch } from '../kit/control.ts'
import type { FaultBase, TransportFault } from '../kit/faults.ts'

/**
 * Faults of the emulator. Calls are named as in `requests`, e.g. `im.v1.messages.create`, frames `open` (opening a
 * socket), `event`, `ack` and `ping`; `im.v1.messages.send` stands for `create` and `reply`. `'*'` means all calls;
 * frames must be named.
 */
export type FeishuFault =
  | TransportFault
  | (FaultBase &
      (
        | /** The call has no effect and returns this error. `message` and `status` default to the platform's. */
        {
            readonly kind: 'error'
            readonly code: number
            readonly message?: string
            readonly status?: number
            /** For discovery: adds an empty `data` object. */
            readonly withData?: boolean
          }
        /** 429 with the seconds in `x-ogw-ratelimit-reset`. */
        | { readonly kind: 'rate_limited'; readonly resetSeconds: number }
        /** The call's token expires: 99991663 from now on. */
        | { readonly kind: 'token_expired' }
        /** `error` of the registration, e.g. `slow_down`. Default `method`: the poll. */
        | { readonly kind: 'oauth_error'; readonly error: string }
        /** A ping gets no pong. */
        | { readonly kind: 'withhold_pong' }
        /** A pong lacks one of its four settings. */
        | { readonly kind: 'incomplete_pong'; readonly missing: 'PingInterval' | 'ReconnectNonce' }
        /** An acknowledgment is ignored. */
        | { readonly kind: 'ignore_ack' }
        /** The event is delivered again although it was confirmed. */
        | { readonly kind: 'redeliver' }
        /** The event is split into this many frames, at least 2. */
        | { readonly kind: 'fragment'; readonly parts: number }
        /** The frame has this `type` instead of `event`. */
        | { readonly kind: 'frame_type'; readonly type: string }
        /** While active: whether a scope is granted. Never used up. */
        | { readonly kind: 'scope'; readonly scope: string; readonly granted: boolean }
        /** While active: `activate_status` of the bot. Never used up. */
        | { readonly kind: 'activate_status'; readonly status: number }
      ))

const FRAMES = ['open', 'event', 'ack', 'ping']

/** All fault kinds with the only method they apply to; '*': any. */
const MEANT: Readonly<Record<FeishuFault['kind'], string>> = {
  drop_before: '*',
  drop_after: '*',
  hang: '*',
  bad_gateway: '*',
  slow: '*',
  server_error: '*',
  error: '*',
  rate_limited: '*',
  token_expired: '*',
  oauth_error: 'registration.poll',
  withhold_pong: 'ping',
  incomplete_pong: 'ping',
  ignore_ack: 'ack',
  redeliver: 'event',
  fragment: 'event',
  frame_type: 'event',
  scope: 'state',
  activate_status: 'state',
}

/** The number that a kind requires, and its range. */
const NUMBERS: Readonly<Record<string, readonly [member: string, least: number, most: number]>> = {
  slow: ['ms', 0, 86_400_000],
  server_error: ['status', 500, 599],
  error: ['code', 0, Number.MAX_SAFE_INTEGER],
  rate_limited: ['resetSeconds', 0, 86_400],
  fragment: ['parts', 2, 1_000],
  activate_status: ['status', 0, 9],
}

/** Returns the fault with its method filled in. @throws {RangeError} when it is invalid */
export function resolveFault(fault: FeishuFault): FeishuFault {
  if (!Object.hasOwn(MEANT, fault.kind)) throw new RangeError(`Unknown fault: ${fault.kind}`)
  const [member = '', least = 0, most = 0] = NUMBERS[fault.kind] ?? []
  const number: unknown = member === '' ? 0 : Object.entries(fault).find(([name]) => name === member)?.[1]
  if (!(typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most)) {
    throw new RangeError(`${member} must be an integer from ${least} to ${most}`)
  }
  const meant = MEANT[fault.kind]
  if (meant === '*') return fault
  if (meant === 'state') return { ...fault, method: meant, times: null }
  return { method: meant, ...fault }
}

/** Whether a fault applies to a call or frame; frames must be named. */
export const appliesTo = (method: string, fault: FeishuFault): boolean =>
  !FRAMES.includes(method) || (fault.method ?? '*') !== '*'

/** Method name for both calls that send a message. */
export const SEND = 'im.v1.messages.send'

/** Faults that the page offers. */
export const FEISHU_SWITCHES: readonly FaultSwitch<FeishuFault>[] = [
  CUT_THE_NETWORK,
  {
    label: 'Next send: wait 5 s',
    code: 'slow_down',
    hint: 'Returns 429 with a retry time.',
    zh: { label: '下一次发送：等待 5 秒', hint: '返回 429 和重试时间。' },
    fault: { kind: 'rate_limited', resetSeconds: 5, method: SEND },
  },
  {
    label: 'Next send: too frequent',
    hint: 'Returns 230020.',
    zh: { label: '下一次发送：频率超限', hint: '返回 230020。' },
    fault: { kind: 'error', code: 230020, method: SEND },
  },
  {
    label: 'Lose the next send',
    code: 'send_lost',
    hint: 'The connection closes before the message is shown.',
    zh: { label: '丢失下一次发送', hint: '连接在消息显示之前关闭。' },
    fault: { kind: 'drop_before', method: SEND },
  },
  {
    label: 'Lose the confirmation',
    code: 'answer_lost',
    hint: 'The next message is shown, but the bot gets no response.',
    zh: { label: '丢失发送结果', hint: '下一条消息已显示，但机器人收不到响应。' },
    fault: { kind: 'drop_after', method: SEND },
  },
  {
    label: 'Token expires',
    code: 'token_expired',
    hint: 'The next call returns 99991663.',
    zh: { label: 'token 过期', hint: '下一次调用返回 99991663。' },
    fault: { kind: 'token_expired' },
  },
  {
    label: 'Deliver the next message twice',
    code: 'twice',
    hint: 'Its event is delivered a second time.',
    zh: { label: '重复投递下一条消息', hint: '同一事件会再次投递。' },
    fault: { kind: 'redeliver', method: 'event' },
  },
  {
    label: 'No streaming cards',
    code: 'no_streaming',
    hint: 'The app lacks the card permission (99991672).',
    zh: { label: '禁用流式卡片', hint: '应用缺少卡片权限（99991672）。' },
    fault: { kind: 'scope', scope: 'cardkit:card:write', granted: false, method: 'state', times: null },
    lasting: true,
  },
  {
    label: 'Read all group messages',
    hint: "The app also gets messages that don't mention it.",
    zh: { label: '接收群内所有消息', hint: '应用也会收到未 @ 它的消息。' },
    fault: { kind: 'scope', scope: 'im:message.group_msg', granted: true, method: 'state', times: null },
    lasting: true,
  },
  {
    label: 'Half-open connection',
    code: 'half_open',
    hint: 'The connection looks open, but pings get no answer.',
    zh: { label: '半开连接', hint: '连接看似正常，但 ping 没有响应。' },
    fault: { kind: 'withhold_pong', method: 'ping', times: null },
    lasting: true,
  },
]
