import type { Chat, InboundEvent } from '../../message.ts'
import type { Clock } from '../../platform-io.ts'
import { createSemaphore } from '../../semaphore.ts'
import type { DiscordClient } from './client.ts'
import { mentionsRoles } from './decode.ts'
import { objects } from '../wire/json.ts'
import { type Answer, toConnectionError } from './outcome.ts'
import { byAge, idAt, readSnowflake } from './snowflake.ts'

/** Result of reading the history. */
export interface CaughtUp {
  readonly read: number
  /** Chats whose history could not be read, or not to its end. */
  readonly unread: number
}

/** What catching up works with. */
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

/** Allows for clock differences and events in flight; duplicates are recognized by their key. */
const MARGIN_MS = 120_000
const PAGE = 100
const MAX_PAGES = 5
/** Chats that are read at the same time. */
const CONCURRENCY = 4
const ASK_MS = 15_000
const MAX_WAITS = 5

/**
 * Reads the messages of these chats since then and accepts them in the order of each chat.
 * @throws {ConnectionError} when Discord is unreachable, and what `accept` throws
 */
export async function catchUp(world: CatchUp, signal: AbortSignal): Promise<CaughtUp> {
  const semaphore = createSemaphore(CONCURRENCY)
  const failed = new AbortController()
  const stopped = AbortSignal.any([signal, failed.signal])
  const reads = world.chats.map((chat) => semaphore.run(() => readChat(world, chat, stopped), stopped))
  try {
    const isRead = await Promise.all(reads)
    const count = (value: boolean): number => isRead.filter((one) => one === value).length
    return { read: count(true), unread: count(false) }
  } finally {
    failed.abort(null)
    await Promise.allSettled(reads) // what is stored later than the end could put the position back
  }
}

/** @returns whether everything was read. */
async function readChat(world: CatchUp, chat: Chat, signal: AbortSignal): Promise<boolean> {
  if (readSnowflake(chat.id) === undefined) return true // none of Discord's: a person nobody has heard of yet
  let after = idAt(world.sinceMs - MARGIN_MS)
  for (let page = 0; page < MAX_PAGES && !signal.aborted; page++) {
    const answer = await ask(world, chat, after, signal)
    if (signal.aborted) return false
    if (!answer.ok) {
      // this chat is gone or closed to the bot; of everything else the next run will tell
      if (answer.failure.kind === 'answer' && [400, 403, 404].includes(answer.failure.status)) return false
      throw toConnectionError(answer.failure)
    }
    const messages = objects(answer.result)
      .map((message) => ({ id: readSnowflake(message['id']) ?? '', message }))
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

/** Requests one page, waiting when Discord asks to. */
async function ask({ client, clock }: CatchUp, chat: Chat, after: string, signal: AbortSignal): Promise<Answer> {
  const query = { after, limit: String(PAGE) }
  const call = { method: 'GET', path: `/channels/${chat.id}/messages`, query } as const
  for (let waits = 0; ; waits++) {
    const answer = await client.call(call, { signal, timeoutMs: ASK_MS })
    if (answer.ok || answer.failure.kind !== 'limited' || waits >= MAX_WAITS || signal.aborted) return answer
    await clock.sleep(answer.failure.retryAfterMs, signal)
  }
}
