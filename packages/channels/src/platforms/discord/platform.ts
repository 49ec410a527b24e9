import type { Platform } from '../../platform.ts'
import { connectDiscord } from './connection.ts'
import { describeDiscord, type DiscordCredentials, discordCredentials, discordIdentity } from './credentials.ts'
import { diagnoseDiscord } from './diagnose.ts'
import { discordDialect } from './dialect.ts'
import { discordLimits } from './limits.ts'
import { validateDiscord } from './bot.ts'
import { discordInvite, discordPortal } from './setup.ts'

/** @see Discord Developer Documentation, API version 10 */
export const discord = {
  id: 'discord',
  label: 'Discord',
  limits: discordLimits,
  dialect: discordDialect,
  credentials: discordCredentials,
  answersSomeOnly: true,
  identity: discordIdentity,
  describe: describeDiscord,
  validate: validateDiscord,
  setups: [discordPortal, discordInvite],
  connect: connectDiscord,
  diagnose: diagnoseDiscord,
} satisfies Platform<DiscordCredentials>
