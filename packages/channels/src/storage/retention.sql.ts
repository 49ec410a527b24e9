import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Database } from '@gatepost/sql'
import { sql } from 'kysely'
import { botMediaDir } from '../inbox/media.ts'
import { selectTurnsToSend } from '../outbox/deliveries.sql.ts'
import type { Clock, Log } from '../platform-io.ts'
import type { ChannelTables } from './schema.ts'

/** Options of `keepRetention`. */
export interface RetentionOptions {
  readonly database: Database<ChannelTables>
  readonly dataDir: string
  readonly clock: Clock
  readonly log: Log
  readonly retentionMs: number
  readonly signal: AbortSignal
}

const EVERY_MS = 60 * 60 * 1000
/** Rows per transaction: small, so that other writes are not delayed. */
const BATCH = 500

/** Deletes data older than the retention every hour until `signal` aborts. Pending data is kept. */
export async function keepRetention(options: RetentionOptions): Promise<void> {
  const { clock, log, signal } = options
  while (!signal.aborted) {
    // not in the first minute, when everything else starts
    await clock.sleep(60_000, signal)
    try {
      while (!signal.aborted && (await deleteBatch(options))) await clock.sleep(50, signal)
    } catch (error) {
      log.error("Couldn't delete old messages", { error })
    }
    await clock.sleep(EVERY_MS, signal)
  }
}

/** Deletes one batch, and expired setups. @returns whether there may be more. */
export async function deleteBatch({ database, dataDir, clock, retentionMs }: RetentionOptions): Promise<boolean> {
  const beforeMs = clock.now() - retentionMs
  const messages = await database.db
    .selectFrom('message')
    .select(['id', 'bot'])
    .where('received_at_ms', '<', beforeMs)
    .where('state', '!=', 'received')
    .limit(BATCH)
    .execute()
  // a reply that is still queued needs its files
  const turns = await database.db
    .selectFrom('turn')
    .select(['id', 'bot'])
    .where('updated_at_ms', '<', beforeMs)
    .where('state', '!=', 'open')
    .where('id', 'not in', selectTurnsToSend())
    .limit(BATCH)
    .execute()
  const deliveries = await database.db
    .selectFrom('delivery')
    .select('id')
    .where('updated_at_ms', '<', beforeMs)
    .where('state', 'in', ['delivered', 'refused', 'unknown'])
    .limit(BATCH)
    .execute()
  // files first: a crash in between leaves rows that are found again, never orphaned files
  for (const { id, bot } of [...messages, ...turns]) {
    await rm(path.join(dataDir, 'media', botMediaDir(bot), id), { recursive: true, force: true })
  }
  await database.transaction(async (tx) => {
    await tx.deleteFrom('message').where('id', 'in', ids(messages)).execute()
    await tx.deleteFrom('turn').where('id', 'in', ids(turns)).execute()
    await tx.deleteFrom('delivery').where('id', 'in', ids(deliveries)).execute()
  })
  await database.db.deleteFrom('setup').where('expires_at_ms', '<=', clock.now()).execute()
  const people = await deletePeople(database, beforeMs)
  return people || [messages, turns, deliveries].some((rows) => rows.length === BATCH)
}

/**
 * Deletes one batch of old conversations of which nothing is left, and of contacts without a conversation, with their
 * names. Someone who only receives notifications stays known. Each condition is checked again by the deletion itself,
 * because a message may arrive meanwhile.
 * @returns whether there may be more.
 */
async function deletePeople({ db }: Database<ChannelTables>, beforeMs: number): Promise<boolean> {
  const oldConversations = await db
    .selectFrom('conversation')
    .select('id')
    .where('updated_at_ms', '<', beforeMs)
    .where(IS_EMPTY)
    .limit(BATCH)
    .execute()
  await db
    .deleteFrom('conversation')
    .where('id', 'in', ids(oldConversations))
    .where('updated_at_ms', '<', beforeMs)
    .where(IS_EMPTY)
    .execute()
  const oldContacts = await db
    .selectFrom('contact')
    .select(['bot', 'user_id'])
    .where('last_seen_at_ms', '<', beforeMs)
    .where(HAS_NO_CHAT)
    .limit(BATCH)
    .execute()
  for (const [bot, contacts] of Map.groupBy(oldContacts, (contact) => contact.bot)) {
    const userIds = contacts.map(({ user_id }) => user_id)
    await db
      .deleteFrom('contact')
      .where('bot', '=', bot)
      .where('user_id', 'in', userIds)
      .where('last_seen_at_ms', '<', beforeMs)
      .where(HAS_NO_CHAT)
      .execute()
  }
  return oldConversations.length === BATCH || oldContacts.length === BATCH
}

const IS_EMPTY = sql<boolean>`not exists (select 1 from message where message.conversation_id = conversation.id)
  and not exists (select 1 from turn where turn.conversation_id = conversation.id)
  and not exists (select 1 from delivery where delivery.conversation_id = conversation.id)`
const HAS_NO_CHAT = sql<boolean>`not exists (select 1 from conversation
  where conversation.bot = contact.bot and conversation.chat_id = contact.direct_chat_id)`

/** Never empty: some databases reject an empty list. */
const ids = (rows: readonly { readonly id: string }[]): readonly string[] => ['', ...rows.map((row) => row.id)]
