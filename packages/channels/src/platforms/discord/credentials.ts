import { z } from 'zod'
import type { CredentialSchema } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'

export interface DiscordCredentials {
  readonly bot_token: string
}

/** @see Discord, "Authentication": base64url of the bot's user id, a time and a signature */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/

const WRONG =
  'bot_token must be the token of the page “Bot” in the developer portal: three parts with dots in between. The client secret and the public key are something else.'

/** A pasted `Bot ` and blanks around it are left out. */
const tidyToken = (pasted: string): string => pasted.trim().replace(/^Bot\s+/i, '')

export const discordCredentials: CredentialSchema<DiscordCredentials> = {
  schema: z.strictObject({
    bot_token: z
      .string()
      .max(300, { error: WRONG })
      .transform(tidyToken)
      .refine((token) => TOKEN.test(token) && userIdIn(token) !== null, { error: WRONG }),
  }),
  secrets: ['bot_token'],
  bound: [],
}

/** The bot's user id. */
export const discordIdentity = (credentials: DiscordCredentials): string => userIdIn(credentials.bot_token) ?? ''

function userIdIn(token: string): string | null {
  const id = Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString('latin1')
  return /^\d{1,20}$/.test(id) ? id : null
}

/** Base URL of the REST interface, without a version and a trailing slash. */
export const discordApiUrl = (io: Pick<PlatformIo, 'host'>): string =>
  io.host('GATEPOST_DISCORD_API_URL', 'https://discord.com/api')

export const describeDiscord = (credentials: DiscordCredentials | null): Readonly<Record<string, unknown>> => ({
  has_token: credentials !== null,
})
