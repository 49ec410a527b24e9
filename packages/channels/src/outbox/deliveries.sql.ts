import type { Database } from '@gatepost/sql'
import { expressionBuilder, type SelectQueryBuilder, sql, type Transaction } from 'kysely'
import type { BotHandle } from '../storage/bot-handle.ts'
import type { KnownMessage } from '../connection.ts'
import type { ChannelTables } from '../storage/schema.ts'

type Tx = Transaction<ChannelTables>
/** A row of the delivery table. */
export type DeliveryRow = ChannelTables['delivery']

/** A literal, not a parameter: only then can the databases use the partial index. */
const WAITING = sql<boolean>`state in ('queued', 'sending')`
const DEAD = sql<boolean>`dead = 1`

/** Inserts deliveries. @param rows Of one chat. */
export async function insertDeliveries(tx: Tx, rows: readonly DeliveryRow[]): Promise<void> {
  const [first] = rows
  if (!first) return
  await tx
    .insertInto('delivery')
    .values([...rows])
    .execute()
  if (first.conversation_id === null) return
  await tx
    .updateTable('conversation')
    .set({ updated_at_ms: first.created_at_ms })
    .where('id', '=', first.conversation_id)
    .where('updated_at_ms', '<', first.created_at_ms)
    .execute()
}

/** Returns the next deliveries of one chat, in the order in which they must be shown. */
export async function listNextDeliveries(
  handle: BotHandle,
  chatId: string,
  limit: number,
): Promise<readonly DeliveryRow[]> {
  return handle.database.db
    .selectFrom('delivery')
    .selectAll()
    .where('bot', '=', handle.bot)
    .where('chat_id', '=', chatId)
    .where(WAITING)
    .orderBy('sequence')
    .orderBy('part')
    .limit(limit)
    .execute()
}

/** Returns the bot's chats with pending deliveries. */
export async function waitingChats(handle: BotHandle): Promise<readonly string[]> {
  const rows = await handle.database.db
    .selectFrom('delivery')
    .select('chat_id')
    .distinct()
    .where('bot', '=', handle.bot)
    .where(WAITING)
    .execute()
  return rows.map((row) => row.chat_id)
}

const MAX_KNOWN = 20_000
/** Maximum clock difference between two processes. */
const CLOCK_SKEW_MS = 60_000

/**
 * Returns the bot's messages in both directions that were stored since shortly before this time. The bot is compared in
 * a way that no index supports, so that the databases use the time index: few are recent, but most may be of this bot.
 */
export async function listKnownMessages(handle: BotHandle, sinceMs: number): Promise<readonly KnownMessage[]> {
  const { db } = handle.database
  const received = await db
    .selectFrom('message')
    .innerJoin('conversation', 'conversation.id', 'message.conversation_id')
    .select(['conversation.chat_id', 'message.platform_message_id'])
    .where(sql`message.bot || ''`, '=', handle.bot)
    .where('message.received_at_ms', '>=', sinceMs - CLOCK_SKEW_MS)
    .orderBy('message.received_at_ms')
    .limit(MAX_KNOWN)
    .execute()
  const sent = await db
    .selectFrom('delivery')
    .select(['chat_id', 'platform_message_id'])
    .where(sql`bot || ''`, '=', handle.bot)
    .where('updated_at_ms', '>=', sinceMs - CLOCK_SKEW_MS)
    .where('platform_message_id', 'is not', null)
    .orderBy('updated_at_ms')
    .limit(MAX_KNOWN)
    .execute()
  return [...received, ...sent].flatMap(({ chat_id, platform_message_id }) =>
    platform_message_id === null ? [] : [{ chatId: chat_id, messageId: platform_message_id }],
  )
}

/** Selects turns with pending deliveries, for `in` and `not in` of another query. */
export const selectTurnsToSend = (): SelectQueryBuilder<ChannelTables, 'delivery', { turn_id: string | null }> =>
  expressionBuilder<ChannelTables>()
    .selectFrom('delivery')
    .select('turn_id')
    .where(WAITING)
    .where('turn_id', 'is not', null)

/** Records an attempt before it is made. @returns false when the delivery is no longer queued. */
export async function claim(handle: BotHandle, id: string, mark: string | null, nowMs: number): Promise<boolean> {
  return handle.write(
    async (tx) => {
      const row = await tx
        .updateTable('delivery')
        .set((eb) => ({ state: 'sending', attempts: eb('attempts', '+', 1), mark, updated_at_ms: nowMs }))
        .where('id', '=', id)
        .where('state', '=', 'queued')
        .returning('id')
        .executeTakeFirst()
      return row !== undefined
    },
    { durable: true },
  )
}

/** The columns that an attempt may change. */
export type DeliveryChange = Partial<
  Pick<
    DeliveryRow,
    | 'state'
    | 'dead'
    | 'next_attempt_at_ms'
    | 'platform_message_id'
    | 'code'
    | 'reason'
    | 'content_json'
    | 'reply_to'
    | 'chat_id'
    | 'mark'
  >
>

/** Updates a delivery and returns it. */
export async function changeDelivery(tx: Tx, id: string, change: DeliveryChange, nowMs: number): Promise<DeliveryRow> {
  return tx
    .updateTable('delivery')
    .set({ ...change, updated_at_ms: nowMs })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Requeues a delivery that was not shown; `undefined`: its outcome has been stored in the meantime. */
export async function requeueDelivery(
  tx: Tx,
  id: string,
  change: DeliveryChange,
  nowMs: number,
): Promise<DeliveryRow | undefined> {
  return tx
    .updateTable('delivery')
    .set({ ...change, state: 'queued', next_attempt_at_ms: nowMs, updated_at_ms: nowMs })
    .where('id', '=', id)
    .where('state', '=', 'sending')
    .returningAll()
    .executeTakeFirst()
}

/** Marks all queued deliveries of an unreachable chat as refused. */
export async function refuseWaiting(
  tx: Tx,
  bot: string,
  chatId: string,
  code: string,
  reason: string,
  nowMs: number,
): Promise<readonly DeliveryRow[]> {
  return tx
    .updateTable('delivery')
    .set({ state: 'refused', dead: 1, code, reason, updated_at_ms: nowMs })
    .where('bot', '=', bot)
    .where('chat_id', '=', chatId)
    .where('state', '=', 'queued')
    .returningAll()
    .execute()
}

/** Moves a chat's pending deliveries to its new id. */
export async function moveDeliveries(tx: Tx, bot: string, fromChatId: string, toChatId: string): Promise<void> {
  await tx
    .updateTable('delivery')
    .set({ chat_id: toChatId })
    .where('bot', '=', bot)
    .where('chat_id', '=', fromChatId)
    .where('state', 'in', ['queued', 'sending', 'live'])
    .execute()
}

/** Returns the bot's delivery with this id, if it exists. */
export async function findDelivery(
  database: Database<ChannelTables>,
  bot: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  return database.db.selectFrom('delivery').selectAll().where('bot', '=', bot).where('id', '=', id).executeTakeFirst()
}

/** Returns the bot's deliveries with these ids that exist, in no particular order. */
export async function findDeliveries(
  database: Database<ChannelTables>,
  bot: string,
  ids: readonly string[],
): Promise<readonly DeliveryRow[]> {
  return database.db.selectFrom('delivery').selectAll().where('bot', '=', bot).where('id', 'in', ids).execute()
}

/** Requeues a failed delivery. @returns false when it has not failed. */
export async function revive(
  database: Database<ChannelTables>,
  bot: string,
  id: string,
  nowMs: number,
): Promise<boolean> {
  const row = await database.db
    .updateTable('delivery')
    .set({
      state: 'queued',
      dead: 0,
      code: null,
      reason: null,
      next_attempt_at_ms: nowMs,
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
    })
    .where('bot', '=', bot)
    .where('id', '=', id)
    .where('dead', '=', 1)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Dismisses a failed delivery and keeps its timestamps. `undefined`: it has not failed. */
export async function dismiss(
  database: Database<ChannelTables>,
  bot: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  return database.db
    .updateTable('delivery')
    .set({ dead: 0 })
    .where('bot', '=', bot)
    .where('id', '=', id)
    .where('dead', '=', 1)
    .returningAll()
    .executeTakeFirst()
}

/** Returns deliveries, newest first; `before` is the `sequence.part` at the end of the last page. */
export async function listDeliveries(
  database: Database<ChannelTables>,
  bot: string,
  page: { readonly limit: number; readonly before: { sequence: number; part: number } | null; readonly dead: boolean },
): Promise<readonly DeliveryRow[]> {
  let query = database.db.selectFrom('delivery').selectAll().where('bot', '=', bot)
  if (page.dead) query = query.where(DEAD)
  const { before } = page
  if (before) {
    query = query.where((eb) =>
      eb.or([
        eb('sequence', '<', before.sequence),
        eb.and([eb('sequence', '=', before.sequence), eb('part', '<', before.part)]),
      ]),
    )
  }
  return query.orderBy('sequence', 'desc').orderBy('part', 'desc').limit(page.limit).execute()
}

/** Counts the pending deliveries of these bots. */
export async function countWaiting(database: Database<ChannelTables>, bots: readonly string[]): Promise<number> {
  if (bots.length === 0) return 0
  const row = await database.db
    .selectFrom('delivery')
    .select((eb) => eb.fn.countAll().as('n'))
    .where('bot', 'in', bots)
    .where(WAITING)
    .executeTakeFirstOrThrow()
  return Number(row.n)
}

/** Counts queued and failed deliveries, and returns when the last one was delivered. */
export async function countDeliveries(
  database: Database<ChannelTables>,
  bot: string,
): Promise<{ queued: number; dead: number; lastDeliveredAtMs: number | null }> {
  const { db } = database
  const waiting = await db
    // grouped by chat: only then do the databases choose the index of pending deliveries
    .selectFrom((eb) =>
      eb
        .selectFrom('delivery')
        .select((of) => of.fn.countAll<number>().as('n'))
        .where('bot', '=', bot)
        .where(WAITING)
        .groupBy('chat_id')
        .as('waiting'),
    )
    .select((eb) => eb.fn.sum<number | null>('waiting.n').as('n'))
    .executeTakeFirstOrThrow()
  const dead = await db
    .selectFrom('delivery')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('bot', '=', bot)
    .where(DEAD)
    .executeTakeFirstOrThrow()
  const last = await db
    .selectFrom('delivery')
    .select('updated_at_ms')
    .where('bot', '=', bot)
    .where('state', '=', 'delivered')
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return { queued: Number(waiting.n ?? 0), dead: Number(dead.n), lastDeliveredAtMs: last?.updated_at_ms ?? null }
}
