import { integer, object, text } from '../wire/json.ts'

/** What `getMe` tells about the bot. */
export interface BotProfile {
  readonly id: number
  /** Without `@`. */
  readonly username: string
  /** Whether privacy mode is off, so that the bot sees every message of its groups. */
  readonly readsGroups: boolean
}

/** `null` when this is not the description of a bot. @see Bot API, `getMe` and `User` */
export function readBot(result: unknown): BotProfile | null {
  const user = object(result)
  const id = integer(user?.['id'])
  const username = text(user?.['username'])
  if (user?.['is_bot'] !== true || id === undefined || username === undefined || username === '') return null
  return { id, username, readsGroups: user['can_read_all_group_messages'] === true }
}
