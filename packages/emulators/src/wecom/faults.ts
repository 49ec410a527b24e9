import { CUT_THE_NETWORK, type FaultSwitch } from '../kit/control.ts'
import type { FaultBase, TransportFault } from '../kit/faults.ts'

/**
 * What goes wrong. Methods: the `cmd` of a frame, `connect`, `media`, `qc.generate`, `qc.query_result` and
 * `get_cli_config`. A frame knows `drop_before`, `drop_after`, `hang`, `slow` and `error`; `bad_gateway` and
 * `server_error` meet HTTP calls and `connect`. A heartbeat is met only by a fault that names `ping`.
 */
export type WecomFault =
  | TransportFault
  | (FaultBase &
      (
        | /** The answer of the platform, without effect. `message` is looked up when absent. */ {
            readonly kind: 'error'
            readonly code: number
            readonly message?: string
          }
        /** The frame takes effect, its ack never comes, the connection stays. */
        | { readonly kind: 'swallow_ack' }
        /** The next message of a person is lost on its way; with `repeat` it comes twice with the same `msgid`. */
        | { readonly kind: 'lose' | 'repeat' }
        /** The next download is not encrypted. */
        | { readonly kind: 'unencrypted_media' }
        /** While active: 846608 for frames of a stream that began `ms` ago or earlier. */
        | { readonly kind: 'stream_life'; readonly ms: number }
        /** While active: 45009 from the (n+1)th reply or push of a conversation, or upload of the bot, on. */
        | { readonly kind: 'rate_limits'; readonly perMinute?: number; readonly perHour?: number }
        /** At once: `disconnected_event`, then the connection is closed, as for a second gateway of the bot. */
        | { readonly kind: 'kick' }
        /** At once: an event, e.g. `{eventtype: 'enter_chat'}`, in the chat `chatId` (default: the direct one). */
        | { readonly kind: 'event'; readonly from: string; readonly event: Readonly<Record<string, unknown>> }
      ))

/** Every kind there is. */
export const WECOM_KINDS: Readonly<Record<WecomFault['kind'], true>> = {
  drop_before: true,
  drop_after: true,
  hang: true,
  bad_gateway: true,
  slow: true,
  server_error: true,
  error: true,
  swallow_ack: true,
  lose: true,
  repeat: true,
  unencrypted_media: true,
  stream_life: true,
  rate_limits: true,
  kick: true,
  event: true,
}

/** Answers of the platform and what they mean. */
const WECOM_ERRORS: Readonly<Record<number, string>> = {
  6000: 'data conflict',
  40058: 'invalid Request Parameter',
  45009: 'api freq out of limit',
  846604: 'reply message expired',
  846605: 'invalid req_id',
  846608: 'stream message update expired',
  846609: 'connection not subscribed',
  93001: 'not allowed to send message to this chat',
  93006: 'invalid chatid',
  93008: 'aibot not in chat',
  93017: 'image is empty',
  93018: 'image size out of limit',
  93019: 'invalid bot_id',
  853000: 'invalid signature or secret',
}

/** An answer with a non-zero `errcode`. */
export class WecomFailure extends Error {
  override readonly name = 'WecomFailure'
  readonly code: number

  constructor(code: number, message: string = WECOM_ERRORS[code] ?? 'system error') {
    super(message)
    this.code = code
  }
}

/** What a person may want to try. */
export const WECOM_SWITCHES: readonly FaultSwitch<WecomFault>[] = [
  CUT_THE_NETWORK,
  {
    label: 'Taken over',
    code: 'taken_over',
    hint: 'Another gateway subscribes with the same bot: disconnected_event, then the end of the connection.',
    fault: { kind: 'kick' },
  },
  {
    label: 'Subscribing too often',
    hint: 'The next subscribe is answered with 45009.',
    fault: { kind: 'error', code: 45009, method: 'aibot_subscribe' },
  },
  {
    label: 'Wrong secret',
    hint: 'The next subscribe is answered with 853000.',
    fault: { kind: 'error', code: 853000, method: 'aibot_subscribe' },
  },
  {
    label: 'Unknown bot',
    hint: 'The next subscribe is answered with 93019.',
    fault: { kind: 'error', code: 93019, method: 'aibot_subscribe' },
  },
  {
    label: 'Ack swallowed',
    hint: 'The next frame is shown, but never acknowledged.',
    fault: { kind: 'swallow_ack' },
  },
  {
    label: 'Lost before it is shown',
    code: 'send_lost',
    hint: 'The connection ends at the next frame.',
    fault: { kind: 'drop_before' },
  },
  {
    label: 'Lost after it was shown',
    code: 'answer_lost',
    hint: 'The connection ends before the ack.',
    fault: { kind: 'drop_after' },
  },
  {
    label: 'Message lost',
    hint: 'The next message of a person never reaches the bot.',
    fault: { kind: 'lose' },
  },
  {
    label: 'Heartbeats unanswered',
    code: 'half_open',
    hint: 'The connection looks open, but is dead.',
    fault: { kind: 'hang', method: 'ping', times: null },
    lasting: true,
  },
  {
    label: 'Streams of 5 seconds',
    hint: 'A stream bubble can be changed for 5 seconds only (846608).',
    fault: { kind: 'stream_life', ms: 5_000, times: null },
    lasting: true,
  },
  {
    label: 'Real rate limits',
    hint: '30 messages a minute and 1000 an hour in a conversation, then 45009.',
    fault: { kind: 'rate_limits', times: null },
    lasting: true,
  },
  {
    label: 'Pushes forbidden',
    hint: 'Messages that answer nothing are refused with 93001.',
    fault: { kind: 'error', code: 93001, method: 'aibot_send_msg', times: null },
    lasting: true,
  },
  {
    label: 'Downloads not encrypted',
    hint: 'Files of people are given as they are.',
    fault: { kind: 'unencrypted_media', times: null },
    lasting: true,
  },
]
