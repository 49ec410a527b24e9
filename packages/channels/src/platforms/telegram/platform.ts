import type { PlatformIo } from '../../platform-io.ts'
import type { Platform, Validation } from '../../platform.ts'
import { pasteGuide } from '../../setup/paste.ts'
import { openClient, readBot } from './client.ts'
import { connectTelegram } from './connection.ts'
import {
  describeTelegram,
  telegramBaseUrl,
  telegramCredentials,
  type TelegramCredentials,
  telegramIdentity,
} from './credentials.ts'
import { diagnoseTelegram } from './diagnose.ts'
import { telegramDialect } from './dialect.ts'
import { telegramLimits } from './limits.ts'
import { isRejection, describeFailure } from './outcome.ts'
import { findCustomServer } from '../wire/urls.ts'

const VALIDATE_MS = 10_000

/** @see Telegram, "Bots: an introduction", BotFather */
const telegramSetups = [
  pasteGuide({
    title: 'Paste a bot token',
    url: 'https://t.me/BotFather',
    instructions: [
      'Open https://t.me/BotFather in Telegram and send /newbot.',
      'Choose a display name, then a username that ends in "bot".',
      'Copy the token from BotFather\'s reply. If you already have a bot, send /mybots, choose it, then "API Token".',
    ],
    fields: [{ name: 'bot_token', label: 'the bot token', secret: true }],
  }),
]

/** @see Telegram Bot API, https://core.telegram.org/bots/api */
export const telegram: Platform<TelegramCredentials> = {
  id: 'telegram',
  label: 'Telegram',
  limits: telegramLimits,
  dialect: telegramDialect,
  credentials: telegramCredentials,
  answersSomeOnly: true,
  identity: telegramIdentity,
  customServer: ({ base_url }, io) =>
    findCustomServer(base_url, { configured: telegramBaseUrl(null, io), domains: ['telegram.org'] }),
  describe: describeTelegram,
  validate,
  connect: connectTelegram,
  diagnose: diagnoseTelegram,
  setups: telegramSetups,
}

async function validate(credentials: TelegramCredentials, io: PlatformIo, signal: AbortSignal): Promise<Validation> {
  const client = openClient(credentials.bot_token, telegramBaseUrl(credentials, io), io)
  const answer = await client.call((api, s) => api.getMe(s), { signal, timeoutMs: VALIDATE_MS })
  if (!answer.ok) {
    const reason = isRejection(answer.failure) ? 'rejected' : 'unreachable'
    const words = describeFailure(answer.failure)
    return { ok: false, reason, message: reason === 'rejected' ? words : `Couldn't reach Telegram: ${words}.` }
  }
  const bot = readBot(answer.result)
  if (bot === null)
    return { ok: false, reason: 'unreachable', message: "The server didn't return a bot profile. Check base_url." }
  return { ok: true, identity: telegramIdentity(credentials), name: `@${bot.username}` }
}
