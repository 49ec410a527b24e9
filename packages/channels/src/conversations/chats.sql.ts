import type { Database } from '@gatepost/sql'
import type { BotHandle } from '../storage/bot-handle.ts'
import type { Transaction } from 'kysely'
import { moveDeliveries } from '../outbox/deliveries.sql.ts'
import type { Chat, InboundChatMoved } from '../message.ts'
import type { ChannelTables } from '../storage/schema.ts'
import type { ConversationRow } from './turns.sql.ts'

type Tx = Transaction<ChannelTables>

/** Moves all data of a chat to its new id. */
export async function moveChat(tx: Tx, bot: string, event: Pick<InboundChatMoved, 'chat' | 'toChatId'>): Promise<void> {
  const taken = await tx
    .selectFrom('conversation')
    .select('thread_id')
    .where('bot', '=', bot)
    .where('chat_id', '=', event.toChatId)
    .execute()
  let moving = tx
    .updateTable('conversation')
    .set({ chat_id: event.toChatId })
    .where('bot', '=', bot)
    .where('chat_id', '=', event.chat.id)
  // both ids already have data: the histories stay separate, only pending deliveries move
  const threads = taken.map((row) => row.thread_id)
  if (threads.length > 0) moving = moving.where('thread_id', 'not in', threads)
  await moving.execute()
  await moveDeliveries(tx, bot, event.chat.id, event.toChatId)
}

/** Returns the chats with messages, most recently active first; threads of one chat count as one. */
export async function listRecentChats({ database, bot }: BotHandle, limit: number): Promise<readonly Chat[]> {
  const rows = await database.db
    .selectFrom('conversation')
    .select((e) => ['chat_id', 'kind', e.fn.max('updated_at_ms').as('spoken_at_ms')])
    .where('bot', '=', bot)
    .groupBy(['chat_id', 'kind'])
    .orderBy('spoken_at_ms', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ chat_id, kind }) => ({ id: chat_id, kind }))
}

/** Returns the chat's conversation outside of threads: the only one in a direct chat. */
export async function mainConversation(
  database: Database<ChannelTables>,
  bot: string,
  chatId: string,
): Promise<ConversationRow | undefined> {
  return database.db
    .selectFrom('conversation')
    .selectAll()
    .where('bot', '=', bot)
    .where('chat_id', '=', chatId)
    .where('thread_id', '=', '')
    .executeTakeFirst()
}

/** Assigns deliveries sent before the first message of a chat to its new conversation. */
export async function placeDeliveries(
  tx: Tx,
  { id, bot, chat_id, thread_id }: Pick<ChannelTables['conversation'], 'id' | 'bot' | 'chat_id' | 'thread_id'>,
): Promise<void> {
  await tx
    .updateTable('delivery')
    .set({ conversation_id: id })
    .where('bot', '=', bot)
    .where('chat_id', '=', chat_id)
    .where('thread_id', '=', thread_id)
    .where('conversation_id', 'is', null)
    .execute()
}
