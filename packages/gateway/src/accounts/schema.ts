import type { Database, Migration } from '@gatepost/sql'

/** Accounts. `account_id` identifies the folder and the rows of the channels. */
interface AccountTable {
  account_id: string
  /** User id as text; `null`: the owner's account before it has a user. */
  user_id: string | null
}

interface TokenTable {
  id: string
  /** Account that the token acts in. */
  account_id: string
  /** User who created it and whose permissions apply; `null`: the owner token. */
  user_id: string | null
  /** Token that created it and is revoked with it; `null`: created by a user or the owner token. */
  made_by: string | null
  /** OAuth client that created it and without which it's invalid; `null`: not created by a client. */
  client_id: string | null
  /** The client's authorization, with which it ends; `null`: the client acted for itself. */
  grant_id: string | null
  name: string
  /** SHA-256, hexadecimal. */
  token_hash: string
  /** Space-separated. */
  scopes: string
  created_at_ms: number
  expires_at_ms: number | null
  last_used_at_ms: number | null
  revoked_at_ms: number | null
}

interface InvitationTable {
  id: string
  token_hash: string
  email: string | null
  is_staff: number
  /** 1 for the invitation to create the first account. */
  is_first: number
  /** Actor, as in the audit log. */
  created_by: string
  created_at_ms: number
  expires_at_ms: number
  used_at_ms: number | null
  /** Account id. */
  used_by: string | null
}

interface AuditTable {
  /** Increases with time. */
  id: string
  at_ms: number
  actor: string
  actor_kind: string
  account_id: string | null
  action: string
  target: string | null
  ip: string | null
  user_agent: string | null
  outcome: string
  code: string | null
}

/** At most one row: the assistant's settings from the console. */
interface AssistantTable {
  id: string
  /** Changes with each update. */
  version: string
  /** JSON, encrypted with the secret key. */
  sealed: string
  changed_at_ms: number
}

/** Secret keys that stored data may be encrypted with. */
interface SecretKeyTable {
  /** Derived from the key, which it doesn't reveal. */
  key_id: string
  first_used_at_ms: number
}

/** At most one row: the latest rotation of the secret keys. */
interface KeyRotationTable {
  id: string
  /** Random ID of the run. A process that takes a rotation over replaces it. */
  runner: string
  /** The key that it encrypts with. */
  key_id: string
  /** `running`, `done`, or `failed`. */
  state: string
  /** Name of the table being processed; `null` at the beginning. */
  at_table: string | null
  /** JSON of the last key processed in it; `null` at its beginning. */
  after_key: string | null
  total: number
  seen: number
  resealed: number
  unreadable: number
  changed_at_ms: number
}

/** The gateway's own tables. */
export interface GatewayTables {
  gateway_account: AccountTable
  gateway_token: TokenTable
  gateway_invitation: InvitationTable
  gateway_audit: AuditTable
  gateway_assistant: AssistantTable
  gateway_secret_key: SecretKeyTable
  gateway_key_rotation: KeyRotationTable
}

/** The database, or the current transaction. */
export type GatewayDb = Database<GatewayTables>['db']

type Db = Parameters<Migration['up']>[0]

/** Migrations, forward only. A released migration is never edited. */
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
  {
    name: '0004_tokens_of_clients',
    async up(db) {
      await db.schema.alterTable('gateway_token').addColumn('client_id', 'text').execute()
      await db.schema.alterTable('gateway_token').addColumn('grant_id', 'text').execute()
    },
  },
  { name: '0005_secret_keys', up: createSecretKeys },
]

async function createSecretKeys(db: Db): Promise<void> {
  await db.schema
    .createTable('gateway_secret_key')
    .addColumn('key_id', 'text', (c) => c.primaryKey())
    .addColumn('first_used_at_ms', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('gateway_key_rotation')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('runner', 'text', (c) => c.notNull())
    .addColumn('key_id', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('at_table', 'text')
    .addColumn('after_key', 'text')
    .addColumn('total', 'bigint', (c) => c.notNull())
    .addColumn('seen', 'bigint', (c) => c.notNull())
    .addColumn('resealed', 'bigint', (c) => c.notNull())
    .addColumn('unreadable', 'bigint', (c) => c.notNull())
    .addColumn('changed_at_ms', 'bigint', (c) => c.notNull())
    .execute()
}

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
