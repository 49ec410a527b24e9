import type { ChannelCheck } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { askBot, askOnline, askScopes, missingScopes, USEFUL_SCOPES, healthOf, type Health } from './bot.ts'
import { openClient } from './client.ts'
import { consolePage, type FeishuCredentials } from './credentials.ts'
import { type FeishuFailure, isRejection, sentenceOf } from './outcome.ts'

const TIMEOUT_MS = 10_000

/** Asks Feishu what can be wrong with this app. Never throws for a failing remote. */
export async function diagnoseFeishu(
  credentials: FeishuCredentials,
  io: PlatformIo,
  signal: AbortSignal,
): Promise<readonly ChannelCheck[]> {
  const client = openClient(credentials, io)
  const limits = { signal, timeoutMs: TIMEOUT_MS }
  const page = (name: string): string => consolePage(client.base, credentials.app_id, name)
  const failure = await client.checkToken(signal)
  const shape = appIdShape(credentials)
  if (failure !== null && isRejection(failure))
    return [shape, reachable(client.base), rejected(failure, page('baseinfo'))]
  if (failure !== null) return [shape, unreachable(client.base, failure)]
  const health = healthOf(io, credentials.app_id)
  const [bot, granted, online] = await Promise.all([
    askBot(client, limits),
    askScopes(client, limits),
    askOnline(client, limits),
  ])
  return [
    shape,
    reachable(client.base),
    accepted(credentials),
    botUsable(bot, page),
    scopes(granted, page('auth')),
    connections(online, health),
    ...(health === null ? [] : [heard(health, io.clock.now())]),
  ]
}

const appIdShape = ({ app_id }: FeishuCredentials): ChannelCheck => ({
  id: 'app_id_shape',
  title: 'The app id has the right form',
  status: 'pass',
  detail: `${app_id.slice(0, 12)}…: cli_ and 16 hexadecimal digits.`,
})

const reachable = (base: string): ChannelCheck => ({
  id: 'server_reachable',
  title: 'The open API answers',
  status: 'pass',
  detail: base,
})

const unreachable = (base: string, failure: FeishuFailure): ChannelCheck => ({
  id: 'server_reachable',
  title: 'The open API answers',
  status: 'fail',
  detail: `${base}: ${sentenceOf(failure)}`,
  remedy:
    'Check the network, a proxy in between, and domain: https://open.feishu.cn, or https://open.larksuite.com for Lark.',
})

const rejected = (failure: FeishuFailure, page: string): ChannelCheck => ({
  id: 'credentials_accepted',
  title: 'The app id and its secret are accepted',
  status: 'fail',
  detail: sentenceOf(failure),
  remedy: `Copy App ID and App Secret from ${page} and save them; an app of Lark needs the domain https://open.larksuite.com.`,
  fix: { kind: 'set_up' },
})

const accepted = ({ app_id }: FeishuCredentials): ChannelCheck => ({
  id: 'credentials_accepted',
  title: 'The app id and its secret are accepted',
  status: 'pass',
  detail: `A token was issued for ${app_id.slice(0, 12)}….`,
})

function botUsable(answer: Awaited<ReturnType<typeof askBot>>, page: (name: string) => string): ChannelCheck {
  const base = { id: 'bot_usable', title: 'The bot is enabled and published' } as const
  if ('failure' in answer) {
    const remedy = `Add the bot ability at ${page('bot')} and publish a version at ${page('version')}.`
    return { ...base, status: 'fail', detail: sentenceOf(answer.failure), remedy }
  }
  if (answer.bot.usable) return { ...base, status: 'pass', detail: answer.bot.name }
  const detail = `${answer.bot.name} is not enabled, or no version with it was published.`
  return { ...base, status: 'fail', detail, remedy: `Publish a version at ${page('version')}.` }
}

function scopes(granted: ReadonlySet<string> | null, page: string): ChannelCheck {
  const base = { id: 'scopes', title: 'The app has the scopes that it needs' } as const
  const remedy = `Grant them at ${page} and publish a version.`
  if (granted === null) {
    return {
      ...base,
      status: 'warn',
      detail: 'Feishu does not say which scopes are granted.',
      remedy: `Look at ${page}.`,
    }
  }
  const missing = missingScopes(granted)
  if (missing.length > 0) return { ...base, status: 'fail', detail: `Missing: ${missing.join(', ')}.`, remedy }
  const wanted = granted.has('im:message')
    ? USEFUL_SCOPES.filter(([name]) => !name.startsWith('im:message'))
    : USEFUL_SCOPES
  const lacking = wanted.filter(([name]) => !granted.has(name)).map(([name, forWhat]) => `${name} (${forWhat})`)
  if (lacking.length > 0) return { ...base, status: 'warn', detail: `Not granted: ${lacking.join('; ')}.`, remedy }
  return { ...base, status: 'pass', detail: `${granted.size} scopes are granted.` }
}

/** A connection elsewhere is a second gateway, or another process of this service. */
function connections(online: number | null, health: Health | null): ChannelCheck {
  const base = { id: 'one_connection', title: 'Messages come to this service alone' } as const
  const own = health === null ? 0 : 1
  if (online === null) {
    const remedy = 'See in the developer console under Events whether something is connected.'
    return { ...base, status: 'warn', detail: 'Feishu does not say how many programs are connected.', remedy }
  }
  if (online > 1) {
    const detail = `${online} programs are connected as this app: each message goes to only one of them.`
    return { ...base, status: 'fail', detail, remedy: 'Stop the others, or give them an app of their own.' }
  }
  if (online === 0) {
    const detail = own === 1 ? 'Feishu does not know of the connection.' : 'No program is connected as this app.'
    return {
      ...base,
      status: 'warn',
      detail,
      remedy: 'Run: npx gatepost enable feishu',
      fix: { kind: own === 1 ? 'restart' : 'enable' },
    }
  }
  const where = own === 1 ? 'from this process' : 'from another process'
  return { ...base, status: 'pass', detail: `One program is connected, ${where}.` }
}

function heard(health: Health, nowMs: number): ChannelCheck {
  const seconds = Math.round((nowMs - health.heardAtMs) / 1_000)
  const base = { id: 'last_frame', title: 'The long connection is alive', at: health.heardAtMs } as const
  const detail = `Last heard ${seconds} s ago; a ping is due every ${health.pingMs / 1_000} s.`
  if (nowMs - health.heardAtMs < 2 * health.pingMs + 30_000) return { ...base, status: 'pass', detail }
  return {
    ...base,
    status: 'fail',
    detail,
    remedy: 'Run: npx gatepost disable feishu, then: npx gatepost enable feishu',
    fix: { kind: 'restart' },
  }
}
