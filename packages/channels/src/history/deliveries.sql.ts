import type { Database } from '@gatepost/sql'
import { sql } from 'kysely'
import { deliveryRecord, type DeliveryState, type Page } from '../storage/records.ts'
import type { ChannelTables } from '../storage/schema.ts'
import { mergeNewest, type ConfiguredBot } from './bots.ts'
import type { AddressedDelivery, DeliveriesRequest } from './history.ts'

type DeliveryRow = ChannelTables['delivery']
type DeliveryCursor = Pick<DeliveryRow, 'sequence' | 'part' | 'bot'>

const BATCH = 100

/** Returns the deliveries of these bots, newest first. */
export async function listAllDeliveries(
  database: Database<ChannelTables>,
  bots: readonly ConfiguredBot[],
  request: DeliveriesRequest,
): Promise<Page<AddressedDelivery>> {
  const before = parseCursor(request.before, bots)
  const lists = bots.map(({ bot }) => streamDeliveries(database, bot, request, before))
  const rows = await mergeNewest(lists, isAfter, request.limit + 1)
  const shown = rows.slice(0, request.limit)
  const last = shown.at(-1)
  const platformByBot = new Map(bots.map(({ bot, platform }) => [bot, platform]))
  const names = await loadNames(database, shown)
  return {
    items: shown.flatMap((row) => {
      const platform = platformByBot.get(row.bot)
      if (platform === undefined) return []
      const { user_id } = row
      const to = user_id === null ? null : { user_id, name: names.get(`${row.bot} ${user_id}`) ?? null }
      return { ...deliveryRecord(row), platform, to }
    }),
    next:
      rows.length > shown.length && last ? `${last.sequence}.${last.part}.${platformByBot.get(last.bot) ?? ''}` : null,
  }
}

/** Two processes may have assigned the same number: then the bot decides. */
const isAfter = (a: DeliveryCursor, b: DeliveryCursor): boolean =>
  a.sequence > b.sequence || (a.sequence === b.sequence && (a.part > b.part || (a.part === b.part && a.bot > b.bot)))

/** An invalid cursor counts as the start. */
function parseCursor(before: string | null, bots: readonly ConfiguredBot[]): DeliveryCursor | null {
  const found = /^(\d{1,16})\.(\d{1,9})\.([a-z]{1,20})$/.exec(before ?? '')
  if (!found) return null
  const bot = bots.find(({ platform }) => platform === found[3])?.bot ?? ''
  return { sequence: Math.min(Number(found[1]), Number.MAX_SAFE_INTEGER), part: Number(found[2]), bot }
}

async function* streamDeliveries(
  database: Database<ChannelTables>,
  bot: string,
  { dead, state, limit }: DeliveriesRequest,
  start: DeliveryCursor | null,
): AsyncGenerator<DeliveryRow, void, undefined> {
  const atOnce = Math.min(BATCH, limit + 1)
  let before = start
  for (;;) {
    const rows = await deliveriesBefore(database, bot, { dead, state, before, limit: atOnce })
    yield* rows
    before = rows.at(-1) ?? null
    if (rows.length < atOnce || before === null) return
  }
}

function deliveriesBefore(
  { db }: Database<ChannelTables>,
  bot: string,
  {
    dead,
    state,
    before,
    limit,
  }: Pick<DeliveriesRequest, 'dead' | 'state' | 'limit'> & { before: DeliveryCursor | null },
): Promise<readonly DeliveryRow[]> {
  let query = db.selectFrom('delivery').selectAll().where('bot', '=', bot)
  if (dead) query = query.where(sql<boolean>`dead = 1`)
  if (state !== null) query = query.where(INDEXED[state]).where('state', 'in', STORED[state])
  if (before) {
    const { sequence, part } = before
    const order = bot < before.bot ? '<=' : '<'
    query = query.where((eb) => eb(eb.refTuple('sequence', 'part'), order, eb.tuple(sequence, part)))
  }
  return query.orderBy('sequence', 'desc').orderBy('part', 'desc').limit(limit).execute()
}

/** Stored states by the state that the API shows: a live preview counts as sending. */
const STORED: Readonly<Record<DeliveryState, readonly DeliveryRow['state'][]>> = {
  queued: ['queued'],
  sending: ['sending', 'live'],
  delivered: ['delivered'],
  refused: ['refused'],
  unknown: ['unknown'],
}
// literally as in the indexes: only then can the databases use them
const OPEN = sql<boolean>`state in ('queued', 'sending', 'live')`
const FAILED = sql<boolean>`state in ('refused', 'unknown')`
const INDEXED: Readonly<Record<DeliveryState, typeof OPEN>> = {
  queued: OPEN,
  sending: OPEN,
  delivered: sql<boolean>`1 = 1`,
  refused: FAILED,
  unknown: FAILED,
}

/** Returns contact names by `<bot> <user id>`. */
async function loadNames(
  { db }: Database<ChannelTables>,
  rows: readonly DeliveryRow[],
): Promise<ReadonlyMap<string, string | null>> {
  const userIds = [...new Set(rows.flatMap(({ user_id }) => (user_id === null ? [] : [user_id])))]
  if (userIds.length === 0) return new Map()
  const contacts = await db
    .selectFrom('contact')
    .select(['bot', 'user_id', 'name'])
    .where('bot', 'in', [...new Set(rows.map(({ bot }) => bot))])
    .where('user_id', 'in', userIds)
    .execute()
  return new Map(contacts.map(({ bot, user_id, name }) => [`${bot} ${user_id}`, name]))
}
