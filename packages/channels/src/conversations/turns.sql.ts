import { sql, type Transaction } from 'kysely'
import type { BotHandle } from '../storage/bot-handle.ts'
import { cleanText } from '../storage/storable.ts'
import type { ChannelTables } from '../storage/schema.ts'

type Tx = Transaction<ChannelTables>
export type MessageRow = ChannelTables['message']
export type TurnRow = ChannelTables['turn']
export type ConversationRow = ChannelTables['conversation']

/** Written out, not bound: only then do the databases see that the partial index serves. */
const WAITING = sql<boolean>`state = 'received'`

/** What is to be answered in one conversation. */
export interface Pending {
  readonly conversation: ConversationRow
  /** A turn that has begun visibly or has failed before; its messages are fixed. */
  readonly turn: TurnRow | null
  /** Oldest first, never empty. */
  readonly messages: readonly MessageRow[]
}

/** Conversations of the bot that wait for an answer. */
export async function waitingConversations(handle: BotHandle): Promise<readonly string[]> {
  const rows = await handle.database.db
    .selectFrom('message')
    .select('conversation_id')
    .distinct()
    .where('bot', '=', handle.bot)
    .where(WAITING)
    .execute()
  return rows.map((row) => row.conversation_id)
}

/** @param limit Most messages of one turn. */
export async function readPending(handle: BotHandle, conversationId: string, limit: number): Promise<Pending | null> {
  const { db } = handle.database
  const messages = await db
    .selectFrom('message')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .where('bot', '=', handle.bot)
    .where(WAITING)
    .orderBy('position')
    .limit(limit)
    .execute()
  const first = messages[0]
  if (!first) return null
  const conversation = await db
    .selectFrom('conversation')
    .selectAll()
    .where('id', '=', conversationId)
    .executeTakeFirstOrThrow()
  const turn = await db
    .selectFrom('turn')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .where('last_position', '>=', first.position)
    .where('state', '=', 'open')
    .executeTakeFirst()
  if (!turn) return { conversation, turn: null, messages }
  return { conversation, turn, messages: messages.filter((message) => message.position <= turn.last_position) }
}

/** Of a message and of a turn, what an assistant is shown: whole rows would cost twice the time at every turn. */
const SAID = ['position', 'user_id', 'user_name', 'text', 'quoted', 'files_json', 'sent_at_ms'] as const
const ANSWERED = ['last_position', 'answer', 'updated_at_ms'] as const

export type SaidRow = Pick<MessageRow, (typeof SAID)[number]>

/** What was said before, oldest first. */
export interface History {
  readonly messages: readonly SaidRow[]
  readonly turns: readonly Pick<TurnRow, (typeof ANSWERED)[number]>[]
}

/** What was said before `position`: at most `limit` messages and `limit` answers. */
export async function readHistory(
  handle: BotHandle,
  conversationId: string,
  position: number,
  limit: number,
): Promise<History> {
  if (limit === 0 || position === 1) return { messages: [], turns: [] }
  const { db } = handle.database
  const messages = await db
    .selectFrom('message')
    .select(SAID)
    .where('conversation_id', '=', conversationId)
    .where('position', '<', position)
    .where('state', '=', 'answered')
    .orderBy('position', 'desc')
    .limit(limit)
    .execute()
  const turns = await db
    .selectFrom('turn')
    .select(ANSWERED)
    .where('conversation_id', '=', conversationId)
    .where('last_position', '<', position)
    .where('state', '=', 'answered')
    .orderBy('last_position', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return { messages: messages.toReversed(), turns: turns.toReversed() }
}

/** Stores a new turn, or what has changed of a stored one. */
export async function saveTurn(tx: Tx, turn: TurnRow): Promise<void> {
  const { id: _, ...changing } = turn
  await tx
    .insertInto('turn')
    .values(turn)
    .onConflict((c) => c.column('id').doUpdateSet(changing))
    .execute()
}

/** What was said without being asked, kept in the history: the assistant must know it when the person answers. */
export async function recordSaid(
  tx: Tx,
  id: string,
  conversation: ConversationRow,
  markdown: string,
  nowMs: number,
): Promise<void> {
  await saveTurn(tx, {
    id,
    conversation_id: conversation.id,
    bot: conversation.bot,
    first_position: conversation.last_position,
    last_position: conversation.last_position,
    state: 'answered',
    attempts: 0,
    next_attempt_at_ms: nowMs,
    error: null,
    answer: cleanText(markdown),
    updated_at_ms: nowMs,
  })
}

/**
 * The messages of a turn are dealt with.
 * @throws {RangeError} when they have been dealt with before: the turn must not be answered a second time.
 */
export async function closeMessages(
  tx: Tx,
  turn: Pick<TurnRow, 'id' | 'conversation_id' | 'first_position' | 'last_position'>,
  state: 'answered' | 'failed',
  reason: string | null,
): Promise<void> {
  const closed = await tx
    .updateTable('message')
    .set({ state, reason, turn_id: turn.id })
    .where('conversation_id', '=', turn.conversation_id)
    .where('position', '>=', turn.first_position)
    .where('position', '<=', turn.last_position)
    .where('state', '=', 'received')
    .executeTakeFirst()
  if (closed.numUpdatedRows === 0n) throw new RangeError('this turn has been answered already')
}

/** Whether the end of this turn has been stored. */
export async function isClosed(tx: Tx, turnId: string): Promise<boolean> {
  const row = await tx.selectFrom('turn').select('state').where('id', '=', turnId).executeTakeFirst()
  return row !== undefined && row.state !== 'open'
}

export async function saveFiles(handle: BotHandle, messageId: string, filesJson: string): Promise<void> {
  await handle.write((tx) =>
    tx.updateTable('message').set({ files_json: filesJson }).where('id', '=', messageId).execute(),
  )
}
