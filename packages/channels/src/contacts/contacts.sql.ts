import type { Transaction } from 'kysely'
import type { Database } from '@gatepost/sql'
import type { Chat, InboundReachability, Person } from '../message.ts'
import type { ChannelTables } from '../storage/schema.ts'

type Tx = Transaction<ChannelTables>

/** A user who has written to the bot, and whether they are reachable. */
export interface Contact {
  readonly userId: string
  readonly name: string | null
  readonly username: string | null
  readonly directChatId: string | null
  readonly lastSeenAtMs: number
  readonly unreachable: string | null
}

/** Records that a user wrote, which makes them reachable again if it was in a direct chat. */
export async function upsertContact(tx: Tx, bot: string, person: Person, chat: Chat, nowMs: number): Promise<void> {
  const direct = chat.kind === 'direct'
  await tx
    .insertInto('contact')
    .values({
      bot,
      user_id: person.id,
      name: person.name ?? null,
      username: person.username ?? null,
      direct_chat_id: direct ? chat.id : null,
      last_seen_at_ms: nowMs,
      unreachable: null,
    })
    .onConflict((c) =>
      c.columns(['bot', 'user_id']).doUpdateSet({
        name: person.name ?? null,
        username: person.username ?? null,
        last_seen_at_ms: nowMs,
        ...(direct ? { direct_chat_id: chat.id, unreachable: null } : {}),
      }),
    )
    .execute()
}

/** Records that the platform reported a user as reachable or unreachable. */
export async function setReachability(tx: Tx, bot: string, event: InboundReachability, nowMs: number): Promise<void> {
  await tx
    .insertInto('contact')
    .values({
      bot,
      user_id: event.person.id,
      name: event.person.name ?? null,
      username: event.person.username ?? null,
      direct_chat_id: event.chat.kind === 'direct' ? event.chat.id : null,
      last_seen_at_ms: nowMs,
      unreachable: event.unreachable,
    })
    .onConflict((c) =>
      c.columns(['bot', 'user_id']).doUpdateSet({
        unreachable: event.unreachable,
        ...(event.chat.kind === 'direct' ? { direct_chat_id: event.chat.id } : {}),
      }),
    )
    .execute()
}

/** Records that a send was refused because the user is unreachable. */
export async function setUnreachable(tx: Tx, bot: string, chatId: string, reason: string): Promise<void> {
  await tx
    .updateTable('contact')
    .set({ unreachable: reason })
    .where('bot', '=', bot)
    .where('direct_chat_id', '=', chatId)
    .execute()
}

/** Returns all contacts, most recently seen first, including those only seen in groups (`directChatId` is `null`). */
export async function listContacts(database: Database<ChannelTables>, bot: string): Promise<readonly Contact[]> {
  const rows = await database.db
    .selectFrom('contact')
    .selectAll()
    .where('bot', '=', bot)
    .orderBy('last_seen_at_ms', 'desc')
    .orderBy('user_id')
    .limit(10_000)
    .execute()
  return rows.map(toContact)
}

/** Returns the user with this id; with `null`, up to two users that have a direct chat. */
export async function findRecipients(
  database: Database<ChannelTables>,
  bot: string,
  userId: string | null,
): Promise<readonly Contact[]> {
  const ofBot = database.db.selectFrom('contact').selectAll().where('bot', '=', bot)
  const found = userId === null ? ofBot.where('direct_chat_id', 'is not', null) : ofBot.where('user_id', '=', userId)
  const rows = await found.limit(2).execute()
  return rows.map(toContact)
}

const toContact = (row: ChannelTables['contact']): Contact => ({
  userId: row.user_id,
  name: row.name,
  username: row.username,
  directChatId: row.direct_chat_id,
  lastSeenAtMs: row.last_seen_at_ms,
  unreachable: row.unreachable,
})
