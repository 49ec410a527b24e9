import type { Database } from '@gatepost/sql'
import { sql } from 'kysely'
import { readStoredFiles } from '../inbox/media.ts'
import { readContent } from '../outbox/content.ts'
import type { PlatformId } from '../platform-names.ts'
import type { ChannelTables } from '../storage/schema.ts'
import type { ConfiguredBot } from './bots.ts'
import type { ConversationRecord } from './history.ts'

type ConversationRow = ChannelTables['conversation']

/** Length of the excerpt of the latest message. */
const EXCERPT = 200
/** How many of the latest messages are searched for people. */
const RECENT = 20
const PEOPLE = 3

/** Converts conversations to the form that the API returns, in the same order. */
export async function summarizeConversations(
  database: Database<ChannelTables>,
  bots: readonly ConfiguredBot[],
  rows: readonly ConversationRow[],
): Promise<readonly ConversationRecord[]> {
  if (rows.length === 0) return []
  const platforms = new Map(bots.map(({ bot, platform }) => [bot, platform]))
  const counted = await loadCounts(database, rows)
  const messages = await lastMessages(database, counted)
  const deliveries = await lastDeliveries(database, counted)
  const people = await recentPeople(database, rows)
  return rows.flatMap((row) => {
    const platform: PlatformId | undefined = platforms.get(row.bot)
    const of = counted.find(({ id }) => id === row.id)
    if (platform === undefined || of === undefined) return []
    const present = people.get(row.id) ?? []
    const message = messages.get(of.message_id ?? '')
    const delivery = deliveries.get(of.delivery_id ?? '')
    return {
      id: row.id,
      platform,
      chat: { id: row.chat_id, kind: row.kind, title: row.title },
      people: present.slice(0, PEOPLE),
      last: pickLast(message, delivery, present),
      waiting: Number(of.waiting),
      failed: Number(of.failed) + Number(of.dead),
    }
  })
}

interface Counted {
  readonly id: string
  readonly message_id: string | null
  readonly delivery_id: string | null
  readonly waiting: number
  readonly failed: number
  readonly dead: number
}

async function loadCounts(
  { db }: Database<ChannelTables>,
  rows: readonly ConversationRow[],
): Promise<readonly Counted[]> {
  // states as literals: only then can the databases use the partial indexes
  return db
    .selectFrom('conversation')
    .select([
      'id',
      sql<string | null>`(select message.id from message where message.conversation_id = conversation.id
        order by message.position desc limit 1)`.as('message_id'),
      sql<string | null>`(select delivery.id from delivery where delivery.conversation_id = conversation.id
        order by delivery.sequence desc, delivery.part desc limit 1)`.as('delivery_id'),
      sql<number>`(select count(*) from message where message.bot = conversation.bot
        and message.conversation_id = conversation.id and message.state = 'received')`.as('waiting'),
      sql<number>`(select count(*) from message where message.conversation_id = conversation.id
        and message.state = 'failed')`.as('failed'),
      sql<number>`(select count(*) from delivery where delivery.conversation_id = conversation.id
        and delivery.dead = 1)`.as('dead'),
    ])
    .where(
      'id',
      'in',
      rows.map((row) => row.id),
    )
    .execute()
}

interface LastMessage {
  readonly at: number
  readonly userId: string | null
  readonly text: string
}

async function lastMessages(
  { db }: Database<ChannelTables>,
  counted: readonly Counted[],
): Promise<ReadonlyMap<string, LastMessage>> {
  const ids = counted.flatMap(({ message_id }) => (message_id === null ? [] : [message_id]))
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('message')
    .select(['id', 'user_id', 'received_at_ms', 'files_json', sql<string>`substr(text, 1, ${EXCERPT})`.as('text')])
    .where('id', 'in', ids)
    .execute()
  return new Map(
    rows.map((row) => {
      const [file] = row.text === '' ? readStoredFiles(row.files_json) : []
      const text = file ? (file.name ?? file.kind) : row.text
      return [row.id, { at: row.received_at_ms, userId: row.user_id, text: excerpt(text) }]
    }),
  )
}

async function lastDeliveries(
  { db }: Database<ChannelTables>,
  counted: readonly Counted[],
): Promise<ReadonlyMap<string, LastMessage>> {
  const ids = counted.flatMap(({ delivery_id }) => (delivery_id === null ? [] : [delivery_id]))
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('delivery')
    .select(['id', 'user_id', 'created_at_ms', 'content_json'])
    .where('id', 'in', ids)
    .execute()
  return new Map(
    rows.map((row) => {
      const content = readContent(row.content_json)
      const text = content.kind === 'file' ? content.name : content.plain
      return [row.id, { at: row.created_at_ms, userId: row.user_id, text: excerpt(text) }]
    }),
  )
}

const excerpt = (text: string): string =>
  Array.from(text.slice(0, 2 * EXCERPT))
    .slice(0, EXCERPT)
    .join('')

type Person = ConversationRecord['people'][number]

/** Returns who wrote last in each conversation, or whose direct chat it is. */
async function recentPeople(
  { db }: Database<ChannelTables>,
  rows: readonly ConversationRow[],
): Promise<ReadonlyMap<string, readonly Person[]>> {
  const people = new Map<string, Person[]>(rows.map((row) => [row.id, []]))
  const add = (id: string, user_id: string, name: string | null): void => {
    const known = people.get(id)
    if (known?.every((person) => person.user_id !== user_id)) known.push({ user_id, name })
  }
  const recent = await db
    .selectFrom('conversation')
    .innerJoin('message', 'message.conversation_id', 'conversation.id')
    .select(['conversation.id', 'message.user_id', 'message.user_name'])
    .where('conversation.id', 'in', [...people.keys()])
    .where(sql<boolean>`message.position > conversation.last_position - ${sql.lit(RECENT)}`)
    .orderBy('message.position', 'desc')
    .execute()
  for (const { id, user_id, user_name } of recent) add(id, user_id, user_name)
  const silent = rows.filter((row) => row.kind === 'direct' && people.get(row.id)?.length === 0)
  if (silent.length === 0) return people
  const contacts = await db
    .selectFrom('contact')
    .select(['bot', 'direct_chat_id', 'user_id', 'name'])
    .where('bot', 'in', [...new Set(silent.map(({ bot }) => bot))])
    .where(
      'direct_chat_id',
      'in',
      silent.map(({ chat_id }) => chat_id),
    )
    .execute()
  for (const row of silent) {
    const contact = contacts.find(({ bot, direct_chat_id }) => bot === row.bot && direct_chat_id === row.chat_id)
    if (contact) add(row.id, contact.user_id, contact.name)
  }
  return people
}

function pickLast(
  message: LastMessage | undefined,
  delivery: LastMessage | undefined,
  people: readonly Person[],
): ConversationRecord['last'] {
  const findName = (userId: string | null): string | null =>
    people.find(({ user_id }) => user_id === userId)?.name ?? null
  if (delivery && delivery.at >= (message?.at ?? 0))
    return { at: delivery.at, by: 'bot', name: findName(delivery.userId), text: delivery.text }
  return message ? { at: message.at, by: 'person', name: findName(message.userId), text: message.text } : null
}
