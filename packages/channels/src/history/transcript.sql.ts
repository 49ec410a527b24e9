import type { Database } from '@gatepost/sql'
import { deliveryRecord, messageRecord, type Page, type PageRequest } from '../storage/records.ts'
import type { ChannelTables } from '../storage/schema.ts'
import type { TranscriptItem } from './history.ts'

type MessageRow = ChannelTables['message']
type DeliveryRow = ChannelTables['delivery']

/** A position on each side: everything before it is still to be shown. Later arrivals come after both. */
interface TranscriptCursor {
  readonly position: number
  readonly sequence: number
  readonly part: number
}
const START: TranscriptCursor = { position: Number.MAX_SAFE_INTEGER, sequence: Number.MAX_SAFE_INTEGER, part: 0 }

/** Returns a page of a conversation, newest first: each side in its own order, merged by time. */
export async function readTranscript(
  database: Database<ChannelTables>,
  conversation: ChannelTables['conversation'],
  { limit, before }: PageRequest,
): Promise<Page<TranscriptItem>> {
  const cursor = parseCursor(before)
  const messages = await messagesBefore(database, conversation.id, cursor, limit + 1)
  const deliveries = await deliveriesBefore(database, conversation.id, cursor, limit + 1)
  const items: TranscriptItem[] = []
  let m = 0
  let d = 0
  while (items.length < limit) {
    const message = messages[m]
    const delivery = deliveries[d]
    if (delivery && (!message || delivery.created_at_ms >= message.received_at_ms)) {
      items.push({ type: 'delivery', delivery: deliveryRecord(delivery) })
      d += 1
    } else if (message) {
      items.push({ type: 'message', message: messageRecord(message, conversation) })
      m += 1
    } else break
  }
  const hasMore = messages.length > m || deliveries.length > d
  return { items, next: hasMore ? toCursor(messages, m, deliveries, d) : null }
}

/** Returns the cursor after a page: before the oldest item taken from a side, or before its newest if none was. */
function toCursor(messages: readonly MessageRow[], m: number, deliveries: readonly DeliveryRow[], d: number): string {
  const nextMessage = messages[m]
  const nextDelivery = deliveries[d]
  const position = nextMessage ? nextMessage.position + 1 : 0
  const [sequence, part] = nextDelivery ? [nextDelivery.sequence, nextDelivery.part + 1] : [0, 0]
  return `${position}.${sequence}.${part}`
}

/** An invalid cursor counts as the start. */
function parseCursor(before: string | null): TranscriptCursor {
  const found = /^(\d{1,15})\.(\d{1,16})\.(\d{1,9})$/.exec(before ?? '')
  if (!found) return START
  const [position, sequence, part] = found.slice(1).map(Number)
  return { position: position ?? 0, sequence: Math.min(sequence ?? 0, Number.MAX_SAFE_INTEGER), part: part ?? 0 }
}

const messagesBefore = (
  { db }: Database<ChannelTables>,
  id: string,
  { position }: TranscriptCursor,
  limit: number,
): Promise<readonly MessageRow[]> =>
  db
    .selectFrom('message')
    .selectAll()
    .where('conversation_id', '=', id)
    .where('position', '<', position)
    .orderBy('position', 'desc')
    .limit(limit)
    .execute()

const deliveriesBefore = (
  { db }: Database<ChannelTables>,
  id: string,
  { sequence, part }: TranscriptCursor,
  limit: number,
): Promise<readonly DeliveryRow[]> =>
  db
    .selectFrom('delivery')
    .selectAll()
    .where('conversation_id', '=', id)
    .where((eb) => eb(eb.refTuple('sequence', 'part'), '<', eb.tuple(sequence, part)))
    .orderBy('sequence', 'desc')
    .orderBy('part', 'desc')
    .limit(limit)
    .execute()
