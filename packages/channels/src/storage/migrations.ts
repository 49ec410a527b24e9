import type { Migration } from '@gatepost/sql'
import { sql } from 'kysely'

/** Forward only; a migration that has shipped is never edited. Portable columns: text, integer 0/1, bigint milliseconds. */
export const channelMigrations: readonly Migration[] = [
  {
    name: '0001_channels',
    async up(db) {
      await db.schema
        .createTable('lease')
        .addColumn('name', 'text', (c) => c.primaryKey())
        .addColumn('holder', 'text', (c) => c.notNull())
        .addColumn('epoch', 'bigint', (c) => c.notNull())
        .addColumn('expires_at_ms', 'bigint', (c) => c.notNull())
        .addColumn('report_json', 'text')
        .execute()
      await db.schema
        .createTable('bot')
        .addColumn('bot', 'text', (c) => c.primaryKey())
        .addColumn('cursor', 'text')
        .addColumn('gaps_json', 'text', (c) => c.notNull())
        .addColumn('heard_at_ms', 'bigint')
        .execute()
      await createPeople(db)
      await createMessages(db)
      await createDeliveries(db)
      await db.schema
        .createTable('credential')
        .addColumn('account_id', 'text', (c) => c.notNull())
        .addColumn('platform', 'text', (c) => c.notNull())
        .addColumn('key_id', 'text', (c) => c.notNull())
        .addColumn('sealed', 'text', (c) => c.notNull())
        .addColumn('updated_at_ms', 'bigint', (c) => c.notNull())
        .addPrimaryKeyConstraint('credential_key', ['account_id', 'platform'])
        .execute()
    },
  },
  {
    name: '0002_history',
    async up(db) {
      await placeDeliveries(db)
      await indexConversations(db)
      await indexOutcomes(db)
    },
  },
  {
    name: '0003_reply_contexts',
    async up(db) {
      await db.schema.alterTable('message').addColumn('reply_context', 'text').execute()
      // partial: holds only the few messages whose reply has no outcome yet
      await db.schema
        .createIndex('message_context')
        .on('message')
        .columns(['bot', 'conversation_id'])
        .where(sql.ref('reply_context'), 'is not', sql`null`)
        .execute()
    },
  },
  {
    name: '0004_people',
    async up(db) {
      await db.schema.createIndex('contact_direct').on('contact').columns(['bot', 'direct_chat_id']).execute()
      await db.schema.createIndex('contact_age').on('contact').columns(['last_seen_at_ms']).execute()
      await db.schema.createIndex('conversation_age').on('conversation').columns(['updated_at_ms']).execute()
    },
  },
  {
    name: '0005_setups',
    async up(db) {
      await db.schema
        .createTable('setup')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .addColumn('account_id', 'text', (c) => c.notNull())
        .addColumn('platform', 'text', (c) => c.notNull())
        .addColumn('holder', 'text', (c) => c.notNull())
        .addColumn('key_id', 'text', (c) => c.notNull())
        .addColumn('sealed', 'text', (c) => c.notNull())
        .addColumn('expires_at_ms', 'bigint', (c) => c.notNull())
        .execute()
      await db.schema.createIndex('setup_expiry').on('setup').columns(['expires_at_ms']).execute()
    },
  },
]

async function createPeople(db: Parameters<Migration['up']>[0]): Promise<void> {
  await db.schema
    .createTable('contact')
    .addColumn('bot', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text')
    .addColumn('username', 'text')
    .addColumn('direct_chat_id', 'text')
    .addColumn('last_seen_at_ms', 'bigint', (c) => c.notNull())
    .addColumn('unreachable', 'text')
    .addPrimaryKeyConstraint('contact_key', ['bot', 'user_id'])
    .execute()
  await db.schema
    .createTable('conversation')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('bot', 'text', (c) => c.notNull())
    .addColumn('chat_id', 'text', (c) => c.notNull())
    .addColumn('thread_id', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('title', 'text')
    .addColumn('last_position', 'bigint', (c) => c.notNull())
    .addColumn('last_message_id', 'text')
    .addColumn('updated_at_ms', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('conversation_chat', ['bot', 'chat_id', 'thread_id'])
    .execute()
}

async function createMessages(db: Parameters<Migration['up']>[0]): Promise<void> {
  await db.schema
    .createTable('message')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('bot', 'text', (c) => c.notNull())
    .addColumn('dedupe_key', 'text', (c) => c.notNull())
    .addColumn('conversation_id', 'text', (c) => c.notNull())
    .addColumn('position', 'bigint', (c) => c.notNull())
    .addColumn('platform_message_id', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('user_name', 'text')
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('quoted', 'text')
    .addColumn('files_json', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('reason', 'text')
    .addColumn('turn_id', 'text')
    .addColumn('sent_at_ms', 'bigint', (c) => c.notNull())
    .addColumn('received_at_ms', 'bigint', (c) => c.notNull())
    .addColumn('answer_after_ms', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('message_dedupe', ['bot', 'dedupe_key'])
    .addUniqueConstraint('message_position', ['conversation_id', 'position'])
    .execute()
  // partial: holds only the few pending rows
  await db.schema
    .createIndex('message_waiting')
    .on('message')
    .columns(['bot', 'conversation_id', 'position'])
    .where(sql.ref('state'), '=', sql.lit('received'))
    .execute()
  await db.schema.createIndex('message_list').on('message').columns(['bot', 'id']).execute()
  await db.schema.createIndex('message_age').on('message').columns(['received_at_ms']).execute()
  await db.schema
    .createTable('turn')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('conversation_id', 'text', (c) => c.notNull())
    .addColumn('bot', 'text', (c) => c.notNull())
    .addColumn('first_position', 'bigint', (c) => c.notNull())
    .addColumn('last_position', 'bigint', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('next_attempt_at_ms', 'bigint', (c) => c.notNull())
    .addColumn('error', 'text')
    .addColumn('answer', 'text', (c) => c.notNull())
    .addColumn('updated_at_ms', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('turn_history').on('turn').columns(['conversation_id', 'last_position']).execute()
  await db.schema.createIndex('turn_age').on('turn').columns(['updated_at_ms']).execute()
}

async function createDeliveries(db: Parameters<Migration['up']>[0]): Promise<void> {
  await db.schema
    .createTable('delivery')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('bot', 'text', (c) => c.notNull())
    .addColumn('conversation_id', 'text')
    .addColumn('turn_id', 'text')
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('chat_id', 'text', (c) => c.notNull())
    .addColumn('chat_kind', 'text', (c) => c.notNull())
    .addColumn('thread_id', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text')
    .addColumn('sequence', 'bigint', (c) => c.notNull())
    .addColumn('part', 'integer', (c) => c.notNull())
    .addColumn('content_json', 'text', (c) => c.notNull())
    .addColumn('reply_to', 'text')
    .addColumn('after_message_id', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('dead', 'integer', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('next_attempt_at_ms', 'bigint', (c) => c.notNull())
    .addColumn('mark', 'text')
    .addColumn('platform_message_id', 'text')
    .addColumn('code', 'text')
    .addColumn('reason', 'text')
    .addColumn('received_at_ms', 'bigint')
    .addColumn('created_at_ms', 'bigint', (c) => c.notNull())
    .addColumn('updated_at_ms', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('delivery_waiting')
    .on('delivery')
    .columns(['bot', 'chat_id', 'sequence', 'part'])
    .where(sql.ref('state'), 'in', [sql.lit('queued'), sql.lit('sending')])
    .execute()
  await db.schema.createIndex('delivery_list').on('delivery').columns(['bot', 'sequence', 'part']).execute()
  await db.schema
    .createIndex('delivery_dead')
    .on('delivery')
    .columns(['bot', 'sequence', 'part'])
    .where(sql.ref('dead'), '=', sql.lit(1))
    .execute()
  await db.schema.createIndex('delivery_age').on('delivery').columns(['updated_at_ms']).execute()
}

/** Assigns deliveries sent before the user's first message to the conversation that it started. */
async function placeDeliveries(db: Parameters<Migration['up']>[0]): Promise<void> {
  await sql`
    update delivery set conversation_id = (
      select conversation.id from conversation
      where conversation.bot = delivery.bot and conversation.chat_id = delivery.chat_id
        and conversation.thread_id = delivery.thread_id
    ) where conversation_id is null`.execute(db)
  await db.schema
    .createIndex('delivery_unplaced')
    .on('delivery')
    .columns(['bot', 'chat_id'])
    .where(sql.ref('conversation_id'), 'is', sql`null`)
    .execute()
}

async function indexConversations(db: Parameters<Migration['up']>[0]): Promise<void> {
  await db.schema
    .createIndex('conversation_recent')
    .on('conversation')
    .columns(['bot', 'updated_at_ms', 'id'])
    .execute()
  await db.schema
    .createIndex('delivery_conversation')
    .on('delivery')
    .columns(['conversation_id', 'sequence', 'part'])
    .execute()
  await db.schema
    .createIndex('delivery_conversation_dead')
    .on('delivery')
    .columns(['conversation_id'])
    .where(sql.ref('dead'), '=', sql.lit(1))
    .execute()
  await db.schema
    .createIndex('message_failed')
    .on('message')
    .columns(['conversation_id'])
    .where(sql.ref('state'), '=', sql.lit('failed'))
    .execute()
}

async function indexOutcomes(db: Parameters<Migration['up']>[0]): Promise<void> {
  await db.schema
    .createIndex('delivery_open')
    .on('delivery')
    .columns(['bot', 'sequence', 'part'])
    .where(sql.ref('state'), 'in', [sql.lit('queued'), sql.lit('sending'), sql.lit('live')])
    .execute()
  await db.schema
    .createIndex('delivery_failed')
    .on('delivery')
    .columns(['bot', 'sequence', 'part'])
    .where(sql.ref('state'), 'in', [sql.lit('refused'), sql.lit('unknown')])
    .execute()
  // covering indexes: the counts need not read the rows
  await db.schema.createIndex('message_traffic').on('message').columns(['bot', 'received_at_ms', 'state']).execute()
  await db.schema
    .createIndex('delivery_traffic')
    .on('delivery')
    .columns(['bot', 'updated_at_ms', 'state', 'received_at_ms', 'kind'])
    .where(sql.ref('state'), 'in', [sql.lit('delivered'), sql.lit('refused'), sql.lit('unknown')])
    .execute()
}
