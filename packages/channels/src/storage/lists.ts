import { type Database, isUnavailable } from '@gatepost/sql'
import { sql } from 'kysely'
import type { Allowance } from '../connection.ts'
import type { KnownUser } from '../channels.ts'
import { type Contact, listContacts } from '../contacts/contacts.sql.ts'
import { isUnreachableCode, UNREACHABLE_REASONS } from '../contacts/unreachable.ts'
import { listDeliveries } from '../outbox/deliveries.sql.ts'
import {
  type DeliveryRecord,
  deliveryRecord,
  type MessageRecord,
  messageRecord,
  type Page,
  type PageRequest,
} from './records.ts'
import type { ChannelTables } from './schema.ts'

/** Lists the stored data of one bot for callers. */
export interface Lists {
  /** @param allowance Returns what may be sent to a chat; `null`: unlimited, or tracked by another process. */
  users(
    bot: string,
    allowed: readonly string[],
    allowance: (chatId: string) => Allowance | null,
  ): Promise<readonly KnownUser[]>
  messages(bot: string, page: PageRequest): Promise<Page<MessageRecord>>
  deliveries(bot: string, page: PageRequest & { readonly dead: boolean }): Promise<Page<DeliveryRecord>>
  /** Returns whether the database responds. */
  answers(): Promise<boolean>
}

/** Reads from `database` at every call. */
export const createLists = (database: Database<ChannelTables>): Lists => ({
  async users(bot, allowed, allowance) {
    const contacts = await listContacts(database, bot)
    return contacts.map((contact) => knownUser(contact, allowed, allowance))
  },
  async messages(bot, { limit, before }) {
    let query = database.db
      .selectFrom('message')
      .innerJoin('conversation', 'conversation.id', 'message.conversation_id')
      .selectAll('message')
      .select(['conversation.chat_id', 'conversation.kind', 'conversation.title'])
      .where('message.bot', '=', bot)
    if (before !== null) query = query.where('message.id', '<', before)
    const rows = await query
      .orderBy('message.id', 'desc')
      .limit(limit + 1)
      .execute()
    return toPage(
      rows,
      limit,
      (row) => messageRecord(row, row),
      (row) => row.id,
    )
  },
  async deliveries(bot, { limit, before, dead }) {
    const rows = await listDeliveries(database, bot, { limit: limit + 1, before: parseCursor(before), dead })
    return toPage(rows, limit, deliveryRecord, (row) => `${row.sequence}.${row.part}`)
  },
  async answers() {
    try {
      await sql`select 1`.execute(database.db)
      return true
    } catch (error) {
      if (isUnavailable(error)) return false
      throw error
    }
  },
})

/** Returns when the newest message was received, milliseconds since the Unix epoch. */
export async function lastInbound(database: Database<ChannelTables>, bot: string): Promise<number | null> {
  const row = await database.db
    .selectFrom('message')
    .select('received_at_ms')
    .where('bot', '=', bot)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.received_at_ms ?? null
}

/** Builds a page. `rows` has one row more than the page when there is a next page. */
function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  item: (row: Row) => Item,
  cursor: (row: Row) => string,
): Page<Item> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items: items.map(item), next: rows.length > limit && last !== undefined ? cursor(last) : null }
}

/** An invalid cursor counts as the start. */
function parseCursor(before: string | null): { sequence: number; part: number } | null {
  const found = /^(\d{1,16})\.(\d{1,9})$/.exec(before ?? '')
  return found ? { sequence: Number(found[1]), part: Number(found[2]) } : null
}

function knownUser(
  contact: Contact,
  allowed: readonly string[],
  allowance: (chatId: string) => Allowance | null,
): KnownUser {
  const { directChatId } = contact
  const may = directChatId === null ? null : allowance(directChatId)
  const { reason, code } = explainUnreachable(contact, may)
  return {
    user_id: contact.userId,
    name: contact.name,
    username: contact.username,
    last_seen_at: contact.lastSeenAtMs,
    reachable: reason === null,
    reason,
    reason_code: code,
    sends_left: may?.left ?? null,
    allowed: allowed.length === 0 || allowed.includes(contact.userId),
  }
}

/** Returns why a contact can't be messaged now, with its code unless the text is the platform's own. */
function explainUnreachable(
  { unreachable, directChatId }: Contact,
  may: Allowance | null,
): { readonly reason: string | null; readonly code: string | null } {
  const stored = unreachable ?? (directChatId === null ? 'no_direct_chat' : null)
  if (stored !== null)
    return isUnreachableCode(stored)
      ? { reason: UNREACHABLE_REASONS[stored], code: stored }
      : { reason: stored, code: null }
  return { reason: may?.refused?.detail ?? null, code: may?.refused?.code ?? null }
}
