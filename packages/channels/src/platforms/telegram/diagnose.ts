import type { ChannelCheck } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { readBot, openClient, type BotProfile, type TelegramClient } from './client.ts'
import { type TelegramCredentials, telegramBaseUrl } from './credentials.ts'
import { integer, type Json, object, text } from '../wire/json.ts'
import { isRejection, describeFailure } from './outcome.ts'

const TIMEOUT_MS = 10_000

/** Diagnoses this bot. Never throws for a failing remote. */
export async function diagnoseTelegram(
  credentials: TelegramCredentials,
  io: PlatformIo,
  signal: AbortSignal,
): Promise<readonly ChannelCheck[]> {
  const root = telegramBaseUrl(credentials, io)
  const client = openClient(credentials.bot_token, root, io)
  const limits = { signal, timeoutMs: TIMEOUT_MS }
  const answer = await client.call((api, s) => api.getMe(s), limits)
  if (!answer.ok && isRejection(answer.failure))
    return [reachableCheck(root), rejectedCheck(describeFailure(answer.failure))]
  if (!answer.ok) return [unreachableCheck(root, describeFailure(answer.failure))]
  const bot = readBot(answer.result)
  if (bot === null) return [unreachableCheck(root, "the response isn't a bot profile")]
  return [reachableCheck(root), acceptedCheck(bot), ...(await checkWebhook(client, limits)), groupCheck(bot)]
}

const reachableCheck = (root: string): ChannelCheck => ({
  id: 'server_reachable',
  title: 'The Bot API server is reachable',
  status: 'pass',
  detail: root,
})

const unreachableCheck = (root: string, why: string): ChannelCheck => ({
  id: 'server_reachable',
  title: 'The Bot API server is reachable',
  status: 'fail',
  detail: `${root}: ${why}`,
  remedy: 'Check the network, any proxy, and base_url. In some countries, Telegram is only reachable through a proxy.',
})

const rejectedCheck = (why: string): ChannelCheck => ({
  id: 'token_accepted',
  title: 'The bot token is accepted',
  status: 'fail',
  detail: why,
  remedy: 'Copy the token from BotFather again (/mybots, API Token), or create a new one there, and save it.',
  fix: { kind: 'set_up' },
})

const acceptedCheck = (bot: BotProfile): ChannelCheck => ({
  id: 'token_accepted',
  title: 'The bot token is accepted',
  status: 'pass',
  detail: `@${bot.username} (${bot.id})`,
})

const groupCheck = (bot: BotProfile): ChannelCheck => ({
  id: 'group_privacy',
  title: 'Group privacy mode',
  status: 'pass',
  detail: bot.readsGroups
    ? 'Disabled: the bot receives every message in its groups.'
    : 'Enabled: in groups, the bot receives commands, mentions, and replies to it. To change it, send /setprivacy to BotFather, then remove the bot from the group and add it again.',
})

async function checkWebhook(
  client: TelegramClient,
  limits: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<readonly ChannelCheck[]> {
  const title = 'No webhook is set'
  const answer = await client.call((api, s) => api.getWebhookInfo(s), limits)
  const info = answer.ok ? object(answer.result) : undefined
  if (info === undefined) {
    const detail = answer.ok ? "couldn't find out whether a webhook is set" : describeFailure(answer.failure)
    return [{ id: 'no_webhook', title, status: 'fail', detail, remedy: 'Try again in a minute.' }]
  }
  const url = text(info['url']) ?? ''
  if (url !== '') return [webhookSet(title, url), pendingCheck(info)]
  return [{ id: 'no_webhook', title, status: 'pass', detail: 'No webhook is set.' }, pendingCheck(info)]
}

const webhookSet = (title: string, url: string): ChannelCheck => ({
  id: 'no_webhook',
  title,
  status: 'fail',
  // Only the host: many a webhook has a secret in its path.
  detail: `A webhook is set, so messages go to ${URL.canParse(url) ? new URL(url).host : 'another server'}.`,
  remedy: 'If nothing needs the webhook anymore, call deleteWebhook with this token.',
})

function pendingCheck(info: Json): ChannelCheck {
  const count = integer(info['pending_update_count'])
  return {
    id: 'pending_updates',
    title: 'Pending updates at Telegram',
    status: 'pass',
    detail: count === undefined ? 'unknown' : String(count),
  }
}
