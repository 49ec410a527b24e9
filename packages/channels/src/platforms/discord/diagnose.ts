import { type FailureValues, type Finding, toFinding } from '../../doctor/findings.ts'
import type { ChannelCheck } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
import {
  fetchApplication,
  fetchBot,
  fetchGateway,
  readApplication,
  readBot,
  readGateway,
  inviteUrl,
  PORTAL_URL,
  readGuilds,
  type Application,
  type BotProfile,
} from './bot.ts'
import { type CallLimits, toFailureValues } from '../wire/call.ts'
import { type DiscordClient, openClient } from './client.ts'
import { type DiscordCredentials, discordApiUrl, discordIdentity } from './credentials.ts'
import { getBotHealth } from './world.ts'
import { type DiscordFailure, isRejection, describeFailure } from './outcome.ts'

const TIMEOUT_MS = 10_000
/** Fewer sessions left than this: something keeps starting new ones. */
const FEW_SESSIONS = 50
/** Two heartbeats of about 41 seconds. */
const SILENT_MS = 90_000

/** Diagnoses this bot. Never throws for a failing remote. */
export async function diagnoseDiscord(
  credentials: DiscordCredentials,
  io: PlatformIo,
  signal: AbortSignal,
): Promise<readonly ChannelCheck[]> {
  const apiUrl = discordApiUrl(io)
  const client = openClient(credentials.bot_token, apiUrl, io)
  const limits = { signal, timeoutMs: TIMEOUT_MS }
  const answer = await fetchBot(client, limits)
  if (!answer.ok && isRejection(answer.failure)) return [reachableCheck(apiUrl), rejectedCheck(answer.failure)]
  if (!answer.ok)
    return [unreachableCheck(toFinding('server_unreachable', { url: apiUrl, ...explain(answer.failure) }))]
  const bot = readBot(answer.result)
  if (bot === null) return [unreachableCheck(toFinding('unknown_response', { url: apiUrl }))]
  const asked = await fetchApplication(client, limits)
  const application = asked.ok ? readApplication(asked.result) : null
  return [
    reachableCheck(apiUrl),
    acceptedCheck(bot),
    checkContentIntent(application),
    await checkSessions(client, limits),
    await checkGuilds(client, application?.id ?? bot.id, limits),
    ...checkSocket(credentials, io),
  ]
}

const REACHABLE = { id: 'server_reachable', title: 'Discord is reachable' } as const
const reachableCheck = (url: string): ChannelCheck => ({
  ...REACHABLE,
  status: 'pass',
  ...toFinding('server_responds', { url }),
})
const explain = (failure: DiscordFailure): FailureValues => toFailureValues(describeFailure(failure), failure)
const unreachableCheck = (finding: Finding): ChannelCheck => ({
  ...REACHABLE,
  status: 'fail',
  ...finding,
  remedy: 'Check the network, any proxy, and GATEPOST_DISCORD_API_URL.',
})

const ACCEPTED = { id: 'token_accepted', title: 'The bot token is accepted' } as const
const acceptedCheck = ({ id, name }: BotProfile): ChannelCheck => ({
  ...ACCEPTED,
  status: 'pass',
  ...toFinding('bot_accepted', { name, id }),
})
const rejectedCheck = (failure: DiscordFailure): ChannelCheck => ({
  ...ACCEPTED,
  status: 'fail',
  ...toFinding('refused', explain(failure)),
  remedy: `Create a new token (${PORTAL_URL}: the application, Bot, Reset Token) and run: npx gatepost setup discord`,
  fix: { kind: 'set_up' },
})

function checkContentIntent(application: Application | null): ChannelCheck {
  const about = { id: 'message_content', title: 'Message content intent is enabled' } as const
  if (application?.hasContent === true) {
    return { ...about, status: 'pass', ...toFinding('content_enabled') }
  }
  const finding = toFinding(application === null ? 'content_unknown' : 'content_disabled')
  const page = `${PORTAL_URL}${application === null ? '' : `/${application.id}/bot`}`
  return { ...about, status: 'warn', ...finding, remedy: `Enable MESSAGE CONTENT INTENT: ${page}` }
}

async function checkSessions(client: DiscordClient, limits: CallLimits): Promise<ChannelCheck> {
  const about = { id: 'session_budget', title: 'New sessions are available' } as const
  const answer = await fetchGateway(client, limits)
  const gateway = answer.ok ? readGateway(answer.result) : null
  if (gateway === null) {
    const finding = answer.ok ? toFinding('no_gateway') : toFinding('refused', explain(answer.failure))
    return { ...about, status: 'fail', ...finding, remedy: 'Try again in a minute.' }
  }
  const finding = toFinding('sessions_left', { count: gateway.sessionsLeft })
  if (gateway.sessionsLeft > FEW_SESSIONS) return { ...about, status: 'pass', ...finding }
  return {
    ...about,
    status: gateway.sessionsLeft > 0 ? 'warn' : 'fail',
    ...finding,
    remedy: 'Find and stop any other process that keeps connecting with this token. The limit resets within a day.',
  }
}

async function checkGuilds(client: DiscordClient, applicationId: string, limits: CallLimits): Promise<ChannelCheck> {
  const about = { id: 'in_server', title: 'The bot is in a server' } as const
  const answer = await client.call({ method: 'GET', path: '/users/@me/guilds' }, limits)
  const found = answer.ok ? readGuilds(answer.result) : []
  const remedy = `Invite it: ${inviteUrl(applicationId)}`
  const fix = { kind: 'invite' } as const
  if (!answer.ok) return { ...about, status: 'warn', ...toFinding('refused', explain(answer.failure)), remedy, fix }
  const [first] = found
  if (first) return { ...about, status: 'pass', ...toFinding('in_servers', { count: found.length, name: first.name }) }
  return { ...about, status: 'warn', ...toFinding('in_no_server'), remedy, fix }
}

/** Checks this process's connection; no check when another process holds it or there is none. */
function checkSocket(credentials: DiscordCredentials, io: PlatformIo): readonly ChannelCheck[] {
  const about = { id: 'gateway_alive', title: 'Gateway connection is alive' } as const
  const { isReady, heardAtMs, lastClose } = getBotHealth(io, discordIdentity(credentials))
  if (heardAtMs === 0) return []
  const quietMs = io.clock.now() - heardAtMs
  const values = { seconds: Math.round(quietMs / 1_000), close_code: lastClose }
  if (isReady && quietMs < SILENT_MS) {
    return [{ ...about, status: 'pass', ...toFinding('gateway_heard', values), at: heardAtMs }]
  }
  const finding = isReady ? toFinding('gateway_silent', values) : toFinding('gateway_closed', values)
  const remedy =
    "It reconnects automatically. If it doesn't, run: npx gatepost disable discord, then: npx gatepost enable discord"
  return [{ ...about, status: 'warn', ...finding, at: heardAtMs, remedy, fix: { kind: 'restart' } }]
}
