import { type FailureValues, toFinding } from '../../doctor/findings.ts'
import type { ChannelCheck } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
import {
  fetchBot,
  fetchConnectionCount,
  fetchScopes,
  missingScopes,
  USEFUL_SCOPES,
  getBotHealth,
  type Health,
} from './bot.ts'
import { toFailureValues } from '../wire/call.ts'
import { openClient } from './client.ts'
import { consolePage, type FeishuCredentials } from './credentials.ts'
import { type FeishuFailure, isRejection, describeFailure } from './outcome.ts'

const TIMEOUT_MS = 10_000

/** Diagnoses this app. Never throws for a failing remote. */
export async function diagnoseFeishu(
  credentials: FeishuCredentials,
  io: PlatformIo,
  signal: AbortSignal,
): Promise<readonly ChannelCheck[]> {
  const client = openClient(credentials, io)
  const limits = { signal, timeoutMs: TIMEOUT_MS }
  const page = (name: string): string => consolePage(client.base, credentials.app_id, name)
  const failure = await client.checkToken(signal)
  const shape = appIdCheck(credentials)
  if (failure !== null && isRejection(failure))
    return [shape, reachableCheck(client.base), rejectedCheck(failure, page('baseinfo'))]
  if (failure !== null) return [shape, unreachableCheck(client.base, failure)]
  const health = getBotHealth(io, credentials.app_id)
  const [bot, granted, online] = await Promise.all([
    fetchBot(client, limits),
    fetchScopes(client, limits),
    fetchConnectionCount(client, limits),
  ])
  return [
    shape,
    reachableCheck(client.base),
    acceptedCheck(credentials),
    checkBot(bot, page),
    checkScopes(granted, page('auth')),
    checkConnections(online, health),
    ...(health === null ? [] : [checkHeard(health, io.clock.now())]),
  ]
}

const appIdCheck = ({ app_id }: FeishuCredentials): ChannelCheck => ({
  id: 'app_id_shape',
  title: 'App ID is valid',
  status: 'pass',
  ...toFinding('app_id_valid', { app_id: app_id.slice(0, 12) }),
})

const reachableCheck = (base: string): ChannelCheck => ({
  id: 'server_reachable',
  title: 'The Feishu API is reachable',
  status: 'pass',
  ...toFinding('server_responds', { url: base }),
})

const explain = (failure: FeishuFailure): FailureValues => toFailureValues(describeFailure(failure), failure)

const unreachableCheck = (base: string, failure: FeishuFailure): ChannelCheck => ({
  id: 'server_reachable',
  title: 'The Feishu API is reachable',
  status: 'fail',
  ...toFinding('server_unreachable', { url: base, ...explain(failure) }),
  remedy: 'Check the network, any proxy, and domain: https://open.feishu.cn, or https://open.larksuite.com for Lark.',
})

const rejectedCheck = (failure: FeishuFailure, page: string): ChannelCheck => ({
  id: 'credentials_accepted',
  title: 'App ID and App Secret are accepted',
  status: 'fail',
  ...toFinding('refused', explain(failure)),
  remedy: `Copy the App ID and App Secret from ${page} and save them. A Lark app needs the domain https://open.larksuite.com.`,
  fix: { kind: 'set_up' },
})

const acceptedCheck = ({ app_id }: FeishuCredentials): ChannelCheck => ({
  id: 'credentials_accepted',
  title: 'App ID and App Secret are accepted',
  status: 'pass',
  ...toFinding('token_issued', { app_id: app_id.slice(0, 12) }),
})

function checkBot(answer: Awaited<ReturnType<typeof fetchBot>>, page: (name: string) => string): ChannelCheck {
  const base = { id: 'bot_usable', title: 'The bot is enabled and published' } as const
  if ('failure' in answer) {
    const remedy = `Add the bot capability at ${page('bot')} and publish a version at ${page('version')}.`
    return { ...base, status: 'fail', ...toFinding('refused', explain(answer.failure)), remedy }
  }
  const { usable, name } = answer.bot
  if (usable) return { ...base, status: 'pass', ...toFinding('bot_enabled', { name }) }
  return {
    ...base,
    status: 'fail',
    ...toFinding('bot_not_enabled', { name }),
    remedy: `Publish a version at ${page('version')}.`,
  }
}

function checkScopes(granted: ReadonlySet<string> | null, page: string): ChannelCheck {
  const base = { id: 'scopes', title: 'The app has the required scopes' } as const
  const remedy = `Grant them at ${page} and publish a version.`
  if (granted === null) {
    return {
      ...base,
      status: 'warn',
      ...toFinding('scopes_unknown'),
      remedy: `Check them at ${page}.`,
    }
  }
  const missing = missingScopes(granted)
  if (missing.length > 0)
    return { ...base, status: 'fail', ...toFinding('scopes_missing', { scopes: missing }), remedy }
  const wanted = granted.has('im:message')
    ? USEFUL_SCOPES.filter(([name]) => !name.startsWith('im:message'))
    : USEFUL_SCOPES
  const lacking = wanted.filter(([name]) => !granted.has(name))
  if (lacking.length === 0) return { ...base, status: 'pass', ...toFinding('scopes_granted', { count: granted.size }) }
  const [scopes, uses] = [lacking.map(([name]) => name), lacking.map(([, use]) => use)]
  return { ...base, status: 'warn', ...toFinding('scopes_not_granted', { scopes, uses }), remedy }
}

/** A connection elsewhere is a second gateway, or another process of this service. */
function checkConnections(online: number | null, health: Health | null): ChannelCheck {
  const base = { id: 'one_connection', title: 'No other program receives the messages' } as const
  const own = health !== null
  if (online === null) {
    const remedy = 'Check for connections under Events in the developer console.'
    return { ...base, status: 'warn', ...toFinding('connections_unknown'), remedy }
  }
  if (online > 1) {
    const finding = toFinding('several_connections', { count: online })
    return { ...base, status: 'fail', ...finding, remedy: 'Stop the others, or give each its own app.' }
  }
  if (online === 0) {
    return {
      ...base,
      status: 'warn',
      ...toFinding('no_connection', { own }),
      remedy: 'Run: npx gatepost enable feishu',
      fix: { kind: own ? 'restart' : 'enable' },
    }
  }
  return { ...base, status: 'pass', ...toFinding('one_connection', { own }) }
}

function checkHeard(health: Health, nowMs: number): ChannelCheck {
  const seconds = Math.round((nowMs - health.heardAtMs) / 1_000)
  const base = { id: 'last_frame', title: 'The long connection is alive', at: health.heardAtMs } as const
  const finding = toFinding('last_frame', { seconds, every: health.pingMs / 1_000 })
  if (nowMs - health.heardAtMs < 2 * health.pingMs + 30_000) return { ...base, status: 'pass', ...finding }
  return {
    ...base,
    status: 'fail',
    ...finding,
    remedy: 'Run: npx gatepost disable feishu, then: npx gatepost enable feishu',
    fix: { kind: 'restart' },
  }
}
