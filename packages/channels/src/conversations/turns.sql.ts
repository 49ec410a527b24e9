import { sql, type Transaction } from 'kysely'
import type { BotHandle } from '../storage/bot-handle.ts'
import { cleanText } from '../storage/storable.ts'
import type { ChannelTables } from '../storage/schema.ts'

type Tx = Transaction<ChannelTables>
/** A row of the message table. */
export type MessageRow = ChannelTables['message']
/** A row of the turn table. */
export type TurnRow = ChannelTables['turn']
/** A row of the conversation table. */
export type ConversationRow = ChannelTables['conversation']

/** A literal, not a parameter: only then can the databases use the partial index. */
const WAITING = sql<boolean>`state = 'received'`

/** The pending messages of one conversation. */
export interface Pending {
  readonly conversation: ConversationRow
  /** A turn that has shown something or failed before; its messages are fixed. */
  readonly turn: TurnRow | null
  /** Oldest first, never empty. */
  readonly messages: readonly MessageRow[]
}

/** Returns the bot's conversations with unanswered messages. */
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

/** Returns the pending messages of a conversation, or `null`. @param limit Most messages of one turn. */
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

/** The columns of messages and turns that an assistant receives: whole rows would take twice the time every turn. */
const MESSAGE_COLUMNS = ['position', 'user_id', 'user_name', 'text', 'quoted', 'files_json', 'sent_at_ms'] as const
const TURN_COLUMNS = ['last_position', 'answer', 'updated_at_ms'] as const

/** The columns of a message that an assistant receives. */
export type TurnMessageRow = Pick<MessageRow, (typeof MESSAGE_COLUMNS)[number]>

/** Earlier messages and replies, oldest first. */
export interface History {
  readonly messages: readonly TurnMessageRow[]
  readonly turns: readonly Pick<TurnRow, (typeof TURN_COLUMNS)[number]>[]
}

/** Returns up to `limit` messages and `limit` replies before `position`. */
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
    .select(MESSAGE_COLUMNS)
    .where('conversation_id', '=', conversationId)
    .where('position', '<', position)
    .where('state', '=', 'answered')
    .orderBy('position', 'desc')
    .limit(limit)
    .execute()
  const turns = await db
    .selectFrom('turn')
    .select(TURN_COLUMNS)
    .where('conversation_id', '=', conversationId)
    .where('last_position', '<', position)
    .where('state', '=', 'answered')
    .orderBy('last_position', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return { messages: messages.toReversed(), turns: turns.toReversed() }
}

/** Inserts or updates a turn. */
export async function saveTurn(tx: Tx, turn: TurnRow): Promise<void> {
  const { id: _, ...changing } = turn
  await tx
    .insertInto('turn')
    .values(turn)
    .onConflict((c) => c.column('id').doUpdateSet(changing))
    .execute()
}

/** Adds a notification to the history, so that the assistant knows it when the user replies. */
export async function recordSent(
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
 * Marks the messages of a turn as done.
 * @throws {RangeError} when they are already done: a turn must not be answered twice.
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

/** Returns whether the end of this turn has been stored. */
export async function isClosed(tx: Tx, turnId: string): Promise<boolean> {
  const row = await tx.selectFrom('turn').select('state').where('id', '=', turnId).executeTakeFirst()
  return row !== undefined && row.state !== 'open'
}

/** Stores the files of a message. */
export async function saveFiles(handle: BotHandle, messageId: string, filesJson: string): Promise<void> {
  await handle.write((tx) =>
    tx.updateTable('message').set({ files_json: filesJson }).where('id', '=', messageId).execute(),
  )
}
