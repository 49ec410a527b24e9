import { setImmediate as nextTick } from 'node:timers/promises'
import type { Database } from '@gatepost/sql'
import { type Expression, type RawBuilder, sql } from 'kysely'
import { cleanText } from '../storage/storable.ts'
import type { ChannelTables } from '../storage/schema.ts'
import type { ConfiguredBot } from './bots.ts'
import type { ConversationsRequest } from './history.ts'

type ConversationRow = ChannelTables['conversation']

/** Position of a conversation in the list. */
export interface ListCursor {
  readonly updated_at_ms: number
  readonly id: string
}

/** Rows per query; fewer in a search, which reads all of their messages. */
const BATCH = 200
const SEARCH_BATCH = 50

/** Yields one bot's matching conversations, latest activity first, until `signal` aborts. */
export async function* streamConversations(
  database: Database<ChannelTables>,
  bot: string,
  request: Omit<ConversationsRequest, 'before'> & { readonly before: ListCursor | null },
  signal: AbortSignal,
): AsyncGenerator<ConversationRow, void, undefined> {
  const search = request.q === null ? null : createSearch(database.dialect, request.q)
  const atOnce = search === null ? Math.min(BATCH, request.limit + 1) : SEARCH_BATCH
  let before = request.before
  while (!signal.aborted) {
    const rows = await loadPage(database, bot, { ...request, before }, atOnce)
    const found = search === null ? null : await findMatches(database, rows, search)
    for (const row of rows) if (found?.has(row.id) ?? true) yield row
    before = rows.at(-1) ?? null
    if (rows.length < atOnce || before === null) return
    // on SQLite a statement blocks the process: let other work run in between
    await nextTick()
  }
}

/** Returns the conversation with this id if it belongs to one of these bots. */
export async function findConversation(
  { db }: Database<ChannelTables>,
  bots: readonly ConfiguredBot[],
  id: string,
): Promise<ConversationRow | undefined> {
  const names = bots.map(({ bot }) => bot)
  return db.selectFrom('conversation').selectAll().where('id', '=', id).where('bot', 'in', names).executeTakeFirst()
}

function loadPage(
  database: Database<ChannelTables>,
  bot: string,
  { kind, state, before }: Parameters<typeof streamConversations>[2],
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

// states as literals: only then can the databases use the partial indexes
const IS_WAITING = sql<boolean>`exists (select 1 from message where message.bot = conversation.bot
  and message.conversation_id = conversation.id and message.state = 'received')`
const HAS_FAILED = sql<boolean>`(exists (select 1 from message where message.conversation_id = conversation.id
  and message.state = 'failed') or exists (select 1 from delivery where delivery.conversation_id = conversation.id
  and delivery.dead = 1))`

/** Returns the ids of the conversations that match the search. */
async function findMatches(
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

/** SQL conditions for a case-insensitive search for literal text. */
interface Search {
  text(column: Expression<string | null>): RawBuilder<boolean>
  /** Searches the text or file name of a `DeliveryContent` in a JSON column. */
  content(column: Expression<string>): RawBuilder<boolean>
}

/** Creates a search. The databases fold case differently, so each letter is matched in both cases. */
function createSearch(dialect: Database<ChannelTables>['dialect'], wanted: string): Search {
  const letters = Array.from(cleanText(wanted), listCases)
  if (dialect === 'postgres') {
    const pattern = letters.map((cases) => (cases.length > 1 ? `[${cases.join('')}]` : escapeRegExp(cases[0]))).join('')
    return {
      text: (column) => sql`${column} ~ ${pattern}`,
      content: (column) => sql`coalesce(${column}::json ->> 'plain', ${column}::json ->> 'name') ~ ${pattern}`,
    }
  }
  const pattern = `*${letters.map((cases) => toGlob(cases)).join('')}*`
  return {
    text: (column) => sql`${column} glob ${pattern}`,
    content: (column) => sql`coalesce(${column} ->> 'plain', ${column} ->> 'name') glob ${pattern}`,
  }
}

/** Returns a letter in both cases; a case that takes several letters is left out. */
function listCases(letter: string): readonly [string, ...string[]] {
  const cases = [letter.toLowerCase(), letter.toUpperCase()].filter((one) => Array.from(one).length === 1)
  return [letter, ...new Set(cases.filter((one) => one !== letter))]
}

/** Escapes a character for a PostgreSQL regular expression: letters, digits and non-ASCII are literal. */
const escapeRegExp = (character: string): string =>
  character.replace(/[\u0001-\u007f]/, (one) => (/\w/.test(one) ? one : `\\${one}`))

const toGlob = (cases: readonly [string, ...string[]]): string =>
  cases.length > 1 || /[*?[]/.test(cases[0]) ? `[${cases.join('')}]` : cases[0]
