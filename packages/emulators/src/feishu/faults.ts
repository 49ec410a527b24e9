import { CUT_THE_NETWORK, type FaultSwitch } from '../kit/control.ts'
import type { FaultBase, TransportFault } from '../kit/faults.ts'

/**
 * What goes wrong. Calls are named as in `requests`, e.g. `im.v1.messages.create`, frames `open` (the opening of a
 * socket), `event`, `ack` and `ping`; `im.v1.messages.send` stands for `create` and `reply`. `'*'` means all calls; a frame is met only when it is named.
 */
export type FeishuFault =
  | TransportFault
  | (FaultBase &
      (
        | /** Any error of the platform; without effect. `message` and `status` default to the platform's. */
        {
            readonly kind: 'error'
            readonly code: number
            readonly message?: string
            readonly status?: number
            /** Discovery: with an empty `data` object. */
            readonly withData?: boolean
          }
        /** 429 with the seconds in `x-ogw-ratelimit-reset`. */
        | { readonly kind: 'rate_limited'; readonly resetSeconds: number }
        /** The token that the call brings stops being valid: 99991663 now and whenever it comes again. */
        | { readonly kind: 'token_expired' }
        /** `error` of the registration, e.g. `slow_down`; without `method` it meets a poll. */
        | { readonly kind: 'oauth_error'; readonly error: string }
        /** A ping stays unanswered. */
        | { readonly kind: 'withhold_pong' }
        /** A pong whose settings lack one of the four values. */
        | { readonly kind: 'incomplete_pong'; readonly missing: 'PingInterval' | 'ReconnectNonce' }
        /** An acknowledgement is not heeded. */
        | { readonly kind: 'ignore_ack' }
        /** The event comes once more though it was confirmed. */
        | { readonly kind: 'redeliver' }
        /** The event comes in so many frames, 2 or more. */
        | { readonly kind: 'fragment'; readonly parts: number }
        /** The frame says another `type` than `event`. */
        | { readonly kind: 'frame_type'; readonly type: string }
        /** While it is there: the scope is granted or not, and what hangs on it. Never used up. */
        | { readonly kind: 'scope'; readonly scope: string; readonly granted: boolean }
        /** While it is there: `activate_status` of the bot. Never used up. */
        | { readonly kind: 'activate_status'; readonly status: number }
      ))

const FRAMES = ['open', 'event', 'ack', 'ping']

/** Every kind there is, and the frame or call that it can only mean; '*': the one that is named. */
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

/** The number that a kind needs, and its range. */
const NUMBERS: Readonly<Record<string, readonly [member: string, least: number, most: number]>> = {
  slow: ['ms', 0, 86_400_000],
  server_error: ['status', 500, 599],
  error: ['code', 0, Number.MAX_SAFE_INTEGER],
  rate_limited: ['resetSeconds', 0, 86_400],
  fragment: ['parts', 2, 1_000],
  activate_status: ['status', 0, 9],
}

/** The fault with the call or frame that it means. @throws {RangeError} for what cannot be */
export function settledFault(fault: FeishuFault): FeishuFault {
  if (!Object.hasOwn(MEANT, fault.kind)) throw new RangeError(`Unknown fault: ${fault.kind}`)
  const [member = '', least = 0, most = 0] = NUMBERS[fault.kind] ?? []
  const number: unknown = member === '' ? 0 : Object.entries(fault).find(([name]) => name === member)?.[1]
  if (!(typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most)) {
    throw new RangeError(`${member} is a whole number from ${least} to ${most}`)
  }
  const meant = MEANT[fault.kind]
  if (meant === '*') return fault
  if (meant === 'state') return { ...fault, method: meant, times: null }
  return { method: meant, ...fault }
}

/** Whether a fault meets this call or frame: a frame must be named. */
export const isMeant = (method: string, fault: FeishuFault): boolean =>
  !FRAMES.includes(method) || (fault.method ?? '*') !== '*'

/** Names the two calls that put a message into a chat. */
export const SEND = 'im.v1.messages.send'

/** For the demo page. */
export const FEISHU_SWITCHES: readonly FaultSwitch<FeishuFault>[] = [
  CUT_THE_NETWORK,
  {
    label: 'Next send: wait 5 s',
    code: 'slow_down',
    hint: 'Refused with 429 and a time to wait.',
    fault: { kind: 'rate_limited', resetSeconds: 5, method: SEND },
  },
  {
    label: 'Next send: too fast',
    hint: 'Refused with code 230020.',
    fault: { kind: 'error', code: 230020, method: SEND },
  },
  {
    label: 'Next send: never arrives',
    code: 'send_lost',
    hint: 'The connection ends before the message is shown.',
    fault: { kind: 'drop_before', method: SEND },
  },
  {
    label: 'Next send: arrives, unconfirmed',
    code: 'answer_lost',
    hint: 'The message is shown, but the bot never learns it.',
    fault: { kind: 'drop_after', method: SEND },
  },
  {
    label: 'Token expires',
    code: 'token_expired',
    hint: 'The next call is refused with code 99991663.',
    fault: { kind: 'token_expired' },
  },
  {
    label: 'Next message comes twice',
    code: 'twice',
    hint: 'The same event is delivered a second time.',
    fault: { kind: 'redeliver', method: 'event' },
  },
  {
    label: 'No streaming cards',
    code: 'no_streaming',
    hint: 'The app lacks the permission for cards (99991672).',
    fault: { kind: 'scope', scope: 'cardkit:card:write', granted: false, method: 'state', times: null },
    lasting: true,
  },
  {
    label: 'Hears all of the group',
    hint: 'The app may read what does not mention it.',
    fault: { kind: 'scope', scope: 'im:message.group_msg', granted: true, method: 'state', times: null },
    lasting: true,
  },
  {
    label: 'Pings stay unanswered',
    code: 'half_open',
    hint: 'The connection looks open, but is dead.',
    fault: { kind: 'withhold_pong', method: 'ping', times: null },
    lasting: true,
  },
]
