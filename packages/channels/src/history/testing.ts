import type { Database } from '@gatepost/sql'
import { planDeliveries } from '../outbox/plan.ts'
import { type DeliveryRow, insertDeliveries } from '../outbox/deliveries.sql.ts'
import type { ChannelTables } from '../schema.ts'

type Changed<T> = Partial<T>

/** Puts rows of the past into a database. */
export interface Past {
  conversation(id: string, more?: Changed<ChannelTables['conversation']>): Promise<void>
  /** Whose direct chat has the same id. */
  contact(userId: string, name: string): Promise<void>
  /** The next message of the conversation, accepted at `atMs`. */
  message(conversationId: string, atMs: number, more?: Changed<ChannelTables['message']>): Promise<void>
  /** A delivery that was made at `atMs`, and whose outcome was stored then too. */
  delivery(atMs: number, text: string, more?: Changed<DeliveryRow>): Promise<DeliveryRow>
}

export function pastOf(database: Database<ChannelTables>, bot: string): Past {
  let made = 0
  const { db } = database
  return {
    async conversation(id, more = {}) {
      await db
        .insertInto('conversation')
        .values({
          id,
          bot,
          chat_id: `chat ${id}`,
          thread_id: '',
          kind: 'direct',
          title: null,
          last_position: 0,
          last_message_id: null,
          updated_at_ms: 0,
          ...more,
        })
        .execute()
    },
    async contact(userId, name) {
      await db
        .insertInto('contact')
        .values({
          bot,
          user_id: userId,
          name,
          username: null,
          direct_chat_id: userId,
          last_seen_at_ms: 0,
          unreachable: null,
        })
        .execute()
    },
    async message(conversationId, atMs, more = {}) {
      made += 1
      const { last_position } = await db
        .updateTable('conversation')
        .set((eb) => ({ last_position: eb('last_position', '+', 1), updated_at_ms: atMs }))
        .where('id', '=', conversationId)
        .returning('last_position')
        .executeTakeFirstOrThrow()
      await db
        .insertInto('message')
        .values({
          id: `m${made} ${conversationId}`,
          bot,
          dedupe_key: `k${made} ${conversationId}`,
          conversation_id: conversationId,
          position: last_position,
          platform_message_id: String(made),
          user_id: '7',
          user_name: 'Ann',
          text: `message ${made}`,
          quoted: null,
          files_json: '[]',
          state: 'answered',
          reason: null,
          turn_id: null,
          sent_at_ms: atMs,
          received_at_ms: atMs,
          answer_after_ms: atMs,
          ...more,
        })
        .execute()
    },
    async delivery(atMs, text, more = {}) {
      made += 1
      const plan = {
        id: `d${made} ${bot}`,
        bot,
        kind: 'reply',
        conversationId: null,
        turnId: null,
        chat: { id: '7', kind: 'direct' },
        userId: '7',
        replyTo: null,
        after: null,
        receivedAtMs: null,
      } as const
      const [row] = planDeliveries(plan, [{ kind: 'text', body: `<b>${text}</b>`, plain: text }], atMs)
      if (!row) throw new RangeError('nothing was planned')
      const stored: DeliveryRow = { ...row, sequence: atMs * 1_000 + made, state: 'delivered', ...more }
      await database.transaction((tx) => insertDeliveries(tx, [stored]))
      return stored
    },
  }
}
