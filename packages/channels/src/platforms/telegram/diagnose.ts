import { type FailureValues, type Finding, toFinding } from '../../doctor/findings.ts'
import type { ChannelCheck } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { readBot, openClient, type BotProfile, type TelegramClient } from './client.ts'
import { type TelegramCredentials, telegramBaseUrl } from './credentials.ts'
import { integer, type Json, object, text } from '../wire/json.ts'
import { toFailureValues } from '../wire/call.ts'
import { isRejection, describeFailure, type TelegramFailure } from './outcome.ts'

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
  if (!answer.ok && isRejection(answer.failure)) return [reachableCheck(root), rejectedCheck(answer.failure)]
  if (!answer.ok) return [unreachableCheck(toFinding('server_unreachable', { url: root, ...explain(answer.failure) }))]
  const bot = readBot(answer.result)
  if (bot === null) return [unreachableCheck(toFinding('unknown_response', { url: root }))]
  return [reachableCheck(root), acceptedCheck(bot), ...(await checkWebhook(client, limits)), groupCheck(bot)]
}

const reachableCheck = (root: string): ChannelCheck => ({
  id: 'server_reachable',
  title: 'The Bot API server is reachable',
  status: 'pass',
  ...toFinding('server_responds', { url: root }),
})

const explain = (failure: TelegramFailure): FailureValues => toFailureValues(describeFailure(failure), failure)

const unreachableCheck = (finding: Finding): ChannelCheck => ({
  id: 'server_reachable',
  title: 'The Bot API server is reachable',
  status: 'fail',
  ...finding,
  remedy: 'Check the network, any proxy, and base_url. In some countries, Telegram is only reachable through a proxy.',
})

const rejectedCheck = (failure: TelegramFailure): ChannelCheck => ({
  id: 'token_accepted',
  title: 'The bot token is accepted',
  status: 'fail',
  ...toFinding('refused', explain(failure)),
  remedy: 'Copy the token from BotFather again (/mybots, API Token), or create a new one there, and save it.',
  fix: { kind: 'set_up' },
})

const acceptedCheck = (bot: BotProfile): ChannelCheck => ({
  id: 'token_accepted',
  title: 'The bot token is accepted',
  status: 'pass',
  ...toFinding('bot_accepted', { name: `@${bot.username}`, id: String(bot.id) }),
})

const groupCheck = (bot: BotProfile): ChannelCheck => ({
  id: 'group_privacy',
  title: 'Group privacy mode',
  status: 'pass',
  ...toFinding(bot.readsGroups ? 'privacy_disabled' : 'privacy_enabled'),
})

async function checkWebhook(
  client: TelegramClient,
  limits: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<readonly ChannelCheck[]> {
  const title = 'No webhook is set'
  const answer = await client.call((api, s) => api.getWebhookInfo(s), limits)
  const info = answer.ok ? object(answer.result) : undefined
  if (info === undefined) {
    const finding = answer.ok ? toFinding('webhook_unknown') : toFinding('refused', explain(answer.failure))
    return [{ id: 'no_webhook', title, status: 'fail', ...finding, remedy: 'Try again in a minute.' }]
  }
  const url = text(info['url']) ?? ''
  if (url !== '') return [webhookSet(title, url), pendingCheck(info)]
  return [{ id: 'no_webhook', title, status: 'pass', ...toFinding('no_webhook') }, pendingCheck(info)]
}

const webhookSet = (title: string, url: string): ChannelCheck => ({
  id: 'no_webhook',
  title,
  status: 'fail',
  // Only the host: many a webhook has a secret in its path.
  ...toFinding('webhook_set', { host: URL.parse(url)?.host ?? null }),
  remedy: 'If nothing needs the webhook anymore, call deleteWebhook with this token.',
})

function pendingCheck(info: Json): ChannelCheck {
  return {
    id: 'pending_updates',
    title: 'Pending updates at Telegram',
    status: 'pass',
    ...toFinding('updates_pending', { count: integer(info['pending_update_count']) ?? null }),
  }
}
