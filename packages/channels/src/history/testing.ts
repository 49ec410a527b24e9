import type { Database } from '@gatepost/sql'
import { type DeliveryRow, insertDeliveries } from '../outbox/deliveries.sql.ts'
import { planDeliveries } from '../outbox/plan.ts'
import type { ChannelTables } from '../storage/schema.ts'

/** Puts rows of the past into a database. */
export interface Past {
  conversation(id: string, more?: Partial<ChannelTables['conversation']>): Promise<void>
  /** Whose direct chat has the same id. */
  contact(userId: string, name: string): Promise<void>
  /** The next message of the conversation, accepted at `atMs`. */
  message(conversationId: string, atMs: number, more?: Partial<ChannelTables['message']>): Promise<void>
  /** A delivery that was made at `atMs`, and whose outcome was stored then too. */
  delivery(atMs: number, text: string, more?: Partial<DeliveryRow>): Promise<void>
}

/** Creates a builder for stored messages and deliveries of one bot. */
export function createPast(database: Database<ChannelTables>, bot: string): Past {
  let made = 0
  const { db } = database
  return {
    async conversation(id, more = {}) {
      const row = { ...CONVERSATION, id, bot, chat_id: `chat ${id}`, ...more }
      await db.insertInto('conversation').values(row).execute()
    },
    async contact(userId, name) {
      const row = { ...CONTACT, bot, user_id: userId, direct_chat_id: userId, name }
      await db.insertInto('contact').values(row).execute()
    },
    async message(conversationId, atMs, more = {}) {
      const { last_position: position } = await db
        .updateTable('conversation')
        .set((eb) => ({ last_position: eb('last_position', '+', 1), updated_at_ms: atMs }))
        .where('id', '=', conversationId)
        .returning('last_position')
        .executeTakeFirstOrThrow()
      const of = { bot, conversation_id: conversationId, position }
      const id = `${conversationId} ${position}`
      const ids = { id, dedupe_key: id, platform_message_id: id }
      const times = { sent_at_ms: atMs, received_at_ms: atMs, answer_after_ms: atMs, reply_context: null }
      await db
        .insertInto('message')
        .values({ ...MESSAGE, ...of, ...ids, ...times, text: `message ${position}`, ...more })
        .execute()
    },
    async delivery(atMs, text, more = {}) {
      made += 1
      const plan = { ...PLAN, id: `${bot} ${made}`, bot }
      const rows = planDeliveries(plan, [{ kind: 'text', body: `<b>${text}</b>`, plain: text }], atMs)
      const past = rows.map(
        (row): DeliveryRow => ({ ...row, sequence: atMs * 1_000 + made, state: 'delivered', ...more }),
      )
      await database.transaction((tx) => insertDeliveries(tx, past))
    },
  }
}

const CONVERSATION = {
  thread_id: '',
  kind: 'direct',
  title: null,
  last_position: 0,
  last_message_id: null,
  updated_at_ms: 0,
} as const
const CONTACT = { username: null, last_seen_at_ms: 0, unreachable: null }
const MESSAGE = {
  user_id: '7',
  user_name: 'Ann',
  quoted: null,
  files_json: '[]',
  state: 'answered',
  reason: null,
  turn_id: null,
} as const
const PLAN = {
  kind: 'reply',
  conversationId: null,
  turnId: null,
  chat: { id: '7', kind: 'direct' },
  userId: '7',
  replyTo: null,
  after: null,
  receivedAtMs: null,
} as const
