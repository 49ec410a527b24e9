import { randomUUIDv7 } from 'node:crypto'
import type { ChannelTables } from '@gatepost/channels'
import type { Database } from '@gatepost/sql'

/** The statements that the service runs for a message and its reply. */
type Tables = Database<ChannelTables>
type Tx = Parameters<Parameters<Tables['transaction']>[0]>[0]
type MessageRow = ChannelTables['message']
type DeliveryRow = ChannelTables['delivery']

export interface Said {
  readonly user: string
  readonly text: string
  readonly key: string
}

export interface Turn {
  readonly message: MessageRow
  readonly id: string
}

const BOT = 'owner/telegram/1'
export const LEASE = { name: 'telegram/1' } as const

async function fenced<R>({ transaction, dialect }: Tables, durable: boolean, work: (tx: Tx) => Promise<R>): Promise<R> {
  return transaction(
    async (tx) => {
      const fence = tx.selectFrom('lease').select('epoch').where('name', '=', LEASE.name).where('epoch', '=', 1)
      await (dialect === 'postgres' ? fence.forShare() : fence).executeTakeFirstOrThrow()
      return work(tx)
    },
    { durable },
  )
}

/** Stores the messages and the cursor. */
export const acceptAll = (database: Tables, said: readonly Said[]): Promise<readonly MessageRow[]> =>
  fenced(database, true, async (tx) => {
    const keys = said.map(({ key }) => key)
    await tx.selectFrom('message').select('dedupe_key').where('bot', '=', BOT).where('dedupe_key', 'in', keys).execute()
    const rows: MessageRow[] = []
    for (const one of said) rows.push(await accept(tx, one, Date.now()))
    const cursor = `${Date.now()}`
    await tx
      .insertInto('bot')
      .values({ bot: BOT, cursor, gaps_json: '[]' })
      .onConflict((c) => c.column('bot').doUpdateSet({ cursor }))
      .execute()
    return rows
  })

async function accept(tx: Tx, { user, text, key }: Said, nowMs: number): Promise<MessageRow> {
  const conversation = await tx
    .insertInto('conversation')
    .values({ ...CONVERSATION, id: randomUUIDv7(), chat_id: user, last_message_id: key, updated_at_ms: nowMs })
    .onConflict((c) =>
      c.columns(['bot', 'chat_id', 'thread_id']).doUpdateSet((eb) => ({
        last_position: eb('conversation.last_position', '+', 1),
        last_message_id: key,
        title: null,
        updated_at_ms: nowMs,
      })),
    )
    .returning(['id', 'last_position'])
    .executeTakeFirstOrThrow()
  const seen = { name: user, username: null, last_seen_at_ms: nowMs, direct_chat_id: user, unreachable: null }
  await tx
    .insertInto('contact')
    .values({ bot: BOT, user_id: user, ...seen })
    .onConflict((c) => c.columns(['bot', 'user_id']).doUpdateSet(seen))
    .execute()
  const row: MessageRow = {
    ...MESSAGE,
    id: randomUUIDv7(),
    dedupe_key: key,
    conversation_id: conversation.id,
    position: conversation.last_position,
    platform_message_id: key,
    user_id: user,
    user_name: user,
    text,
    sent_at_ms: nowMs,
    received_at_ms: nowMs,
    answer_after_ms: nowMs,
    reply_context: null,
  }
  await tx.insertInto('message').values(row).execute()
  return row
}

const CONVERSATION = { bot: BOT, thread_id: '', kind: 'direct', title: null, last_position: 1 } as const
const MESSAGE = { bot: BOT, quoted: null, files_json: '[]', state: 'received', reason: null, turn_id: null } as const

/** Reads what a turn needs before the assistant runs. */
export async function readTurn({ db }: Tables, { conversation_id, position }: MessageRow): Promise<Turn> {
  const messages = db.selectFrom('message').selectAll().where('conversation_id', '=', conversation_id)
  const turns = db.selectFrom('turn').selectAll().where('conversation_id', '=', conversation_id)
  const waiting = messages.where('bot', '=', BOT).where('state', '=', 'received').orderBy('position').limit(50)
  const message = await waiting.executeTakeFirstOrThrow()
  await db.selectFrom('conversation').selectAll().where('id', '=', conversation_id).executeTakeFirstOrThrow()
  await turns.where('last_position', '>=', position).where('state', '=', 'open').executeTakeFirst()
  const said = messages.where('position', '<', position).where('state', '=', 'answered')
  await said.orderBy('position', 'desc').limit(20).execute()
  const answered = turns.where('last_position', '<', position).where('state', '=', 'answered')
  await answered.orderBy('last_position', 'desc').orderBy('id', 'desc').limit(20).execute()
  return { message, id: randomUUIDv7() }
}

/** Stores the replies and the messages to send. */
export const finishAll = (database: Tables, turns: readonly Turn[]): Promise<void> =>
  fenced(database, false, async (tx) => {
    for (const { id, message } of turns) {
      await tx.insertInto('delivery').values(deliveryOf(id, message)).execute()
      const { conversation_id, position } = message
      const closed = {
        ...TURN,
        conversation_id,
        first_position: position,
        last_position: position,
        answer: message.text,
      }
      const turn = { ...closed, next_attempt_at_ms: Date.now(), updated_at_ms: Date.now() }
      await tx
        .insertInto('turn')
        .values({ id, ...turn })
        .onConflict((c) => c.column('id').doUpdateSet(turn))
        .execute()
      await tx
        .updateTable('message')
        .set({ state: 'answered', reason: null, turn_id: id })
        .where('conversation_id', '=', conversation_id)
        .where('position', '>=', position)
        .where('position', '<=', position)
        .where('state', '=', 'received')
        .execute()
    }
  })

const TURN = { bot: BOT, state: 'answered', attempts: 0, error: null } as const

const deliveryOf = (id: string, message: MessageRow): DeliveryRow => ({
  id: `${id}.1`,
  bot: BOT,
  conversation_id: message.conversation_id,
  turn_id: id,
  kind: 'reply',
  chat_id: message.user_id,
  chat_kind: 'direct',
  thread_id: '',
  user_id: message.user_id,
  sequence: Date.now() * 1_000,
  part: 1,
  content_json: JSON.stringify({ kind: 'text', body: message.text, plain: message.text }),
  reply_to: null,
  after_message_id: message.platform_message_id,
  state: 'queued',
  dead: 0,
  attempts: 0,
  next_attempt_at_ms: Date.now(),
  mark: null,
  platform_message_id: null,
  code: null,
  reason: null,
  received_at_ms: message.received_at_ms,
  created_at_ms: Date.now(),
  updated_at_ms: Date.now(),
})

/** Marks the deliveries as being sent. */
export const claimAll = (database: Tables, turns: readonly Turn[]): Promise<void> =>
  fenced(database, true, async (tx) => {
    for (const { id } of turns) {
      await tx
        .updateTable('delivery')
        .set((eb) => ({ state: 'sending', attempts: eb('attempts', '+', 1), mark: 'm', updated_at_ms: Date.now() }))
        .where('id', '=', `${id}.1`)
        .where('state', '=', 'queued')
        .returning('id')
        .executeTakeFirst()
    }
  })

/** Stores the results of the deliveries. */
export const recordAll = (database: Tables, turns: readonly Turn[]): Promise<void> =>
  fenced(database, false, async (tx) => {
    for (const { id } of turns) {
      await tx
        .updateTable('delivery')
        .set({
          state: 'delivered',
          dead: 0,
          platform_message_id: '1',
          code: null,
          reason: null,
          updated_at_ms: Date.now(),
        })
        .where('id', '=', `${id}.1`)
        .returningAll()
        .executeTakeFirstOrThrow()
    }
  })
