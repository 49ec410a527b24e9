import type { GatewayDb } from './database.ts'
import type { Migration } from '@gatepost/sql'

type Db = Parameters<Migration['up']>[0]

/** Forward only; a migration that has shipped is never edited. */
export const gatewayMigrations: readonly Migration[] = [
  {
    name: '0001_accounts',
    async up(db) {
      await db.schema
        .createTable('gateway_account')
        .addColumn('account_id', 'text', (c) => c.primaryKey())
        .addColumn('user_id', 'text', (c) => c.unique())
        .execute()
      await (db as GatewayDb).insertInto('gateway_account').values({ account_id: 'owner', user_id: null }).execute() // the table made above
      await createTokens(db)
      await createInvitations(db)
      await createAudit(db)
    },
  },
  {
    name: '0002_tokens_of_tokens',
    async up(db) {
      await db.schema.alterTable('gateway_token').addColumn('made_by', 'text').execute()
      await db.schema.createIndex('gateway_token_made_by').on('gateway_token').column('made_by').execute()
    },
  },
  {
    name: '0003_assistant',
    async up(db) {
      await db.schema
        .createTable('gateway_assistant')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .addColumn('version', 'text', (c) => c.notNull())
        .addColumn('sealed', 'text', (c) => c.notNull())
        .addColumn('changed_at_ms', 'bigint', (c) => c.notNull())
        .execute()
    },
  },
]

async function createTokens(db: Db): Promise<void> {
  await db.schema
    .createTable('gateway_token')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text')
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('created_at_ms', 'bigint', (c) => c.notNull())
    .addColumn('expires_at_ms', 'bigint')
    .addColumn('last_used_at_ms', 'bigint')
    .addColumn('revoked_at_ms', 'bigint')
    .execute()
  await db.schema.createIndex('gateway_token_account').on('gateway_token').column('account_id').execute()
}

async function createInvitations(db: Db): Promise<void> {
  await db.schema
    .createTable('gateway_invitation')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('email', 'text')
    .addColumn('is_staff', 'integer', (c) => c.notNull())
    .addColumn('is_first', 'integer', (c) => c.notNull())
    .addColumn('created_by', 'text', (c) => c.notNull())
    .addColumn('created_at_ms', 'bigint', (c) => c.notNull())
    .addColumn('expires_at_ms', 'bigint', (c) => c.notNull())
    .addColumn('used_at_ms', 'bigint')
    .addColumn('used_by', 'text')
    .execute()
}

async function createAudit(db: Db): Promise<void> {
  await db.schema
    .createTable('gateway_audit')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('at_ms', 'bigint', (c) => c.notNull())
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('actor_kind', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text')
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('target', 'text')
    .addColumn('ip', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('outcome', 'text', (c) => c.notNull())
    .addColumn('code', 'text')
    .execute()
  await db.schema.createIndex('gateway_audit_at').on('gateway_audit').column('at_ms').execute()
}
