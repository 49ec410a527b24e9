import { createHash } from 'node:crypto'
import {
  createSealer,
  type Database,
  deriveBytes,
  type SealedTable,
  sealedTable,
  type SealingFormat,
} from '@gatepost/sql'
import { sql, type Transaction } from 'kysely'
import type { ReplyContext } from '../connection.ts'
import type { DeliveryRow } from '../outbox/deliveries.sql.ts'
import { revealKeys, type SecretKeys } from '../secret.ts'
import type { BotHandle } from '../storage/bot-handle.ts'
import type { ChannelTables } from '../storage/schema.ts'

/**
 * Encrypts the reply contexts of messages for storage. A message keeps its context until its reply has an outcome, so
 * that a process that takes over can send the reply without waiting for the user's next message.
 */
export interface ReplyContextSealer {
  /** Returns `null` when the context is too long to store. */
  seal(context: string, messageId: string): string | null
  /** Returns `null` when it was sealed with an unknown key or for another message, or was changed. */
  open(sealed: string, messageId: string): string | null
  /** Seals with the newest key, unless it already is. Returns `null` when no key can open it. */
  reseal(sealed: string, messageId: string): string | null
}

/** Longest context that is stored, in UTF-16 units; those of Weixin are far shorter. */
const CONTEXT_MAX = 8_192
const KEY_INFO = 'gatepost reply contexts'
const FORMAT: SealingFormat = {
  info: KEY_INFO,
  // one text for each message: too many for random nonces under one key
  saltBytes: 16,
  order: 'tag_text',
  keyId: (secret) =>
    createHash('sha256')
      .update(deriveBytes(secret, '', KEY_INFO, 32))
      .digest('hex')
      .slice(0, 16),
}

/** Creates the sealer. A sealed context is `<key id>.<base64url>`, and the message's id is authenticated with it. */
export function createReplyContextSealer(secretKeys: SecretKeys): ReplyContextSealer {
  const sealer = createSealer(FORMAT, revealKeys(secretKeys))
  const seal = (context: string, messageId: string): string => {
    const { keyId, bytes } = sealer.seal(context, messageId)
    return `${keyId}.${Buffer.from(bytes).toString('base64url')}`
  }
  const open = (sealed: string, messageId: string): string | null => {
    const [keyId = '', text = ''] = sealed.split('.')
    return sealer.open({ keyId, bytes: Buffer.from(text, 'base64url') }, messageId)
  }
  return {
    seal: (context, messageId) => (context.length > CONTEXT_MAX ? null : seal(context, messageId)),
    open,
    reseal(sealed, messageId) {
      if (sealed.startsWith(`${sealer.keyId}.`)) return sealed
      const context = open(sealed, messageId)
      return context === null ? null : seal(context, messageId)
    },
  }
}

/** Creates the `SealedTable` of the stored reply contexts. */
export const sealedReplyContexts = (database: Database<ChannelTables>, sealer: ReplyContextSealer): SealedTable =>
  sealedTable(database, {
    table: 'message',
    key: sql.ref('id'),
    columns: ['reply_context'],
    where: KEPT,
    reseal({ reply_context }, id) {
      const resealed = reply_context === null ? null : sealer.reseal(reply_context, String(id))
      return resealed === null ? null : { reply_context: resealed }
    },
  })

/** A literal, not a parameter: only then can the databases use the partial index. */
const KEPT = sql<boolean>`message.reply_context is not null`

/** Returns the reply contexts of the bot's messages whose reply has no outcome yet, oldest first. */
export async function readReplyContexts(
  handle: BotHandle,
  sealer: ReplyContextSealer,
): Promise<readonly ReplyContext[]> {
  const rows = await handle.database.db
    .selectFrom('message')
    .innerJoin('conversation', 'conversation.id', 'message.conversation_id')
    .select(['message.id', 'message.reply_context', 'message.sent_at_ms'])
    .select(['conversation.chat_id', 'conversation.kind'])
    .where('message.bot', '=', handle.bot)
    .where(KEPT)
    .execute()
  // few: sorted here, so that the databases choose the partial index
  const oldestFirst = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return oldestFirst.flatMap(({ id, reply_context, sent_at_ms, chat_id, kind }) => {
    const context = reply_context === null ? null : sealer.open(reply_context, id)
    return context === null ? [] : [{ chat: { id: chat_id, kind }, context, sentAtMs: sent_at_ms }]
  })
}

/** Deletes the reply contexts of a turn whose delivery has an outcome, unless another one of it is pending. */
export async function deleteReplyContexts(
  tx: Transaction<ChannelTables>,
  { bot, chat_id, turn_id, conversation_id, state }: DeliveryRow,
): Promise<void> {
  if (turn_id === null || conversation_id === null || state === 'queued' || state === 'sending') return
  await tx
    .updateTable('message')
    .set({ reply_context: null })
    .where('bot', '=', bot)
    .where('conversation_id', '=', conversation_id)
    .where(KEPT)
    .where('turn_id', '=', turn_id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('delivery')
            .select('delivery.id')
            .where('delivery.bot', '=', bot)
            .where('delivery.chat_id', '=', chat_id)
            .where(sql<boolean>`delivery.state in ('queued', 'sending')`)
            .where('delivery.turn_id', '=', turn_id),
        ),
      ),
    )
    .execute()
}
