import type { ChannelCheck } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { readBot, openClient, type BotProfile, type TelegramClient } from './client.ts'
import { type TelegramCredentials, telegramBaseUrl } from './credentials.ts'
import { integer, type Json, object, text } from '../wire/json.ts'
import { isRejection, sentenceOf } from './outcome.ts'

const TIMEOUT_MS = 10_000

/** Asks Telegram what can be wrong with this bot. Never throws for a failing remote. */
export async function diagnoseTelegram(
  credentials: TelegramCredentials,
  io: PlatformIo,
  signal: AbortSignal,
): Promise<readonly ChannelCheck[]> {
  const root = telegramBaseUrl(credentials, io)
  const client = openClient(credentials.bot_token, root, io)
  const limits = { signal, timeoutMs: TIMEOUT_MS }
  const answer = await client.call((api, s) => api.getMe(s), limits)
  if (!answer.ok && isRejection(answer.failure)) return [reachable(root), rejected(sentenceOf(answer.failure))]
  if (!answer.ok) return [unreachable(root, sentenceOf(answer.failure))]
  const bot = readBot(answer.result)
  if (bot === null) return [unreachable(root, 'the answer does not describe a bot')]
  return [reachable(root), accepted(bot), ...(await webhook(client, limits)), groups(bot)]
}

const reachable = (root: string): ChannelCheck => ({
  id: 'server_reachable',
  title: 'The Bot API server answers',
  status: 'pass',
  detail: root,
})

const unreachable = (root: string, why: string): ChannelCheck => ({
  id: 'server_reachable',
  title: 'The Bot API server answers',
  status: 'fail',
  detail: `${root}: ${why}`,
  remedy: 'Check the network, a proxy in between and base_url. From some countries Telegram needs another way out.',
})

const rejected = (why: string): ChannelCheck => ({
  id: 'token_accepted',
  title: 'The bot token is accepted',
  status: 'fail',
  detail: why,
  remedy: 'Copy the token from BotFather again (/mybots, API Token), or make a new one there, and save it.',
  fix: { kind: 'set_up' },
})

const accepted = (bot: BotProfile): ChannelCheck => ({
  id: 'token_accepted',
  title: 'The bot token is accepted',
  status: 'pass',
  detail: `@${bot.username} (${bot.id})`,
})

const groups = (bot: BotProfile): ChannelCheck => ({
  id: 'group_privacy',
  title: 'What the bot sees in groups',
  status: 'pass',
  detail: bot.readsGroups
    ? 'Every message: privacy mode is off.'
    : 'Commands, replies to the bot and mentions: privacy mode is on. To change it: BotFather, /setprivacy, then remove the bot from the group and add it again.',
})

async function webhook(
  client: TelegramClient,
  limits: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<readonly ChannelCheck[]> {
  const title = 'Messages come to this service'
  const answer = await client.call((api, s) => api.getWebhookInfo(s), limits)
  const info = answer.ok ? object(answer.result) : undefined
  if (info === undefined) {
    const detail = answer.ok ? 'the server did not say whether a webhook is set' : sentenceOf(answer.failure)
    return [{ id: 'no_webhook', title, status: 'fail', detail, remedy: 'Try again in a minute.' }]
  }
  const url = text(info['url']) ?? ''
  if (url !== '') return [webhookSet(title, url), pending(info)]
  return [{ id: 'no_webhook', title, status: 'pass', detail: 'No webhook is set.' }, pending(info)]
}

const webhookSet = (title: string, url: string): ChannelCheck => ({
  id: 'no_webhook',
  title,
  status: 'fail',
  // Only the host: many a webhook has a secret in its path.
  detail: `A webhook is set: messages go to ${URL.canParse(url) ? new URL(url).host : 'another place'}.`,
  remedy: 'If nothing needs the webhook any more, call deleteWebhook of the Bot API with this token.',
})

function pending(info: Json): ChannelCheck {
  const count = integer(info['pending_update_count'])
  return {
    id: 'pending_updates',
    title: 'Messages that wait at Telegram',
    status: 'pass',
    detail: count === undefined ? 'unknown' : String(count),
  }
}
