import type { Chat, InboundEvent } from '../../message.ts'
import type { Clock } from '../../platform-io.ts'
import type { DiscordClient } from './client.ts'
import { mentionsRoles } from './decode.ts'
import { objects } from '../wire/json.ts'
import { type Answer, connectionErrorOf } from './outcome.ts'
import { byAge, idAt, idOf } from './snowflake.ts'

/** What reading the history came to. */
export interface CaughtUp {
  readonly read: number
  /** Chats whose history could not be read, or not to its end. */
  readonly unread: number
}

export interface CatchUp {
  readonly client: DiscordClient
  readonly clock: Clock
  readonly chats: readonly Chat[]
  readonly sinceMs: number
  /** Reads one message of a chat. @param role Of the bot there. */
  readonly decode: (message: unknown, kind: Chat['kind'], role: string | null) => InboundEvent | null
  /** The role that Discord made for the bot in the server of this channel. */
  readonly roleAt: (channelId: string, signal: AbortSignal) => Promise<string | null>
  /** Stores them. @throws when that fails */
  readonly accept: (events: readonly InboundEvent[]) => Promise<void>
}

/** Clocks differ, and an event may be on its way for a while. Whatever comes twice is known by its key. */
const MARGIN_MS = 120_000
const PAGE = 100
const MOST_PAGES = 5
/** Chats that are read at the same time. */
const LANES = 4
const ASK_MS = 15_000
const MOST_WAITS = 5

/**
 * Reads what was said in these chats since, and hands it over in the order of each chat.
 * @throws {ConnectionError} when Discord cannot be asked, and what `accept` throws
 */
export async function catchUp(world: CatchUp, signal: AbortSignal): Promise<CaughtUp> {
  const waiting = [...world.chats]
  const failed = new AbortController()
  const stopped = AbortSignal.any([signal, failed.signal])
  let read = 0
  let unread = 0
  const lane = async (): Promise<void> => {
    for (let chat = waiting.shift(); chat !== undefined && !stopped.aborted; chat = waiting.shift()) {
      if (await readChat(world, chat, stopped)) read += 1
      else unread += 1
    }
  }
  const lanes = Array.from({ length: LANES }, lane)
  try {
    await Promise.all(lanes)
  } finally {
    failed.abort(null)
    await Promise.allSettled(lanes) // what is stored later than the end could put the position back
  }
  return { read, unread }
}

/** @returns whether everything was read. */
async function readChat(world: CatchUp, chat: Chat, signal: AbortSignal): Promise<boolean> {
  if (idOf(chat.id) === undefined) return true // none of Discord's: a person nobody has heard of yet
  let after = idAt(world.sinceMs - MARGIN_MS)
  for (let page = 0; page < MOST_PAGES && !signal.aborted; page++) {
    const answer = await ask(world, chat, after, signal)
    if (signal.aborted) return false
    if (!answer.ok) {
      // this chat is gone or closed to the bot; of everything else the next run will tell
      if (answer.failure.kind === 'answer' && [400, 403, 404].includes(answer.failure.status)) return false
      throw connectionErrorOf(answer.failure)
    }
    const messages = objects(answer.result)
      .map((message) => ({ id: idOf(message['id']) ?? '', message }))
      .toSorted((a, b) => byAge(a.id, b.id))
    const isAsked = chat.kind === 'group' && messages.some(({ message }) => mentionsRoles(message))
    const role = isAsked ? await world.roleAt(chat.id, signal) : null
    const events = messages.flatMap(({ message }) => world.decode(message, chat.kind, role) ?? [])
    if (events.length > 0) await world.accept(events)
    const last = messages.at(-1)?.id
    if (messages.length < PAGE || last === undefined || last === '') return true
    after = last
  }
  return false
}

/** One page; waits where Discord asks to wait. */
async function ask({ client, clock }: CatchUp, chat: Chat, after: string, signal: AbortSignal): Promise<Answer> {
  const query = { after, limit: String(PAGE) }
  const call = { method: 'GET', path: `/channels/${chat.id}/messages`, query } as const
  for (let waits = 0; ; waits++) {
    const answer = await client.call(call, { signal, timeoutMs: ASK_MS })
    if (answer.ok || answer.failure.kind !== 'limited' || waits >= MOST_WAITS || signal.aborted) return answer
    await clock.sleep(answer.failure.retryAfterMs, signal)
  }
}
