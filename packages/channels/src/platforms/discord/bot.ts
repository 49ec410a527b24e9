import type { PlatformIo } from '../../platform-io.ts'
import type { Validation } from '../../platform.ts'
import type { CallLimits } from '../wire/call.ts'
import { integer, list, object, text } from '../wire/json.ts'
import { type DiscordClient, openClient } from './client.ts'
import { discordApiUrl, type DiscordCredentials, discordIdentity } from './credentials.ts'
import { type Answer, isRejection, describeFailure } from './outcome.ts'
import { readSnowflake } from './snowflake.ts'

/** A bot's profile on Discord. */
export interface BotProfile {
  readonly id: string
  /** With its discriminator, if it has one. */
  readonly name: string
}

/** `null` when this is not the description of a bot. @see Discord, "User Object" */
export function readBot(result: unknown): BotProfile | null {
  const user = object(result)
  const id = readSnowflake(user?.['id'])
  const username = text(user?.['username'])
  if (user?.['bot'] !== true || id === undefined || username === undefined || username === '') return null
  const number = text(user['discriminator']) ?? '0'
  return { id, name: number === '0' || number === '0000' ? username : `${username}#${number}` }
}

/** Requests the bot's profile. @see Discord, "Get Current User" */
export const fetchBot = (client: DiscordClient, limits: CallLimits): Promise<Answer> =>
  client.call({ method: 'GET', path: '/users/@me' }, limits)

/** The application behind the bot. */
export interface Application {
  readonly id: string
  readonly flags: number
  /** Whether the bot may read messages that do not mention it. */
  readonly hasContent: boolean
}

const MESSAGE_CONTENT = 1 << 18
/** For bots in fewer than 100 servers. */
const MESSAGE_CONTENT_LIMITED = 1 << 19

/** `null` when this is not the description of an application. @see Discord, "Application Object" */
export function readApplication(result: unknown): Application | null {
  const application = object(result)
  const id = readSnowflake(application?.['id'])
  const flags = integer(application?.['flags'])
  if (id === undefined || flags === undefined) return null
  return { id, flags, hasContent: (flags & (MESSAGE_CONTENT | MESSAGE_CONTENT_LIMITED)) !== 0 }
}

/** Requests the bot's application. @see Discord, "Get Current Application" */
export const fetchApplication = (client: DiscordClient, limits: CallLimits): Promise<Answer> =>
  client.call({ method: 'GET', path: '/applications/@me' }, limits)

/** Enables the message content intent where that is possible without the portal. */
const requestContentIntent = (client: DiscordClient, { flags }: Application, limits: CallLimits): Promise<Answer> => {
  const body = { flags: flags | MESSAGE_CONTENT_LIMITED }
  return client.call({ method: 'PATCH', path: '/applications/@me', body }, limits)
}

/** The gateway URL, and how many sessions can still be started. */
export interface Gateway {
  readonly url: string
  readonly sessionsLeft: number
  /** When the limit resets, milliseconds from now. */
  readonly resetAfterMs: number
}

/** `null` when the answer does not name a gateway. @see Discord, "Get Gateway Bot" */
export function readGateway(result: unknown): Gateway | null {
  const url = text(object(result)?.['url'])
  if (url === undefined) return null
  const limit = object(object(result)?.['session_start_limit'])
  return {
    url,
    sessionsLeft: integer(limit?.['remaining']) ?? 1,
    resetAfterMs: Math.min(Math.max(integer(limit?.['reset_after']) ?? 0, 0), 86_400_000),
  }
}

/** Requests the gateway URL and the session limit. @see Discord, "Get Gateway Bot" */
export const fetchGateway = (client: DiscordClient, limits: CallLimits): Promise<Answer> =>
  client.call({ method: 'GET', path: '/gateway/bot' }, limits)

/** Page where applications and bots are created. */
export const PORTAL_URL = 'https://discord.com/developers/applications'

/** View channels, send messages (also in threads), embed links, attach files, read the history, add reactions. */
const PERMISSIONS = '274878024768'

/** Returns the URL of the invitation that adds the bot to a server. */
export const inviteUrl = (applicationId: string): string =>
  `https://discord.com/oauth2/authorize?client_id=${applicationId}&permissions=${PERMISSIONS}&scope=bot%20applications.commands`

/** Timeout of a call that a user waits for. */
const TIMEOUT_MS = 10_000

/** @see Discord, "Get Current User" */
export async function validateDiscord(
  credentials: DiscordCredentials,
  io: PlatformIo,
  signal: AbortSignal,
): Promise<Validation> {
  const client = openClient(credentials.bot_token, discordApiUrl(io), io)
  const answer = await fetchBot(client, { signal, timeoutMs: TIMEOUT_MS })
  if (!answer.ok) {
    const words = describeFailure(answer.failure)
    if (isRejection(answer.failure)) return { ok: false, reason: 'rejected', message: words }
    return { ok: false, reason: 'unreachable', message: `Couldn't reach Discord: ${words}.` }
  }
  const bot = readBot(answer.result)
  if (bot === null) return { ok: false, reason: 'unreachable', message: "The server didn't return a bot profile." }
  return { ok: true, identity: discordIdentity(credentials), name: bot.name }
}

/** A server that the bot is in. */
interface Guild {
  readonly id: string
  readonly name: string
}

/** @see Discord, "Get Current User Guilds" */
export const readGuilds = (result: unknown): readonly Guild[] =>
  list(result).flatMap((value) => {
    const guild = object(value)
    const id = readSnowflake(guild?.['id'])
    return id === undefined ? [] : [{ id, name: text(guild?.['name'])?.slice(0, 256) ?? '' }]
  })

const WATCH_EVERY_MS = 3_000
const WATCH_FOR_MS = 600_000

/** Waits until the bot is in a server; `null`: it is in none after ten minutes, or `signal` aborted. */
export async function waitForGuild(
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
    const withTimeLimit = !answer.ok && answer.failure.kind === 'limited' ? answer.failure.retryAfterMs : 0
    const leftMs = untilMs - io.clock.now()
    await io.clock.sleep(Math.min(Math.max(WATCH_EVERY_MS, withTimeLimit), leftMs), signal)
  }
  return null
}

/** A bot's application, as a setup needs it. */
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
  const answer = await fetchApplication(client, limits)
  const application = answer.ok ? readApplication(answer.result) : null
  if (application === null) return { id: discordIdentity(credentials), hasContent: null }
  const hasContent = application.hasContent || (await enableContentIntent(client, application, limits))
  return { id: application.id, hasContent }
}

async function enableContentIntent(
  client: DiscordClient,
  application: Application,
  limits: CallLimits,
): Promise<boolean> {
  const answer = await requestContentIntent(client, application, limits)
  return answer.ok && readApplication(answer.result)?.hasContent === true
}
