import type { Inbox } from '../../connection.ts'
import { toGapReason } from '../../gap-reasons.ts'
import type { Chat } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { filled, list } from '../wire/json.ts'
import { readData, type FeishuClient } from './client.ts'
import { readItem, type RawMessage } from './decode.ts'
import type { Intake } from './intake.ts'
import { type FeishuFailure, describeFailure } from './outcome.ts'

/** Chats whose history is read, the liveliest first: each costs a call of a monthly quota. */
const CHATS = 50
const PAGE = 50
/** Of one chat. */
const MAX_PAGES = 20
const PAGE_MS = 15_000
/** `lastHeardMs` is up to a minute early; what was missed for less than a quarter of one comes again by itself. */
const WORTH_MS = 75_000
/** Clocks differ. */
const OVERLAP_MS = 60_000
/** The last time that Feishu hands a message over again. */
const REDELIVERY_MS = 6 * 3_600_000

const PENDING = /^since:(\d{1,16})$/

/**
 * Since when the history is still to be read, milliseconds since the Unix epoch; `null`: it need not be. A reading that
 * was broken off is known by the cursor.
 */
export async function findMissedSince(inbox: Inbox, nowMs: number): Promise<number | null> {
  const pending = PENDING.exec((await inbox.cursor()) ?? '')?.[1]
  if (pending !== undefined) return Number(pending)
  const heardMs = await inbox.lastHeardMs()
  return heardMs === null || nowMs - heardMs < WORTH_MS ? null : heardMs
}

/** The cursor while the history since then has not been read, also after a crash. */
export const pendingCursor = (sinceMs: number): string => `since:${sinceMs}`
/** The cursor once it has. */
export const CAUGHT_UP = 'caught up'

/**
 * Reads what was said in known chats meanwhile; what has been stored is not stored twice. What could not be read is
 * told as a gap.
 * @throws what the inbox throws.
 */
export async function catchUp(
  sinceMs: number,
  to: {
    readonly inbox: Inbox
    readonly intake: Intake
    readonly client: FeishuClient
    readonly io: PlatformIo
    readonly signal: AbortSignal
  },
): Promise<void> {
  const { inbox, intake, client, io, signal } = to
  const untilMs = io.clock.now()
  const unread: string[] = []
  for (const chat of await inbox.chats(CHATS)) {
    const history = await readHistory(client, chat, sinceMs - OVERLAP_MS, signal)
    if (signal.aborted) return
    if (history.why !== null) unread.push(history.why)
    for (const raw of history.messages) await intake.message(raw, chat)
  }
  const [why] = unread
  if (why !== undefined) {
    const redelivered = untilMs - sinceMs < REDELIVERY_MS
    inbox.gap(sinceMs, untilMs, toGapReason('history_unread', { count: unread.length, words: why, redelivered }))
  } else if (untilMs - sinceMs > REDELIVERY_MS) {
    inbox.gap(sinceMs, untilMs - REDELIVERY_MS, toGapReason('new_users_missed'))
  }
}

interface History {
  /** The oldest first. */
  readonly messages: readonly RawMessage[]
  /** Why not all of it could be read. */
  readonly why: string | null
}

/** The newest first, as threads can only be read so, until what is older than `sinceMs`. */
async function readHistory(client: FeishuClient, chat: Chat, sinceMs: number, signal: AbortSignal): Promise<History> {
  const found: RawMessage[] = []
  const done = (why: string | null): History => ({ messages: found.toReversed(), why })
  let pageToken: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = toHistoryQuery(chat, sinceMs, pageToken)
    const call = { method: 'GET', path: '/open-apis/im/v1/messages', query } as const
    const answer = await client.call(call, { signal, timeoutMs: PAGE_MS })
    if (!answer.ok) return done(describeReadFailure(answer.failure))
    const data = readData(answer.body)
    const items = list(data['items']).map(readItem)
    for (const raw of items) if (raw !== null && raw.sentAtMs >= sinceMs) found.push(raw)
    const reachedEnd = items.some((raw) => raw !== null && raw.sentAtMs < sinceMs)
    pageToken = filled(data['page_token'])
    if (data['has_more'] !== true || pageToken === undefined || reachedEnd) return done(null)
  }
  return done('too many messages')
}

/** A thread takes no times. @see Feishu Open Platform, "Get chat history" */
function toHistoryQuery(chat: Chat, sinceMs: number, pageToken: string | undefined): Readonly<Record<string, string>> {
  const container =
    chat.threadId === undefined
      ? { container_id_type: 'chat', container_id: chat.id, start_time: String(Math.floor(sinceMs / 1_000)) }
      : { container_id_type: 'thread', container_id: chat.threadId }
  const rest = { sort_type: 'ByCreateTimeDesc', page_size: String(PAGE) }
  return { ...container, ...rest, ...(pageToken === undefined ? {} : { page_token: pageToken }) }
}

const describeReadFailure = (failure: FeishuFailure): string =>
  describeFailure(failure)
    .replace(/[.\s]+$/, '')
    .slice(0, 300)
