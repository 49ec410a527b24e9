import { ConnectionError } from '../../errors.ts'
import type { PlatformIo } from '../../platform-io.ts'
import type { Inbox } from '../../connection.ts'
import { readBot, type BotProfile, type TelegramClient } from './client.ts'
import { type Decoded, decodeUpdate } from './decode.ts'
import type { SeenIds } from './find-sent.ts'
import { list } from '../wire/json.ts'
import { toConnectionError, describeFailure } from './outcome.ts'

/** Telegram holds a poll this long, in seconds; the server's maximum is 50. */
const HOLD_SECONDS = 25
/** Of one poll; a full one means that more may wait. */
const MAX_UPDATES = 100
/** An HTTP request may take this much longer than the hold. */
const GRACE_MS = 10_000
/**
 * After a week without updates the next id is random, perhaps below the offset. Today's server leaves such an offset
 * out by itself, but nothing promises it. So an offset older than this is not sent: what it confirmed is gone anyway,
 * as Telegram keeps updates for 24 hours. @see Bot API, `Update.update_id`
 */
const OFFSET_LIFE_MS = 6 * 24 * 3_600_000
/** An empty answer that came sooner than this was not held; without a pause the loop would spin. */
const HELD_AT_LEAST_MS = 1_000

const ALLOWED_UPDATES = ['message', 'edited_message', 'callback_query', 'my_chat_member'] as const

/** The offset of the next poll and when the update before it arrived. */
export interface Position {
  readonly offset: number
  readonly atMs: number
}

/** `<offset>@<ms since the epoch>`; `null` for anything else. */
export function readCursor(cursor: string | null): Position | null {
  const match = /^(\d{1,16})@(\d{1,16})$/.exec(cursor ?? '')
  const position = { offset: Number(match?.[1]), atMs: Number(match?.[2]) }
  return Number.isSafeInteger(position.offset) && Number.isSafeInteger(position.atMs) ? position : null
}

/** Serializes a position. */
export const writeCursor = ({ offset, atMs }: Position): string => `${offset}@${atMs}`

/**
 * Receives until `signal` aborts. An update is confirmed by the offset of the poll after the one that brought it, so
 * only once the inbox has stored it.
 * @throws {ConnectionError} and what `inbox` throws.
 */
export async function poll(
  client: TelegramClient,
  seen: SeenIds,
  io: PlatformIo,
  inbox: Inbox,
  signal: AbortSignal,
): Promise<void> {
  const bot = await fetchProfile(client, signal)
  if (bot) inbox.named(`@${bot.username}`)
  const stored = await inbox.cursor()
  let position = readCursor(stored)
  if (stored !== null && position === null) io.log.warn('Ignoring an unreadable Telegram cursor')
  let holdSeconds = 0 // the first answer comes at once and shows that the channel works
  while (!signal.aborted && bot !== null) {
    const askedAtMs = io.clock.now()
    const offset = position !== null && askedAtMs - position.atMs < OFFSET_LIFE_MS ? position.offset : null
    const updates = await getUpdates(client, offset, holdSeconds, signal)
    if (updates === null) return
    inbox.alive()
    if (updates.length > 0) {
      const decoded = updates.map((update) => decodeUpdate(update, bot, io.clock.now()))
      position = { offset: offsetAfter(decoded, offset), atMs: io.clock.now() }
      await storeUpdates(decoded, writeCursor(position), { client, seen, io, inbox, signal })
    } else if (holdSeconds > 0 && io.clock.now() - askedAtMs < HELD_AT_LEAST_MS) {
      await io.clock.sleep(HELD_AT_LEAST_MS, signal)
    }
    if (updates.length < MAX_UPDATES) seen.caughtUp()
    holdSeconds = HOLD_SECONDS
  }
}

/** `null` when stopped. */
async function fetchProfile(client: TelegramClient, signal: AbortSignal): Promise<BotProfile | null> {
  const answer = await client.call((api, s) => api.getMe(s), { signal, timeoutMs: GRACE_MS })
  if (signal.aborted) return null
  if (!answer.ok) throw toConnectionError(answer.failure)
  const bot = readBot(answer.result)
  if (bot === null) throw new ConnectionError('network', "The server didn't return a bot profile. Check base_url.")
  return bot
}

/** `null` when stopped. */
async function getUpdates(
  client: TelegramClient,
  offset: number | null,
  holdSeconds: number,
  signal: AbortSignal,
): Promise<readonly unknown[] | null> {
  const body = {
    limit: MAX_UPDATES,
    timeout: holdSeconds,
    allowed_updates: ALLOWED_UPDATES,
    ...(offset === null ? {} : { offset }),
  }
  const limits = { signal, timeoutMs: holdSeconds * 1_000 + GRACE_MS }
  const answer = await client.call((api, s) => api.getUpdates(body, s), limits)
  if (signal.aborted) return null
  if (!answer.ok) throw toConnectionError(answer.failure)
  if (!Array.isArray(answer.result)) throw new ConnectionError('network', 'The server returned no list of updates.')
  return list(answer.result)
}

/** @throws {ConnectionError} when the poll after this one would bring the same updates again, for ever. */
function offsetAfter(decoded: readonly Decoded[], offset: number | null): number {
  const last = decoded.reduce((highest, { updateId }) => Math.max(highest, updateId ?? -1), -1)
  if (last >= 0 && last + 1 !== offset) return last + 1
  throw new ConnectionError('network', "The server returns updates that can't be confirmed.")
}

async function storeUpdates(
  decoded: readonly Decoded[],
  cursor: string,
  to: { client: TelegramClient; seen: SeenIds; io: PlatformIo; inbox: Inbox; signal: AbortSignal },
): Promise<void> {
  for (const { seen } of decoded) if (seen !== undefined) to.seen.see(seen.chatId, seen.messageId)
  const malformed = decoded.filter((update) => update.malformed !== undefined)
  if (malformed.length > 0) {
    const first = malformed.slice(0, 5).map(({ updateId, malformed }) => ({ update_id: updateId, at: malformed }))
    to.io.log.warn('Dropped malformed Telegram updates', {
      count: malformed.length,
      first,
    })
  }
  await to.inbox.accept(
    decoded.flatMap(({ event }) => (event === undefined ? [] : [event])),
    cursor,
  )
  for (const { callbackQueryId } of decoded) {
    if (callbackQueryId !== undefined) void answerCallbackQuery(to.client, callbackQueryId, to.io, to.signal)
  }
}

/** Answers the query, which ends the button's loading animation. Nothing depends on it; an old query is refused. */
async function answerCallbackQuery(
  client: TelegramClient,
  id: string,
  io: PlatformIo,
  signal: AbortSignal,
): Promise<void> {
  const limits = { signal, timeoutMs: GRACE_MS }
  const answer = await client.call((api, s) => api.answerCallbackQuery({ callback_query_id: id }, s), limits)
  if (!answer.ok) io.log.debug("Couldn't answer a Telegram callback query", { why: describeFailure(answer.failure) })
}
