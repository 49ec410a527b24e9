import type { Database } from '@gatepost/sql'
import { ChannelError } from '../errors.ts'
import type { Clock } from '../platform-io.ts'
import type { Page, PageRequest } from '../storage/records.ts'
import type { ChannelTables } from '../storage/schema.ts'
import { listAllDeliveries } from './deliveries.sql.ts'
import { mergeNewest, type ConfiguredBot } from './bots.ts'
import { streamConversations, findConversation, type ListCursor } from './conversations.sql.ts'
import { countTraffic } from './traffic.sql.ts'
import type { ChannelHistory, ConversationRecord, ConversationsRequest, Transcript } from './history.ts'
import { summarizeConversations } from './summaries.sql.ts'
import { readTranscript } from './transcript.sql.ts'

/** Options of `createHistory`. */
export interface HistoryOptions {
  readonly database: Database<ChannelTables>
  readonly clock: Clock
  /** @throws {ChannelError} `config_broken` */
  readonly bots: (accountId: string) => Promise<readonly ConfiguredBot[]>
}

/** Creates an implementation that queries the database on every call. */
export const createHistory = ({ database, clock, bots }: HistoryOptions): ChannelHistory => ({
  async conversations(accountId, request, signal) {
    return listConversations(database, filterByPlatform(await bots(accountId), request.platform), request, signal)
  },
  async conversation(accountId, id, page) {
    return readConversation(database, await bots(accountId), id, page)
  },
  async deliveries(accountId, request) {
    return listAllDeliveries(database, filterByPlatform(await bots(accountId), request.platform), request)
  },
  async traffic(accountId, span) {
    return countTraffic(database, await bots(accountId), span, clock.now())
  },
})

const filterByPlatform = (bots: readonly ConfiguredBot[], platform: string | null): readonly ConfiguredBot[] =>
  platform === null ? bots : bots.filter((one) => one.platform === platform)

async function listConversations(
  database: Database<ChannelTables>,
  bots: readonly ConfiguredBot[],
  request: ConversationsRequest,
  signal: AbortSignal,
): Promise<Page<ConversationRecord>> {
  const before = parseCursor(request.before)
  const lists = bots.map(({ bot }) => streamConversations(database, bot, { ...request, before }, signal))
  const rows = await mergeNewest(lists, isAfter, request.limit + 1)
  const shown = rows.slice(0, request.limit)
  const last = shown.at(-1)
  return {
    items: await summarizeConversations(database, bots, shown),
    next: rows.length > shown.length && last ? `${last.updated_at_ms}.${last.id}` : null,
  }
}

const isAfter = (a: ListCursor, b: ListCursor): boolean =>
  a.updated_at_ms > b.updated_at_ms || (a.updated_at_ms === b.updated_at_ms && a.id > b.id)

/** An invalid cursor counts as the start. */
function parseCursor(before: string | null): ListCursor | null {
  const found = /^(\d{1,15})\.([\w-]{1,64})$/.exec(before ?? '')
  return found ? { updated_at_ms: Number(found[1]), id: found[2] ?? '' } : null
}

async function readConversation(
  database: Database<ChannelTables>,
  bots: readonly ConfiguredBot[],
  id: string,
  page: PageRequest,
): Promise<Transcript> {
  const row = bots.length === 0 ? undefined : await findConversation(database, bots, id)
  const [conversation] = row ? await summarizeConversations(database, bots, [row]) : []
  if (!row || !conversation) throw new ChannelError('unknown_conversation')
  return { conversation, ...(await readTranscript(database, row, page)) }
}
