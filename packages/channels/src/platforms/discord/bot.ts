import type { CallLimits } from '../wire/time-limit.ts'
import type { DiscordClient } from './client.ts'
import { integer, object, text } from '../wire/json.ts'
import { idOf } from './snowflake.ts'
import type { Answer } from './outcome.ts'

/** What Discord tells about the bot. */
export interface BotProfile {
  readonly id: string
  /** With its number, where it still has one. */
  readonly name: string
}

/** `null` when this is not the description of a bot. @see Discord, "User Object" */
export function readBot(result: unknown): BotProfile | null {
  const user = object(result)
  const id = idOf(user?.['id'])
  const username = text(user?.['username'])
  if (user?.['bot'] !== true || id === undefined || username === undefined || username === '') return null
  const number = text(user['discriminator']) ?? '0'
  return { id, name: number === '0' || number === '0000' ? username : `${username}#${number}` }
}

export const askBot = (client: DiscordClient, limits: CallLimits): Promise<Answer> =>
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
  const id = idOf(application?.['id'])
  const flags = integer(application?.['flags'])
  if (id === undefined || flags === undefined) return null
  return { id, flags, hasContent: (flags & (MESSAGE_CONTENT | MESSAGE_CONTENT_LIMITED)) !== 0 }
}

export const askApplication = (client: DiscordClient, limits: CallLimits): Promise<Answer> =>
  client.call({ method: 'GET', path: '/applications/@me' }, limits)

/** Switches the message content intent on where that can be done without the portal. */
export const grantContent = (client: DiscordClient, { flags }: Application, limits: CallLimits): Promise<Answer> => {
  const body = { flags: flags | MESSAGE_CONTENT_LIMITED }
  return client.call({ method: 'PATCH', path: '/applications/@me', body }, limits)
}

/** Where the gateway is, and how many sessions may still be begun. */
export interface Gateway {
  readonly url: string
  readonly sessionsLeft: number
  /** When all of them are free again, milliseconds from now. */
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

export const askGateway = (client: DiscordClient, limits: CallLimits): Promise<Answer> =>
  client.call({ method: 'GET', path: '/gateway/bot' }, limits)
