import { setImmediate as nextTick } from 'node:timers/promises'
import type { Database } from '@gatepost/sql'
import { type Expression, type RawBuilder, sql } from 'kysely'
import { cleanText } from '../storage/storable.ts'
import type { ChannelTables } from '../storage/schema.ts'
import type { ConfiguredBot } from './bots.ts'
import type { ConversationsRequest } from './history.ts'

type ConversationRow = ChannelTables['conversation']

/** Where a conversation stands in the list. */
export interface ListPlace {
  readonly updated_at_ms: number
  readonly id: string
}

/** Rows read at once; in a search few, since everything that was said in them is read. */
const AT_ONCE = 200
const SEARCHED_AT_ONCE = 50

/** The conversations of one bot that are asked for, newest activity first, until `signal` aborts. */
export async function* conversationsOf(
  database: Database<ChannelTables>,
  bot: string,
  request: Omit<ConversationsRequest, 'before'> & { readonly before: ListPlace | null },
  signal: AbortSignal,
): AsyncGenerator<ConversationRow, void, undefined> {
  const search = request.q === null ? null : searchFor(database.dialect, request.q)
  const atOnce = search === null ? Math.min(AT_ONCE, request.limit + 1) : SEARCHED_AT_ONCE
  let before = request.before
  while (!signal.aborted) {
    const rows = await candidates(database, bot, { ...request, before }, atOnce)
    const found = search === null ? null : await matching(database, rows, search)
    for (const row of rows) if (found?.has(row.id) ?? true) yield row
    before = rows.at(-1) ?? null
    if (rows.length < atOnce || before === null) return
    // on SQLite a statement keeps the process: what waits comes in between
    await nextTick()
  }
}

/** Of one of these bots. */
export async function findConversation(
  { db }: Database<ChannelTables>,
  bots: readonly ConfiguredBot[],
  id: string,
): Promise<ConversationRow | undefined> {
  const names = bots.map(({ bot }) => bot)
  return db.selectFrom('conversation').selectAll().where('id', '=', id).where('bot', 'in', names).executeTakeFirst()
}

function candidates(
  database: Database<ChannelTables>,
  bot: string,
  { kind, state, before }: Parameters<typeof conversationsOf>[2],
  limit: number,
): Promise<readonly ConversationRow[]> {
  let query = database.db.selectFrom('conversation').selectAll().where('bot', '=', bot)
  if (before)
    query = query.where((eb) => eb(eb.refTuple('updated_at_ms', 'id'), '<', eb.tuple(before.updated_at_ms, before.id)))
  if (kind !== null) query = query.where('kind', '=', kind)
  if (state === 'waiting') query = query.where(IS_WAITING)
  if (state === 'failed') query = query.where(HAS_FAILED)
  return query.orderBy('updated_at_ms', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

// the states are written out: only then do the databases see that the partial indexes serve
const IS_WAITING = sql<boolean>`exists (select 1 from message where message.bot = conversation.bot
  and message.conversation_id = conversation.id and message.state = 'received')`
const HAS_FAILED = sql<boolean>`(exists (select 1 from message where message.conversation_id = conversation.id
  and message.state = 'failed') or exists (select 1 from delivery where delivery.conversation_id = conversation.id
  and delivery.dead = 1))`

/** Which of these conversations hold what is looked for. */
async function matching(
  { db }: Database<ChannelTables>,
  rows: readonly ConversationRow[],
  search: Search,
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set()
  const ids = rows.map((row) => row.id)
  const found = await db
    .selectFrom('conversation')
    .select('id')
    .where('id', 'in', ids)
    .where(({ or, exists, selectFrom, ref }) =>
      or([
        search.text(ref('title')),
        exists(
          selectFrom('message')
            .select('message.id')
            .whereRef('message.conversation_id', '=', 'conversation.id')
            .where((of) => of.or([search.text(of.ref('message.user_name')), search.text(of.ref('message.text'))])),
        ),
        exists(
          selectFrom('delivery')
            .select('delivery.id')
            .whereRef('delivery.conversation_id', '=', 'conversation.id')
            .where((of) => search.content(of.ref('delivery.content_json'))),
        ),
      ]),
    )
    .execute()
  return new Set(found.map((row) => row.id))
}

/** Conditions that hold where a literal text is found, whatever the case of its letters. */
interface Search {
  text(column: Expression<string | null>): RawBuilder<boolean>
  /** `column` holds a `DeliveryContent` as JSON: what it shows, or the name of its file. */
  content(column: Expression<string>): RawBuilder<boolean>
}

/** The databases fold the case of letters unlike each other, so each letter is looked for in both of its cases. */
function searchFor(dialect: Database<ChannelTables>['dialect'], wanted: string): Search {
  const letters = Array.from(cleanText(wanted), casesOf)
  if (dialect === 'postgres') {
    const pattern = letters.map((cases) => (cases.length > 1 ? `[${cases.join('')}]` : quoted(cases[0]))).join('')
    return {
      text: (column) => sql`${column} ~ ${pattern}`,
      content: (column) => sql`coalesce(${column}::json ->> 'plain', ${column}::json ->> 'name') ~ ${pattern}`,
    }
  }
  const pattern = `*${letters.map((cases) => globbed(cases)).join('')}*`
  return {
    text: (column) => sql`${column} glob ${pattern}`,
    content: (column) => sql`coalesce(${column} ->> 'plain', ${column} ->> 'name') glob ${pattern}`,
  }
}

/** The letter in its cases; where a case is written with several letters, only the one that was given. */
function casesOf(letter: string): readonly [string, ...string[]] {
  const cases = [letter.toLowerCase(), letter.toUpperCase()].filter((one) => Array.from(one).length === 1)
  return [letter, ...new Set(cases.filter((one) => one !== letter))]
}

/** In a regular expression of PostgreSQL: letters, digits and what is not ASCII mean themselves. */
const quoted = (character: string): string =>
  character.replace(/[\u0001-\u007f]/, (one) => (/\w/.test(one) ? one : `\\${one}`))

const globbed = (cases: readonly [string, ...string[]]): string =>
  cases.length > 1 || /[*?[]/.test(cases[0]) ? `[${cases.join('')}]` : cases[0]
