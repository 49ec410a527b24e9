import { CUT_THE_NETWORK, type FaultSwitch } from '../kit/control.ts'
import type { FaultBase, TransportFault } from '../kit/faults.ts'
import { isTransportFault } from '../kit/transport.ts'

/**
 * Faults of the emulator. Methods: `getupdates`, `sendmessage`, `getconfig`, `sendtyping`, `getuploadurl`, `notifystart`,
 * `notifystop`, `get_bot_qrcode`, `get_qrcode_status`, `cdn_upload`, `cdn_download`. `chatId` is the user's id. A fault for
 * `getupdates` ends pending polls without messages, so that it applies to the next poll.
 */
export type WeixinFault =
  | TransportFault
  | (FaultBase &
      (
        | {
            /** Code -14 although the token stays valid. The operation `revoke` ends the login permanently. */
            readonly kind: 'session_expired'
            /** Field with the code. Default: both. */
            readonly field?: 'ret' | 'errcode'
          }
        /** Code -2, for quota, bursts and expiry; the platform's text is '', 'rate limited', 'prepare failed' or 'unknown error'. */
        | { readonly kind: 'refused'; readonly errmsg?: string }
        /** Any other error, with status 200. */
        | { readonly kind: 'error'; readonly ret: number; readonly errmsg: string }
        /** The call takes effect, but returns an empty object. */
        | { readonly kind: 'empty_answer' }
        /** The poll is held for `ms`, even when messages arrive. */
        | { readonly kind: 'hold'; readonly ms: number }
        /** Cursors become invalid: all stored messages are delivered again. */
        | { readonly kind: 'cursor_reset' }
        /** Media and uploads come without their full URL. */
        | { readonly kind: 'no_full_url' }
        /** With method `say`: a person's file is stored unencrypted. */
        | { readonly kind: 'plain_media' }
        /** A permanent error of the CDN: `status` 400 to 499, with the text in `x-error-message`. */
        | { readonly kind: 'cdn_refused'; readonly status: number; readonly message: string }
      ))

const CALLS: readonly string[] = [
  'getupdates',
  'sendmessage',
  'getconfig',
  'sendtyping',
  'getuploadurl',
  'notifystart',
  'notifystop',
  'get_bot_qrcode',
  'get_qrcode_status',
]
const METHODS: readonly string[] = [...CALLS, 'cdn_upload', 'cdn_download', 'say']
const ANSWERS: readonly string[] = ['session_expired', 'refused', 'error', 'empty_answer']

/** Returns whether a fault can apply to calls of `method`. */
export function isApplicable(method: string): (fault: WeixinFault) => boolean {
  return ({ kind }) => {
    if (kind === 'plain_media') return method === 'say'
    if (kind === 'no_full_url') return method === 'say' || method === 'getuploadurl'
    if (kind === 'hold' || kind === 'cursor_reset') return method === 'getupdates'
    if (kind === 'cdn_refused') return method.startsWith('cdn_')
    if (isTransportFault(kind)) return method !== 'say'
    return ANSWERS.includes(kind) && CALLS.includes(method)
  }
}

/** Checks a fault. @throws {RangeError} when it can't apply to any call */
export function checkFault(fault: WeixinFault): void {
  const method = (fault.method ?? '*').toLowerCase()
  const methods = method === '*' ? METHODS : METHODS.filter((name) => name === method)
  if (!methods.some((name) => isApplicable(name)(fault)))
    throw new RangeError(`Unknown fault: ${String(fault.kind)} of ${method}`)
  if (fault.kind === 'server_error' && !(fault.status >= 500 && fault.status <= 599))
    throw new RangeError('status must be from 500 to 599')
  if (fault.kind === 'cdn_refused' && !(fault.status >= 400 && fault.status <= 499))
    throw new RangeError('status must be from 400 to 499')
}

/** Faults that the page offers. */
export const WEIXIN_SWITCHES: readonly FaultSwitch<WeixinFault>[] = [
  CUT_THE_NETWORK,
  {
    label: 'Quota used up',
    hint: 'The next send returns -2, as after ten sends for one message.',
    zh: { label: '配额用尽', hint: '下一次发送返回 -2，与一条消息回复十次后相同。' },
    fault: { kind: 'refused', method: 'sendmessage', errmsg: '' },
  },
  {
    label: 'Lose the confirmation',
    code: 'answer_lost',
    hint: 'The next message is shown, but the bot gets no response.',
    zh: { label: '丢失发送结果', hint: '下一条消息已显示，但机器人收不到响应。' },
    fault: { kind: 'drop_after', method: 'sendmessage' },
  },
  {
    label: 'Login expired',
    code: 'log_in_expired',
    hint: 'The next poll returns -14.',
    zh: { label: '登录过期', hint: '下一次轮询返回 -14。' },
    fault: { kind: 'session_expired', method: 'getupdates' },
  },
  {
    label: 'Cursor reset',
    hint: 'All messages are delivered again with the same ids.',
    zh: { label: '游标重置', hint: '所有消息以相同的 ID 再次投递。' },
    fault: { kind: 'cursor_reset', method: 'getupdates' },
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

/** An error of the API: a code other than 0 with HTTP status 200. */
export class WeixinRefusal extends Error {
  override readonly name = 'WeixinRefusal'
  readonly body: Readonly<Record<string, unknown>>
  constructor(ret: number, errmsg: string, field: 'ret' | 'errcode' | 'both' = 'ret') {
    super(errmsg)
    this.body = {
      ...(field !== 'errcode' && { ret }),
      ...(field !== 'ret' && { errcode: ret }),
      ...(errmsg !== '' && { errmsg }),
    }
  }
}

/** Returns the error for an invalid or expired login. */
export const sessionExpired = (field: 'ret' | 'errcode' | 'both' = 'both'): WeixinRefusal =>
  new WeixinRefusal(-14, 'session timeout', field)

/** Throws the error that a fault describes, if any. @throws {WeixinRefusal} */
export function throwFault(fault: WeixinFault | null): void {
  if (fault?.kind === 'session_expired') throw sessionExpired(fault.field ?? 'both')
  if (fault?.kind === 'refused') throw new WeixinRefusal(-2, fault.errmsg ?? '')
  if (fault?.kind === 'error') throw new WeixinRefusal(fault.ret, fault.errmsg)
}
