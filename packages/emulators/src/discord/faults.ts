import { CUT_THE_NETWORK, type FaultSwitch } from '../kit/control.ts'
import type { FaultBase, TransportFault } from '../kit/faults.ts'
import { DiscordFailure, rateLimited, type RateScope, unauthorized } from './failure.ts'

/**
 * Faults of the emulator. Methods of REST: `gateway.bot`, `users.me`, `users.get`, `users.guilds`, `users.create_channel`,
 * `applications.get`, `applications.patch`, `guilds.get`, `channels.get`, `messages.list`, `messages.get`,
 * `messages.create`, `messages.edit`, `messages.delete`, `typing.create`, `reactions.put`, `reactions.delete`,
 * `threads.create`, `attachments.get`; of the gateway: `identify`, `resume`, `heartbeat`, and `dispatch`, a
 * person's message. `chatId` is the channel. Transport faults apply to calls, `identify` and `resume`.
 */
export type DiscordFault =
  | TransportFault
  | (FaultBase &
      (
        | {
            readonly kind: 'rate_limited'
            /** In seconds, with decimals. */
            readonly retryAfter: number
            readonly scope?: RateScope
            /** E.g. 20016 (slow mode), 20028 (channel), 40062 (resource). */
            readonly code?: number
          }
        | { readonly kind: 'unauthorized' }
        /** Any other error of the platform, e.g. 403, 50013, 'Missing Permissions'. */
        | { readonly kind: 'error'; readonly status: number; readonly code: number; readonly message: string }
        /** Op 7. This and the next two without `method`: immediate, or at the next identify or resume when no bot is connected. */
        | { readonly kind: 'reconnect' }
        /** Op 9; unless `resumable`, the session is dropped. */
        | { readonly kind: 'invalid_session'; readonly resumable: boolean }
        /** Closes the socket with this code. */
        | { readonly kind: 'close'; readonly code: number }
        /** A heartbeat isn't acknowledged. */
        | { readonly kind: 'no_heartbeat_ack' }
        /** The event is delivered twice. */
        | { readonly kind: 'duplicate_dispatch' }
        /** The event gets its sequence number, but arrives only when the session is resumed. */
        | { readonly kind: 'lost_dispatch' }
        /** A MESSAGE_UPDATE without an edit follows, as when a link preview was loaded. */
        | { readonly kind: 'embed_update' }
        /** The address of an attachment has expired. */
        | { readonly kind: 'attachment_expired' }
      ))

const FRAMES: readonly string[] = ['identify', 'resume', 'heartbeat', 'dispatch', 'now']
const HANDSHAKES: readonly string[] = ['identify', 'resume']

/** Whether a fault can apply to a call or frame; `now` stands for open connections. */
export function isApplicable(method: string): (fault: DiscordFault) => boolean {
  return ({ kind }) => {
    switch (kind) {
      case 'rate_limited':
      case 'unauthorized':
      case 'error':
        return !FRAMES.includes(method)
      case 'reconnect':
      case 'invalid_session':
      case 'close':
        return FRAMES.includes(method) && method !== 'dispatch'
      case 'no_heartbeat_ack':
        return method === 'heartbeat'
      case 'duplicate_dispatch':
      case 'lost_dispatch':
      case 'embed_update':
        return method === 'dispatch'
      case 'attachment_expired':
        return method === 'attachments.get'
      case 'drop_before':
      case 'drop_after':
      case 'hang':
      case 'bad_gateway':
      case 'slow':
      case 'server_error':
        return !FRAMES.includes(method) || HANDSHAKES.includes(method)
      default:
        return isUnknownKind(kind)
    }
  }
}

/** Unknown kinds can only arrive over HTTP. */
const isUnknownKind = (_kind: never): false => false

/** Checks a fault. @param calls Names of all calls. @throws {RangeError} when it can't apply to any */
export function checkFault(fault: DiscordFault, calls: readonly string[]): void {
  const method = (fault.method ?? '*').toLowerCase()
  const all = [...FRAMES, ...calls, 'attachments.get']
  const methods = method === '*' ? all : all.filter((name) => name === method)
  if (!methods.some((name) => isApplicable(name)(fault)))
    throw new RangeError(`Unknown fault: ${String(fault.kind)} of ${method}`)
  if (fault.kind === 'server_error' && !(fault.status >= 500 && fault.status <= 599))
    throw new RangeError('status must be from 500 to 599')
}

/** Returns the error that a fault describes, or `null` when it describes none. */
export function toFailure(fault: DiscordFault | null): DiscordFailure | null {
  if (fault?.kind === 'rate_limited') return rateLimited(fault.retryAfter, fault.scope ?? 'user', fault.code)
  if (fault?.kind === 'unauthorized') return unauthorized()
  if (fault?.kind === 'error') return new DiscordFailure(fault.status, fault.code, fault.message)
  return null
}

/** Faults that the page offers. */
export const DISCORD_SWITCHES: readonly FaultSwitch<DiscordFault>[] = [
  CUT_THE_NETWORK,
  {
    label: 'Too many requests',
    code: 'slow_down',
    hint: 'The next send is rate limited for 3 seconds.',
    zh: { label: '请求过于频繁', hint: '下一次发送被限流 3 秒。' },
    fault: { kind: 'rate_limited', method: 'messages.create', retryAfter: 3 },
  },
  {
    label: 'Lose the confirmation',
    code: 'answer_lost',
    hint: 'The next message is shown, but the bot gets no response.',
    zh: { label: '丢失发送结果', hint: '下一条消息已显示，但机器人收不到响应。' },
    fault: { kind: 'drop_after', method: 'messages.create' },
  },
  {
    label: 'Reconnect',
    code: 'reconnect',
    hint: 'The gateway asks the bot to reconnect and resume.',
    zh: { label: '要求重连', hint: '网关要求机器人重新连接并恢复会话。' },
    fault: { kind: 'reconnect' },
  },
  {
    label: 'Session lost',
    code: 'session_lost',
    hint: 'The gateway drops the session; nothing is replayed.',
    zh: { label: '会话丢失', hint: '网关丢弃会话，不会补发消息。' },
    fault: { kind: 'invalid_session', resumable: false },
  },
  {
    label: 'No permission',
    hint: 'The next send returns 50013.',
    zh: { label: '无权限', hint: '下一次发送返回 50013。' },
    fault: { kind: 'error', method: 'messages.create', status: 403, code: 50_013, message: 'Missing Permissions' },
  },
  {
    label: 'Bad gateway',
    code: 'bad_gateway',
    hint: 'Every call returns an error page with status 502.',
    zh: { label: '网关错误', hint: '所有调用返回 502 错误页面。' },
    fault: { kind: 'bad_gateway', times: null },
    lasting: true,
  },
]
