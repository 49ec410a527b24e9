import { z } from 'zod'
import type { CredentialSchema } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { baseUrl } from '../wire/urls.ts'

/** Credentials of a Telegram bot. */
export interface TelegramCredentials {
  readonly bot_token: string
  /** Another Bot API server than Telegram's, without a trailing slash. */
  readonly base_url?: string
  /** Stored and shown for those who have it in their settings; all but `none` are rendered through HTML. */
  readonly parse_mode: 'Markdown' | 'MarkdownV2' | 'HTML' | 'none'
}

/** @see Telegram, "Bots: an introduction", the token given by BotFather: bot id, colon, secret. */
const TOKEN = /^\d+:[\w-]{30,}$/

/** Schema of Telegram credentials. */
export const telegramCredentials: CredentialSchema<TelegramCredentials> = {
  schema: z.strictObject({
    bot_token: z
      .string()
      .trim()
      .max(200)
      .regex(TOKEN, { error: 'bot_token must look like 123456789:AA… (digits, a colon, at least 30 characters).' }),
    base_url: z.exactOptional(baseUrl()),
    parse_mode: z.enum(['Markdown', 'MarkdownV2', 'HTML', 'none']).default('Markdown'),
  }),
  secrets: ['bot_token'],
  bound: ['base_url'],
}

/** The bot's user id: what stands before the colon of its token. */
export const telegramIdentity = (credentials: TelegramCredentials): string =>
  credentials.bot_token.slice(0, credentials.bot_token.indexOf(':'))

/** Where this bot's requests go, without a trailing slash. */
export const telegramBaseUrl = (credentials: TelegramCredentials | null, io: Pick<PlatformIo, 'host'>): string =>
  credentials?.base_url ?? io.host('GATEPOST_TELEGRAM_API_URL', 'https://api.telegram.org')

/** Returns the platform's own fields of a channel entry. */
export const describeTelegram = (
  credentials: TelegramCredentials | null,
  io: Pick<PlatformIo, 'host'>,
): Readonly<Record<string, unknown>> => ({
  has_token: credentials !== null,
  base_url: telegramBaseUrl(credentials, io),
  parse_mode: credentials?.parse_mode ?? 'Markdown',
})
