import { z } from 'zod'
import type { CredentialSchema } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'

/** Credentials of a Discord bot. */
export interface DiscordCredentials {
  readonly bot_token: string
}

/** @see Discord, "Authentication": base64url of the bot's user id, a time and a signature */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/

const WRONG =
  'bot_token must be the token from the "Bot" page of the developer portal: three parts separated by dots. The client secret and the public key don\'t work here.'

/** A pasted `Bot ` and blanks around it are left out. */
const tidyToken = (pasted: string): string => pasted.trim().replace(/^Bot\s+/i, '')

/** Schema of Discord credentials. */
export const discordCredentials: CredentialSchema<DiscordCredentials> = {
  schema: z.strictObject({
    bot_token: z
      .string()
      .max(300, { error: WRONG })
      .transform(tidyToken)
      .refine((token) => TOKEN.test(token) && decodeUserId(token) !== null, { error: WRONG }),
  }),
  secrets: ['bot_token'],
  bound: [],
}

/** The bot's user id. */
export const discordIdentity = (credentials: DiscordCredentials): string => decodeUserId(credentials.bot_token) ?? ''

function decodeUserId(token: string): string | null {
  const id = Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString('latin1')
  return /^\d{1,20}$/.test(id) ? id : null
}

/** Base URL of the REST interface, without a version and a trailing slash. */
export const discordApiUrl = (io: Pick<PlatformIo, 'host'>): string =>
  io.host('GATEPOST_DISCORD_API_URL', 'https://discord.com/api')

/** Returns the platform's own fields of a channel entry. */
export const describeDiscord = (credentials: DiscordCredentials | null): Readonly<Record<string, unknown>> => ({
  has_token: credentials !== null,
})
