import type { ChannelCheck } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
import {
  askApplication,
  askBot,
  askGateway,
  readApplication,
  readBot,
  readGateway,
  inviteUrl,
  PORTAL_URL,
  readGuilds,
  type Application,
  type BotProfile,
} from './bot.ts'
import type { CallLimits } from '../wire/call.ts'
import { type DiscordClient, openClient } from './client.ts'
import { type DiscordCredentials, discordApiUrl, discordIdentity } from './credentials.ts'
import { healthOf } from './world.ts'
import { isRejection, sentenceOf } from './outcome.ts'

const TIMEOUT_MS = 10_000
/** Fewer new sessions left than this: something begins them over and over. */
const FEW_SESSIONS = 50
/** Two heartbeats of about 41 seconds. */
const SILENT_MS = 90_000

/** Asks Discord what can be wrong with this bot. Never throws for a failing remote. */
export async function diagnoseDiscord(
  credentials: DiscordCredentials,
  io: PlatformIo,
  signal: AbortSignal,
): Promise<readonly ChannelCheck[]> {
  const apiUrl = discordApiUrl(io)
  const client = openClient(credentials.bot_token, apiUrl, io)
  const limits = { signal, timeoutMs: TIMEOUT_MS }
  const answer = await askBot(client, limits)
  if (!answer.ok && isRejection(answer.failure)) return [reachable(apiUrl), rejected(sentenceOf(answer.failure))]
  if (!answer.ok) return [unreachable(apiUrl, sentenceOf(answer.failure))]
  const bot = readBot(answer.result)
  if (bot === null) return [unreachable(apiUrl, 'the answer does not describe a bot')]
  const asked = await askApplication(client, limits)
  const application = asked.ok ? readApplication(asked.result) : null
  return [
    reachable(apiUrl),
    accepted(bot),
    content(application),
    await sessions(client, limits),
    await guilds(client, application?.id ?? bot.id, limits),
    ...socket(credentials, io),
  ]
}

const REACHABLE = { id: 'server_reachable', title: 'Discord answers' } as const
const reachable = (url: string): ChannelCheck => ({ ...REACHABLE, status: 'pass', detail: url })
const unreachable = (url: string, why: string): ChannelCheck => ({
  ...REACHABLE,
  status: 'fail',
  detail: `${url}: ${why}`,
  remedy: 'Check the network, a proxy in between and GATEPOST_DISCORD_API_URL.',
})

const ACCEPTED = { id: 'token_accepted', title: 'The bot token is accepted' } as const
const accepted = ({ id, name }: BotProfile): ChannelCheck => ({
  ...ACCEPTED,
  status: 'pass',
  detail: `${name} (${id})`,
})
const rejected = (why: string): ChannelCheck => ({
  ...ACCEPTED,
  status: 'fail',
  detail: why,
  remedy: `Make a new token (${PORTAL_URL}, the application, Bot, Reset Token) and save it: npx gatepost setup discord`,
  fix: { kind: 'set_up' },
})

function content(application: Application | null): ChannelCheck {
  const about = { id: 'message_content', title: 'The bot may read what people write' } as const
  if (application?.hasContent === true) {
    return { ...about, status: 'pass', detail: 'The message content intent is on.' }
  }
  const detail =
    application === null
      ? 'Discord did not say whether the message content intent is on.'
      : 'The message content intent is off: in servers the bot reads only messages that mention it. Private messages are read.'
  const page = `${PORTAL_URL}${application === null ? '' : `/${application.id}/bot`}`
  return { ...about, status: 'warn', detail, remedy: `Switch MESSAGE CONTENT INTENT on: ${page}` }
}

async function sessions(client: DiscordClient, limits: CallLimits): Promise<ChannelCheck> {
  const about = { id: 'session_budget', title: 'New sessions may be begun' } as const
  const answer = await askGateway(client, limits)
  const gateway = answer.ok ? readGateway(answer.result) : null
  if (gateway === null) {
    const detail = answer.ok ? 'Discord named no gateway.' : sentenceOf(answer.failure)
    return { ...about, status: 'fail', detail, remedy: 'Try again in a minute.' }
  }
  const detail = `${gateway.sessionsLeft} are left for today.`
  if (gateway.sessionsLeft > FEW_SESSIONS) return { ...about, status: 'pass', detail }
  return {
    ...about,
    status: gateway.sessionsLeft > 0 ? 'warn' : 'fail',
    detail,
    remedy:
      'Look for another process with this token that connects over and over, and stop it. The budget renews itself within a day.',
  }
}

async function guilds(client: DiscordClient, applicationId: string, limits: CallLimits): Promise<ChannelCheck> {
  const about = { id: 'in_server', title: 'The bot is in a server' } as const
  const answer = await client.call({ method: 'GET', path: '/users/@me/guilds' }, limits)
  const found = answer.ok ? readGuilds(answer.result) : []
  const remedy = `Invite it: ${inviteUrl(applicationId)}`
  const fix = { kind: 'invite' } as const
  if (!answer.ok) return { ...about, status: 'warn', detail: sentenceOf(answer.failure), remedy, fix }
  if (found.length > 0) return { ...about, status: 'pass', detail: `In ${found.length}: ${found[0]?.name ?? ''}` }
  const detail = 'In none: nobody can write to it in a server, and privately only who knows it from one.'
  return { ...about, status: 'warn', detail, remedy, fix }
}

/** What this process knows of its own connection; nothing when another one holds it, or none. */
function socket(credentials: DiscordCredentials, io: PlatformIo): readonly ChannelCheck[] {
  const about = { id: 'gateway_alive', title: 'The connection to the gateway lives' } as const
  const { isReady, heardAtMs, lastClose } = healthOf(io, discordIdentity(credentials))
  if (heardAtMs === 0) return []
  const closed = lastClose === null ? '' : ` The one before was closed with ${lastClose}.`
  const quietMs = io.clock.now() - heardAtMs
  if (isReady && quietMs < SILENT_MS) {
    const detail = `Last heard ${Math.round(quietMs / 1_000)} s ago.${closed}`
    return [{ ...about, status: 'pass', detail, at: heardAtMs }]
  }
  const detail = isReady ? `Nothing was heard for ${Math.round(quietMs / 1_000)} s.` : 'It is not connected now.'
  const remedy =
    'It connects again by itself. If it does not: npx gatepost disable discord, then npx gatepost enable discord'
  return [{ ...about, status: 'warn', detail: `${detail}${closed}`, at: heardAtMs, remedy, fix: { kind: 'restart' } }]
}
