import type { Validation } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { type Application, askApplication, askBot, grantContent, readApplication, readBot } from './bot.ts'
import type { CallLimits } from '../wire/time-limit.ts'
import { type DiscordClient, openClient } from './client.ts'
import { type DiscordCredentials, discordApiUrl, discordIdentity } from './credentials.ts'
import { list, object, text } from '../wire/json.ts'
import { idOf } from './snowflake.ts'
import { isRejection, sentenceOf } from './outcome.ts'

/** Where applications and their bots are made. */
export const PORTAL_URL = 'https://discord.com/developers/applications'

/** View channels, send messages (also in threads), embed links, attach files, read the history, add reactions. */
const PERMISSIONS = '274878024768'

/** The page on which somebody puts the bot into a server. */
export const inviteUrl = (applicationId: string): string =>
  `https://discord.com/oauth2/authorize?client_id=${applicationId}&permissions=${PERMISSIONS}&scope=bot%20applications.commands`

/** How long one call of a person who waits may take. */
const TIMEOUT_MS = 10_000

/** @see Discord, "Get Current User" */
export async function validateDiscord(
  credentials: DiscordCredentials,
  io: PlatformIo,
  signal: AbortSignal,
): Promise<Validation> {
  const client = openClient(credentials.bot_token, discordApiUrl(io), io)
  const answer = await askBot(client, { signal, timeoutMs: TIMEOUT_MS })
  if (!answer.ok) {
    const words = sentenceOf(answer.failure)
    if (isRejection(answer.failure)) return { ok: false, reason: 'rejected', message: words }
    return { ok: false, reason: 'unreachable', message: `Discord could not be asked: ${words}.` }
  }
  const bot = readBot(answer.result)
  if (bot === null) return { ok: false, reason: 'unreachable', message: 'The server did not describe a bot.' }
  return { ok: true, identity: discordIdentity(credentials), name: bot.name }
}

/** A server that the bot is in. */
export interface Guild {
  readonly id: string
  readonly name: string
}

/** @see Discord, "Get Current User Guilds" */
export const readGuilds = (result: unknown): readonly Guild[] =>
  list(result).flatMap((value) => {
    const guild = object(value)
    const id = idOf(guild?.['id'])
    return id === undefined ? [] : [{ id, name: text(guild?.['name'])?.slice(0, 256) ?? '' }]
  })

const WATCH_EVERY_MS = 3_000
const WATCH_FOR_MS = 600_000

/** Waits until the bot is in a server; `null`: it is in none after ten minutes, or `signal` aborted. */
export async function watchGuilds(
  credentials: DiscordCredentials,
  io: PlatformIo,
  signal: AbortSignal,
): Promise<{ readonly first: Guild; readonly total: number } | null> {
  const client = openClient(credentials.bot_token, discordApiUrl(io), io)
  const untilMs = io.clock.now() + WATCH_FOR_MS
  while (!signal.aborted && io.clock.now() < untilMs) {
    const answer = await client.call({ method: 'GET', path: '/users/@me/guilds' }, { signal, timeoutMs: TIMEOUT_MS })
    if (!answer.ok && isRejection(answer.failure)) return null
    const guilds = answer.ok ? readGuilds(answer.result) : []
    const [first] = guilds
    if (first !== undefined) return { first, total: guilds.length }
    const limited = !answer.ok && answer.failure.kind === 'limited' ? answer.failure.retryAfterMs : 0
    const leftMs = untilMs - io.clock.now()
    await io.clock.sleep(Math.min(Math.max(WATCH_EVERY_MS, limited), leftMs), signal)
  }
  return null
}

/** What a set-up learns about the application of a bot. */
export interface PreparedApplication {
  /** As the invitation needs it. */
  readonly id: string
  /** Whether the message content intent is on, now or already before; `null`: Discord did not say. */
  readonly hasContent: boolean | null
}

/** Finds the application of a bot and switches its message content intent on where that works without the portal. */
export async function prepareApplication(
  credentials: DiscordCredentials,
  io: PlatformIo,
  signal: AbortSignal,
): Promise<PreparedApplication> {
  const client = openClient(credentials.bot_token, discordApiUrl(io), io)
  const limits = { signal, timeoutMs: TIMEOUT_MS }
  const answer = await askApplication(client, limits)
  const application = answer.ok ? readApplication(answer.result) : null
  if (application === null) return { id: discordIdentity(credentials), hasContent: null }
  const hasContent = application.hasContent || (await isGranted(client, application, limits))
  return { id: application.id, hasContent }
}

async function isGranted(client: DiscordClient, application: Application, limits: CallLimits): Promise<boolean> {
  const answer = await grantContent(client, application, limits)
  return answer.ok && readApplication(answer.result)?.hasContent === true
}
