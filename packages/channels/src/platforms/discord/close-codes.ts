import { ConnectionError } from '../../errors.ts'
import { rejectedToken } from './outcome.ts'

/** How the socket of a session ended, and what follows. */
export type Ending =
  /** Connect again. `isLost`: the session cannot be resumed. */
  | { readonly next: 'again'; readonly isLost: boolean; readonly why: string }
  /** Once more without the intent that somebody must switch on. */
  | { readonly next: 'without_content' }
  | { readonly next: 'fail'; readonly error: ConnectionError }

const WRONG_TOKEN = 4004
const DISALLOWED_INTENTS = 4014

const FATAL: ReadonlyMap<number, string> = new Map([
  [4010, 'it does not accept the shard'],
  [4011, 'the bot is in too many servers for one connection'],
  [4012, 'it does not speak this version of the interface any more'],
  [4013, 'it does not know the intents that were asked for'],
])

/** Not authenticated, already authenticated, wrong sequence, timed out: a new session is needed. */
const LOST: ReadonlySet<number> = new Set([4003, 4005, 4007, 4009])

/**
 * @param code            Close code of the socket.
 * @param askedForContent The message content intent was among those asked for.
 * @param networkError    What the socket said before it closed, if it failed by itself.
 * @see Discord, "Opcodes and Status Codes", gateway close event codes
 */
export function readEnding(code: number, askedForContent: boolean, networkError: string | null): Ending {
  if (code === WRONG_TOKEN) return { next: 'fail', error: rejectedToken('Authentication failed (4004)') }
  if (code === DISALLOWED_INTENTS) {
    return askedForContent
      ? { next: 'without_content' }
      : failed(`the intents of this bot are refused. ${SWITCH}`, code)
  }
  const fatal = FATAL.get(code)
  if (fatal !== undefined) return failed(fatal, code)
  return { next: 'again', isLost: LOST.has(code), why: networkError ?? `the connection was closed (${code})` }
}

const failed = (why: string, code: number): Ending => ({
  next: 'fail',
  error: new ConnectionError('configuration', `Discord ended the connection (${code}): ${why}`),
})

const SWITCH =
  'In the developer portal (https://discord.com/developers/applications) open the application, then Bot, and switch MESSAGE CONTENT INTENT on.'

/** What the operator reads while the bot works without that intent. */
export const WITHOUT_CONTENT = `The bot reads private messages and messages that mention it, but not plain replies in servers. ${SWITCH}`
