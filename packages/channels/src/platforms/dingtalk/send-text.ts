import type { Outcome, OutboundPart, OutboundTextPart } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import type { DingtalkClient } from './client.ts'
import { type RobotMessage, robotCall, textMessage, webhookBody } from './encode.ts'
import { list, text } from '../wire/json.ts'
import { BODY_BYTES } from './limits.ts'
import type { BotMemory } from './memory.ts'
import { type DingtalkFailure, flowControlled, isPermission, toOutcome, describeFailure } from './outcome.ts'

/** What every kind of send needs. */
export interface SendingBot {
  readonly client: DingtalkClient
  readonly clientId: string
  readonly memory: BotMemory
  readonly io: PlatformIo
}

/** Timeout of one call, in milliseconds. */
export const SEND_MS = 30_000
/** A webhook this close to its expiry is not used. */
const WEBHOOK_MARGIN_MS = 30_000
const SESSION_GONE = '300001'
/** More than 20 messages in a minute: the webhook is blocked, the robot API isn't. */
const WEBHOOK_BLOCKED = '130101'

/** The code of the robot that speaks in this chat. */
export const getRobotCode = (bot: SendingBot, chatId: string): string =>
  bot.memory.chat(chatId)?.robotCode ?? bot.clientId

/** Returns whether only a webhook reaches this chat: a person outside of the organisation. Their ids are the encrypted ones. */
export const isExternal = (bot: SendingBot, { chat }: Pick<OutboundPart, 'chat'>): boolean =>
  chat.kind === 'direct' && (bot.memory.chat(chat.id)?.external ?? chat.id.startsWith('$:'))

/** The webhook of a chat, while it lives. */
export function liveWebhook(bot: SendingBot, chatId: string): URL | null {
  const webhook = bot.memory.chat(chatId)?.webhook ?? null
  return webhook !== null && bot.io.clock.now() < webhook.untilMs - WEBHOOK_MARGIN_MS ? webhook.url : null
}

/** The person must write before anything can reach them. */
export const NO_WEBHOOK = {
  status: 'refused',
  code: 'no_context',
  detail: 'This person is outside the organization: the bot can only reply for a while after they write',
} as const satisfies Outcome

/** Sends a new message: by the chat's webhook while it is valid and not blocked, otherwise by the API. */
export async function sendText(bot: SendingBot, part: OutboundTextPart, signal: AbortSignal): Promise<Outcome> {
  const { memory, io } = bot
  const chatId = part.chat.id
  const external = isExternal(bot, part)
  const isBlocked = !external && io.clock.now() < memory.webhookBlockedUntilMs(chatId)
  const url = isBlocked ? null : liveWebhook(bot, chatId)
  if (url !== null) {
    const body = webhookBody(part)
    if (isTooLarge(body)) return TOO_LARGE
    const answer = await bot.client.webhook(url, body, { signal, timeoutMs: SEND_MS })
    // a webhook names no message, so the id is ours
    if (answer.ok) return { status: 'delivered', messageId: `webhook-${part.deliveryId}` }
    const outcome = recordRefusal(bot, answer.failure)
    const code = answer.failure.kind === 'answer' ? answer.failure.code : null
    if (code === SESSION_GONE) memory.forgetWebhook(chatId)
    else if (code === WEBHOOK_BLOCKED && !external && outcome.status === 'refused')
      memory.blockWebhook(chatId, io.clock.now() + (outcome.retryAfterMs ?? 0))
    else return outcome
  }
  if (external) return NO_WEBHOOK
  return sendByApi(bot, part, textMessage(part), signal)
}

/** Sends by the API and reads whom it did not reach: an HTTP 200 alone does not mean success. */
export async function sendByApi(
  bot: SendingBot,
  { chat }: Pick<OutboundPart, 'chat'>,
  message: RobotMessage,
  signal: AbortSignal,
): Promise<Outcome> {
  const { path, body } = robotCall(chat, getRobotCode(bot, chat.id), message)
  if (isTooLarge(body)) return TOO_LARGE
  const answer = await bot.client.api('POST', path, body, { signal, timeoutMs: SEND_MS })
  if (!answer.ok) return recordRefusal(bot, answer.failure)
  const names = (list: readonly unknown[]): boolean =>
    list.some((id) => (typeof id === 'number' ? String(id) : id) === chat.id)
  if (names(list(answer.result['invalidStaffIdList']))) return UNREACHABLE
  if (names(list(answer.result['flowControlledStaffIdList']))) return flowControlled()
  const key = text(answer.result['processQueryKey'])
  if (key === undefined || key === '') return { status: 'unknown', detail: 'the response has no message id' }
  return { status: 'delivered', messageId: key }
}

/** The outcome, and what the doctor should know of it. */
export function recordRefusal(bot: SendingBot, failure: DingtalkFailure): Outcome {
  if (isPermission(failure)) {
    const count = (bot.memory.health.permissionFailures?.count ?? 0) + 1
    bot.memory.health.permissionFailures = { count, last: describeFailure(failure), atMs: bot.io.clock.now() }
  }
  return toOutcome(failure)
}

const UNREACHABLE: Outcome = {
  status: 'refused',
  code: 'recipient_unreachable',
  detail: "this person doesn't exist in DingTalk, or is outside the app's visibility range",
}

const TOO_LARGE: Outcome = {
  status: 'refused',
  code: 'content_rejected',
  detail: `the message is larger than DingTalk's limit of ${BODY_BYTES} bytes`,
}

const isTooLarge = (body: unknown): boolean => Buffer.byteLength(JSON.stringify(body)) > BODY_BYTES
