import { CUT_THE_NETWORK, type FaultSwitch } from '../kit/control.ts'
import type { FaultBase, TransportFault } from '../kit/faults.ts'

/**
 * Faults of the emulator. Methods: the `cmd` of a frame, `connect`, `media`, `qc.generate`, `qc.query_result` and
 * `get_cli_config`. Frames support `drop_before`, `drop_after`, `hang`, `slow` and `error`; `bad_gateway` and
 * `server_error` apply to HTTP calls and `connect`. Heartbeats fail only by faults that name `ping`.
 */
export type WecomFault =
  | TransportFault
  | (FaultBase &
      (
        | /** The call has no effect and returns this error. Default `message`: the platform's. */ {
            readonly kind: 'error'
            readonly code: number
            readonly message?: string
          }
        /** The frame takes effect but is never acknowledged; the connection stays open. */
        | { readonly kind: 'swallow_ack' }
        /** The next message to the bot is lost; with `repeat` it arrives twice with the same `msgid`. */
        | { readonly kind: 'lose' | 'repeat' }
        /** The next download isn't encrypted. */
        | { readonly kind: 'unencrypted_media' }
        /** While active: 846608 for frames of streams older than `ms`. */
        | { readonly kind: 'stream_life'; readonly ms: number }
        /** While active: 45009 beyond this number of sends per conversation, or uploads per bot. */
        | { readonly kind: 'rate_limits'; readonly perMinute?: number; readonly perHour?: number }
        /** Immediate: sends `disconnected_event` and closes the connection, as when the bot connects elsewhere. */
        | { readonly kind: 'kick' }
        /** Immediate: sends an event, e.g. `{eventtype: 'enter_chat'}`, of the chat `chatId` (default: the direct chat). */
        | { readonly kind: 'event'; readonly from: string; readonly event: Readonly<Record<string, unknown>> }
      ))

/** All fault kinds. */
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

/** Error codes of the platform and their messages. */
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

/** An error with a non-zero `errcode`. */
export class WecomFailure extends Error {
  override readonly name = 'WecomFailure'
  readonly code: number

  constructor(code: number, message: string = WECOM_ERRORS[code] ?? 'system error') {
    super(message)
    this.code = code
  }
}

/** Faults that the page offers. */
export const WECOM_SWITCHES: readonly FaultSwitch<WecomFault>[] = [
  CUT_THE_NETWORK,
  {
    label: 'Taken over',
    code: 'taken_over',
    hint: 'Another program connects with this bot: disconnected_event, then the connection closes.',
    zh: { label: '连接被抢占', hint: '另一个程序使用此机器人连接：收到 disconnected_event，随后连接关闭。' },
    fault: { kind: 'kick' },
  },
  {
    label: 'Too many subscribes',
    hint: 'The next subscribe returns 45009.',
    zh: { label: '订阅过于频繁', hint: '下一次订阅返回 45009。' },
    fault: { kind: 'error', code: 45009, method: 'aibot_subscribe' },
  },
  {
    label: 'Wrong secret',
    hint: 'The next subscribe returns 853000.',
    zh: { label: '密钥错误', hint: '下一次订阅返回 853000。' },
    fault: { kind: 'error', code: 853000, method: 'aibot_subscribe' },
  },
  {
    label: 'Unknown bot',
    hint: 'The next subscribe returns 93019.',
    zh: { label: '机器人不存在', hint: '下一次订阅返回 93019。' },
    fault: { kind: 'error', code: 93019, method: 'aibot_subscribe' },
  },
  {
    label: 'Acknowledgment lost',
    hint: 'The next frame takes effect but is never acknowledged.',
    zh: { label: '丢失确认', hint: '下一帧生效，但不会收到确认。' },
    fault: { kind: 'swallow_ack' },
  },
  {
    label: 'Lose the next send',
    code: 'send_lost',
    hint: 'The connection closes before the next frame takes effect.',
    zh: { label: '丢失下一次发送', hint: '连接在下一帧生效之前关闭。' },
    fault: { kind: 'drop_before' },
  },
  {
    label: 'Lose the confirmation',
    code: 'answer_lost',
    hint: 'The next frame takes effect, then the connection closes without an ack.',
    zh: { label: '丢失发送结果', hint: '下一帧生效后连接关闭，收不到确认。' },
    fault: { kind: 'drop_after' },
  },
  {
    label: 'Lose the next message',
    hint: 'The next message you send never reaches the bot.',
    zh: { label: '丢失下一条消息', hint: '你发送的下一条消息不会到达机器人。' },
    fault: { kind: 'lose' },
  },
  {
    label: 'Heartbeats unanswered',
    code: 'half_open',
    hint: 'The connection looks open but is dead.',
    zh: { label: '心跳无响应', hint: '连接看似正常，实际已断开。' },
    fault: { kind: 'hang', method: 'ping', times: null },
    lasting: true,
  },
  {
    label: '5-second streams',
    hint: 'A streaming message can be updated for 5 seconds only (846608).',
    zh: { label: '流式消息限时 5 秒', hint: '流式消息只能在 5 秒内更新（846608）。' },
    fault: { kind: 'stream_life', ms: 5_000, times: null },
    lasting: true,
  },
  {
    label: 'Real rate limits',
    hint: '30 messages per minute and 1,000 per hour in a conversation, then 45009.',
    zh: { label: '真实频率限制', hint: '单个会话每分钟 30 条、每小时 1000 条，超出返回 45009。' },
    fault: { kind: 'rate_limits', times: null },
    lasting: true,
  },
  {
    label: 'Pushes forbidden',
    hint: "Messages that aren't replies return 93001.",
    zh: { label: '禁止主动推送', hint: '非回复类消息返回 93001。' },
    fault: { kind: 'error', code: 93001, method: 'aibot_send_msg', times: null },
    lasting: true,
  },
  {
    label: 'Unencrypted downloads',
    hint: 'Your files are served without encryption.',
    zh: { label: '下载不加密', hint: '你发送的文件以明文提供下载。' },
    fault: { kind: 'unencrypted_media', times: null },
    lasting: true,
  },
]
