import { CUT_THE_NETWORK, type FaultSwitch } from '../kit/control.ts'
import type { FaultBase, TransportFault } from '../kit/faults.ts'
import { isTransportFault } from '../kit/transport.ts'

/**
 * What goes wrong. Methods: `getupdates`, `sendmessage`, `getconfig`, `sendtyping`, `getuploadurl`, `notifystart`,
 * `notifystop`, `get_bot_qrcode`, `get_qrcode_status`, `cdn_upload`, `cdn_download`. `chatId` is the user's id. A fault for
 * `getupdates` ends the polls that are held, with nothing in them, so that the next one meets it.
 */
export type WeixinFault =
  | TransportFault
  | (FaultBase &
      (
        | {
            /** Code -14, though the token stays good. `revoke` of the control ends the log-in for good. */
            readonly kind: 'session_expired'
            /** Where the code stands. Default: in both. */
            readonly field?: 'ret' | 'errcode'
          }
        /** Code -2, which stands for quota, burst and expiry alike; the platform says '', 'rate limited', 'prepare failed' or 'unknown error'. */
        | { readonly kind: 'refused'; readonly errmsg?: string }
        /** Any other business error, with status 200. */
        | { readonly kind: 'error'; readonly ret: number; readonly errmsg: string }
        /** Takes effect; the answer is an empty object. */
        | { readonly kind: 'empty_answer' }
        /** The poll is not answered for `ms`, whatever arrives. */
        | { readonly kind: 'hold'; readonly ms: number }
        /** The server forgets how far the client has come: cursors mean nothing, everything still kept comes again. */
        | { readonly kind: 'cursor_reset' }
        /** Media and uploads are named by their parameter alone. */
        | { readonly kind: 'no_full_url' }
        /** `method` is `say`: the file of a person is stored without a key. */
        | { readonly kind: 'plain_media' }
        /** An answer of the CDN that is final: `status` 400 to 499, and the text in `x-error-message`. */
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

/** Whether such a fault can say anything about a call of `method`. */
export function isAbout(method: string): (fault: WeixinFault) => boolean {
  return ({ kind }) => {
    if (kind === 'plain_media') return method === 'say'
    if (kind === 'no_full_url') return method === 'say' || method === 'getuploadurl'
    if (kind === 'hold' || kind === 'cursor_reset') return method === 'getupdates'
    if (kind === 'cdn_refused') return method.startsWith('cdn_')
    if (isTransportFault(kind)) return method !== 'say'
    return ANSWERS.includes(kind) && CALLS.includes(method)
  }
}

/** @throws {RangeError} for a fault that can meet nothing */
export function checkFault(fault: WeixinFault): void {
  const method = (fault.method ?? '*').toLowerCase()
  const methods = method === '*' ? METHODS : METHODS.filter((name) => name === method)
  if (!methods.some((name) => isAbout(name)(fault)))
    throw new RangeError(`Unknown fault: ${String(fault.kind)} of ${method}`)
  if (fault.kind === 'server_error' && !(fault.status >= 500 && fault.status <= 599))
    throw new RangeError('status is from 500 to 599')
  if (fault.kind === 'cdn_refused' && !(fault.status >= 400 && fault.status <= 499))
    throw new RangeError('status is from 400 to 499')
}

/** Those that a person may want to try. */
export const WEIXIN_SWITCHES: readonly FaultSwitch<WeixinFault>[] = [
  CUT_THE_NETWORK,
  {
    label: 'Quota used up',
    hint: 'The next send is refused with code -2, as after ten sends for one message.',
    fault: { kind: 'refused', method: 'sendmessage', errmsg: '' },
  },
  {
    label: 'Answer lost',
    code: 'answer_lost',
    hint: 'The next message is shown, but the bot never learns it.',
    fault: { kind: 'drop_after', method: 'sendmessage' },
  },
  {
    label: 'Log-in expired',
    code: 'log_in_expired',
    hint: 'The next poll is answered with code -14.',
    fault: { kind: 'session_expired', method: 'getupdates' },
  },
  {
    label: 'Cursor forgotten',
    hint: 'Everything comes again, with the same ids.',
    fault: { kind: 'cursor_reset', method: 'getupdates' },
  },
  {
    label: 'Bad gateway',
    code: 'bad_gateway',
    hint: 'A proxy answers everything with a page and status 502.',
    fault: { kind: 'bad_gateway', times: null },
    lasting: true,
  },
]

/** An answer with a code that is not 0; the HTTP status is 200. */
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

/** The log-in is not valid (any more). */
export const sessionExpired = (field: 'ret' | 'errcode' | 'both' = 'both'): WeixinRefusal =>
  new WeixinRefusal(-14, 'session timeout', field)

/** @throws {WeixinRefusal} for a fault that is an answer without effect */
export function refuseFor(fault: WeixinFault | null): void {
  if (fault?.kind === 'session_expired') throw sessionExpired(fault.field ?? 'both')
  if (fault?.kind === 'refused') throw new WeixinRefusal(-2, fault.errmsg ?? '')
  if (fault?.kind === 'error') throw new WeixinRefusal(fault.ret, fault.errmsg)
}
