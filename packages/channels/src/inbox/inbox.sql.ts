import { randomUUIDv7 } from 'node:crypto'
import type { Transaction } from 'kysely'
import type { BotHandle } from '../storage/bot-handle.ts'
import { cleanTexts } from '../storage/storable.ts'
import { upsertContact, setReachability } from '../contacts/contacts.sql.ts'
import { moveChat, placeDeliveries } from '../conversations/chats.sql.ts'
import type { Chat, InboundEdit, InboundEvent, InboundMessage } from '../message.ts'
import { createRisingId } from '../storage/rising-id.ts'
import type { ChannelTables } from '../storage/schema.ts'
import { type AccessRules, decideAccess } from './access.ts'
import type { ReplyContextSealer } from './reply-contexts.sql.ts'

type Tx = Transaction<ChannelTables>

/** Limit on the values in one statement. */
const KEYS_AT_ONCE = 500

/** A newly stored message. */
export interface Accepted {
  readonly row: ChannelTables['message']
  readonly chat: Chat
}

/** How messages are accepted. */
export interface Acceptance {
  readonly rules: AccessRules
  /** Encrypts their reply contexts. */
  readonly sealer: ReplyContextSealer
  /** Time, milliseconds since the Unix epoch. */
  readonly nowMs: number
}

/**
 * Stores a batch and the cursor in one transaction. Skips messages stored before and drops group messages that are not
 * addressed to the bot. The batch may be acknowledged only after a `flush` of the database.
 * @returns the new messages, in order.
 * @throws {ChannelError} `lease_lost`
 */
export async function acceptBatch(
  handle: BotHandle,
  events: readonly InboundEvent[],
  cursor: string | null,
  { rules, sealer, nowMs }: Acceptance,
): Promise<readonly Accepted[]> {
  // one unstorable message must not block the whole batch
  const batch = cleanTexts(events)
  return handle.write(async (tx) => {
    const known = await knownKeys(tx, handle.bot, batch)
    const accepted: Accepted[] = []
    for (const event of batch) {
      if (event.type === 'message') {
        if (known.has(event.key)) continue
        known.add(event.key)
        const stored = await storeMessage(tx, handle.bot, event, { rules, sealer, nowMs })
        if (stored) accepted.push(stored)
      } else if (event.type === 'edit') await applyEdit(tx, handle.bot, event)
      else if (event.type === 'reachability') await setReachability(tx, handle.bot, event, nowMs)
      else await moveChat(tx, handle.bot, event)
    }
    if (cursor !== null) await saveCursor(tx, handle.bot, cursor)
    return accepted
  })
}

/** Returns the bot's stored cursor, or `null`. */
export async function readCursor(handle: BotHandle): Promise<string | null> {
  const row = await handle.database.db
    .selectFrom('bot')
    .select('cursor')
    .where('bot', '=', handle.bot)
    .executeTakeFirst()
  return row?.cursor ?? null
}

async function saveCursor(tx: Tx, bot: string, cursor: string): Promise<void> {
  await tx
    .insertInto('bot')
    .values({ bot, cursor, gaps_json: '[]' })
    .onConflict((c) => c.column('bot').doUpdateSet({ cursor }))
    .execute()
}

async function knownKeys(tx: Tx, bot: string, batch: readonly InboundEvent[]): Promise<Set<string>> {
  const keys = batch.filter((event) => event.type === 'message').map((event) => event.key)
  const known = new Set<string>()
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    const rows = await tx
      .selectFrom('message')
      .select('dedupe_key')
      .where('bot', '=', bot)
      .where('dedupe_key', 'in', keys.slice(at, at + KEYS_AT_ONCE))
      .execute()
    for (const row of rows) known.add(row.dedupe_key)
  }
  return known
}

async function storeMessage(
  tx: Tx,
  bot: string,
  message: InboundMessage,
  { rules, sealer, nowMs }: Acceptance,
): Promise<Accepted | null> {
  const access = decideAccess(message, rules)
  if (access.decision === 'overhear') return null
  const conversation = await touchConversation(tx, bot, message.chat, message.messageId, nowMs)
  await upsertContact(tx, bot, message.from, message.chat, nowMs)
  const id = createRisingId(nowMs)
  const isAnswered = access.decision === 'answer'
  const row: ChannelTables['message'] = {
    id,
    bot,
    dedupe_key: message.key,
    conversation_id: conversation.id,
    position: conversation.position,
    platform_message_id: message.messageId,
    user_id: message.from.id,
    user_name: message.from.name ?? message.from.username ?? null,
    text: message.text,
    quoted: message.quoted?.text ?? null,
    files_json: JSON.stringify(message.media),
    state: isAnswered ? 'received' : 'ignored',
    reason: access.decision === 'ignore' ? access.reason : null,
    turn_id: null,
    sent_at_ms: message.sentAtMs,
    received_at_ms: nowMs,
    answer_after_ms: nowMs + (message.settleMs ?? 0),
    reply_context: isAnswered && message.replyContext !== undefined ? sealer.seal(message.replyContext, id) : null,
  }
  await tx.insertInto('message').values(row).execute()
  return { row, chat: message.chat }
}

async function touchConversation(
  tx: Tx,
  bot: string,
  chat: Chat,
  messageId: string,
  nowMs: number,
): Promise<{ id: string; position: number }> {
  const title = chat.title ?? null
  const row = await tx
    .insertInto('conversation')
    .values({
      id: randomUUIDv7(),
      bot,
      chat_id: chat.id,
      thread_id: chat.threadId ?? '',
      kind: chat.kind,
      title,
      last_position: 1,
      last_message_id: messageId,
      updated_at_ms: nowMs,
    })
    .onConflict((c) =>
      c.columns(['bot', 'chat_id', 'thread_id']).doUpdateSet((eb) => ({
        last_position: eb('conversation.last_position', '+', 1),
        last_message_id: messageId,
        title,
        updated_at_ms: nowMs,
      })),
    )
    .returning(['id', 'last_position'])
    .executeTakeFirstOrThrow()
  // the first few: a delivery to this user may be in flight when the first message arrives
  if (row.last_position <= 3) {
    await placeDeliveries(tx, { id: row.id, bot, chat_id: chat.id, thread_id: chat.threadId ?? '' })
  }
  return { id: row.id, position: row.last_position }
}

/** An edit affects the reply only while the message is unanswered; afterwards it only corrects the record. */
async function applyEdit(tx: Tx, bot: string, edit: InboundEdit): Promise<void> {
  await tx
    .updateTable('message')
    .set({ text: edit.text })
    .where('bot', '=', bot)
    .where('dedupe_key', '=', edit.key)
    .execute()
}
