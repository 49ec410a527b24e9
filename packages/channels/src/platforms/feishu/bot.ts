import type { PlatformIo } from '../../platform-io.ts'
import type { CallLimits } from '../wire/call.ts'
import { filled, integer, list, object } from '../wire/json.ts'
import { createPerBotState } from '../wire/bounded-map.ts'
import { readData, type FeishuClient } from './client.ts'
import type { FeishuFailure } from './outcome.ts'

/** The bot of an app. */
export interface BotProfile {
  readonly openId: string
  readonly name: string
  /** Enabled, and in a version that was published. */
  readonly usable: boolean
}

/** @see Feishu Open Platform, "Get bot information" */
export async function fetchBot(
  client: FeishuClient,
  limits: CallLimits,
): Promise<{ readonly bot: BotProfile } | { readonly failure: FeishuFailure }> {
  const answer = await client.call({ method: 'GET', path: '/open-apis/bot/v3/info' }, limits)
  if (!answer.ok) return { failure: answer.failure }
  const bot = object(answer.body['bot'])
  const openId = filled(bot?.['open_id'])
  if (openId === undefined) return { failure: { kind: 'foreign', status: 200, detail: 'the response has no bot' } }
  return { bot: { openId, name: filled(bot?.['app_name']) ?? '', usable: integer(bot?.['activate_status']) === 2 } }
}

/** Scopes that are needed; of a list one is enough. */
const NEEDED_SCOPES: readonly (readonly [scope: string, ...instead: string[]])[] = [
  ['im:message:send_as_bot', 'im:message'],
  ['im:message.p2p_msg:readonly', 'im:message.p2p_msg'],
  ['im:message.group_at_msg:readonly', 'im:message.group_at_msg', 'im:message.group_msg'],
]

/** Scopes without which something is missing, and what. */
export const USEFUL_SCOPES: readonly (readonly [scope: string, forWhat: string])[] = [
  ['im:message:readonly', 'quoted messages, and messages sent while this server was down'],
  ['im:message:update', 'streamed replies'],
  ['im:message.reactions:write_only', 'typing indicator'],
  ['im:resource', 'images and files'],
  ['cardkit:card:write', 'smoothly streamed replies'],
]

/** Everything that a new app is to ask for. */
export const ALL_SCOPES: readonly string[] = [
  'im:message',
  'im:message:send_as_bot',
  'im:message:readonly',
  'im:message:update',
  'im:message:recall',
  'im:message.p2p_msg:readonly',
  'im:message.group_at_msg:readonly',
  'im:message.reactions:read',
  'im:message.reactions:write_only',
  'im:resource',
  'contact:user.base:readonly',
  'contact:contact.base:readonly',
  'cardkit:card:write',
  'cardkit:card:read',
]

/** Names of the scopes that are granted; `null` when the platform does not say. */
export async function fetchScopes(client: FeishuClient, limits: CallLimits): Promise<ReadonlySet<string> | null> {
  const answer = await client.call({ method: 'GET', path: '/open-apis/application/v6/scopes' }, limits)
  const scopes = answer.ok ? readData(answer.body)['scopes'] : undefined
  if (!Array.isArray(scopes)) return null
  const granted = list(scopes).flatMap((value) => {
    const scope = object(value)
    const name = filled(scope?.['scope_name'])
    return name !== undefined && integer(scope?.['grant_status']) === 1 ? [name] : []
  })
  return new Set(granted)
}

/** The first name of each needed scope that is not granted in any way. */
export const missingScopes = (granted: ReadonlySet<string>): readonly string[] =>
  NEEDED_SCOPES.filter((names) => !names.some((name) => granted.has(name))).map(([name]) => name)

/** How many programs are connected as this app; `null` when the platform does not say. */
export async function fetchConnectionCount(client: FeishuClient, limits: CallLimits): Promise<number | null> {
  const answer = await client.call({ method: 'GET', path: '/open-apis/event/v1/connection' }, limits)
  return answer.ok ? (integer(readData(answer.body)['online_instance_cnt']) ?? null) : null
}

/** How the connection of a bot in this process is doing, for the doctor. Milliseconds since the Unix epoch. */
export interface Health {
  readonly connectedAtMs: number
  pingMs: number
  heardAtMs: number
}

const connections = createPerBotState<{ health: Health | null }>(() => ({ health: null }))

/** Records that the bot is connected. @returns a function that records the end of the connection */
export function recordConnected(io: PlatformIo, identity: string, health: Health): () => void {
  const connection = connections(io, identity)
  connection.health = health
  return () => {
    if (connection.health === health) connection.health = null
  }
}

/** `null`: not connected in this process. */
export const getBotHealth = (io: PlatformIo, identity: string): Health | null => connections(io, identity).health
