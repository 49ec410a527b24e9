/**
 * The type of a column. `key4` and `key8` are generated integer keys of 4 and 8 bytes, `int4` is a reference to a
 * `key4`, and `user_key` a reference to the user table, whose key type is a setting. `uuid` and `text_key` are possible
 * keys of a site's own user table. `bytes` and `int8` occur only in tables of this package.
 */
export type ColumnType =
  | 'key4'
  | 'key8'
  | 'int4'
  | 'int8'
  | 'user_key'
  | 'uuid'
  | 'text_key'
  | 'bool'
  | 'time'
  | 'text'
  | 'json'
  | 'inet'
  | 'bytes'
  | `varchar(${number})`

/** A column of a table. */
export interface PhysicalColumn {
  readonly name: string
  readonly type: ColumnType
  readonly nullable?: true
  readonly unique?: true
  readonly primaryKey?: true
  /** The referenced table; `user` stands for the user table. Removing the referenced row removes this row. */
  readonly references?: string
  /** Removing the referenced row sets this reference to null instead. */
  readonly cleared?: true
}

/** An index other than those of the primary key and of unique columns. */
export interface PhysicalIndex {
  readonly name: string
  /** A column, or `lower(column)`. */
  readonly columns: readonly string[]
  readonly unique?: true
  /** Condition of a partial index, in SQL that works in both databases, with quoted columns. */
  readonly where?: string
}

/** A table as it should exist in the database. */
export interface PhysicalTable {
  readonly name: string
  readonly columns: readonly PhysicalColumn[]
  readonly indexes: readonly PhysicalIndex[]
  /** Makes it a `WITHOUT ROWID` table on SQLite. */
  readonly withoutRowid?: true
}

const key4: PhysicalColumn = { name: 'id', type: 'key4', primaryKey: true }
const key8: PhysicalColumn = { name: 'id', type: 'key8', primaryKey: true }
const user: PhysicalColumn = { name: 'user_id', type: 'user_key', references: 'user' }

/** Defines a required column. */
export const column = (name: string, type: ColumnType): PhysicalColumn => ({ name, type })

/** Defines a nullable column. */
export const nullable = (name: string, type: ColumnType): PhysicalColumn => ({ name, type, nullable: true })

/** Defines a unique column. */
export const unique = (name: string, type: ColumnType): PhysicalColumn => ({ name, type, unique: true })

const reference = (name: string, type: ColumnType, references: string): PhysicalColumn => ({ name, type, references })

/** Exists only if an address can have only one verified owner (`uniqueEmail`). */
export const VERIFIED_EMAIL_INDEX: PhysicalIndex = {
  name: 'unique_verified_email',
  columns: ['email'],
  unique: true,
  where: '"verified"',
}

/** The account tables other than the user table, in dependency order. */
export const ACCOUNT_TABLES: readonly PhysicalTable[] = [
  {
    name: 'account_emailaddress',
    columns: [key4, column('email', 'varchar(254)'), column('verified', 'bool'), column('primary', 'bool'), user],
    indexes: [
      { name: 'account_emailaddress_user_id_email_uniq', columns: ['user_id', 'email'], unique: true },
      { name: 'unique_primary_email', columns: ['user_id', 'primary'], unique: true, where: '"primary"' },
      VERIFIED_EMAIL_INDEX,
      { name: 'account_emailaddress_user_id', columns: ['user_id'] },
      { name: 'account_emailaddress_email', columns: ['email'] },
      { name: 'account_emailaddress_email_lower', columns: ['lower(email)'] },
    ],
  },
  {
    name: 'account_emailconfirmation',
    columns: [
      key4,
      column('created', 'time'),
      nullable('sent', 'time'),
      unique('key', 'varchar(64)'),
      reference('email_address_id', 'int4', 'account_emailaddress'),
    ],
    indexes: [{ name: 'account_emailconfirmation_email_address_id', columns: ['email_address_id'] }],
  },
  {
    name: 'socialaccount_socialaccount',
    columns: [
      key4,
      column('provider', 'varchar(200)'),
      column('uid', 'varchar(191)'),
      column('last_login', 'time'),
      column('date_joined', 'time'),
      column('extra_data', 'json'),
      user,
    ],
    indexes: [
      { name: 'socialaccount_socialaccount_provider_uid_uniq', columns: ['provider', 'uid'], unique: true },
      { name: 'socialaccount_socialaccount_user_id', columns: ['user_id'] },
    ],
  },
  {
    name: 'socialaccount_socialapp',
    columns: [
      key4,
      column('provider', 'varchar(30)'),
      column('name', 'varchar(40)'),
      column('client_id', 'varchar(191)'),
      column('secret', 'varchar(191)'),
      column('key', 'varchar(191)'),
      column('provider_id', 'varchar(200)'),
      column('settings', 'json'),
    ],
    indexes: [],
  },
  {
    name: 'django_site',
    columns: [key4, unique('domain', 'varchar(100)'), column('name', 'varchar(50)')],
    indexes: [],
  },
  {
    name: 'socialaccount_socialapp_sites',
    columns: [
      key4,
      reference('socialapp_id', 'int4', 'socialaccount_socialapp'),
      reference('site_id', 'int4', 'django_site'),
    ],
    indexes: [
      { name: 'socialaccount_socialapp_sites_uniq', columns: ['socialapp_id', 'site_id'], unique: true },
      { name: 'socialaccount_socialapp_sites_socialapp_id', columns: ['socialapp_id'] },
      { name: 'socialaccount_socialapp_sites_site_id', columns: ['site_id'] },
    ],
  },
  {
    name: 'socialaccount_socialtoken',
    columns: [
      key4,
      column('token', 'text'),
      column('token_secret', 'text'),
      nullable('expires_at', 'time'),
      reference('account_id', 'int4', 'socialaccount_socialaccount'),
      { ...reference('app_id', 'int4', 'socialaccount_socialapp'), nullable: true, cleared: true },
    ],
    indexes: [
      { name: 'socialaccount_socialtoken_app_id_account_id_uniq', columns: ['app_id', 'account_id'], unique: true },
      { name: 'socialaccount_socialtoken_account_id', columns: ['account_id'] },
      { name: 'socialaccount_socialtoken_app_id', columns: ['app_id'] },
    ],
  },
  {
    name: 'mfa_authenticator',
    columns: [
      key8,
      column('type', 'varchar(20)'),
      column('data', 'json'),
      user,
      column('created_at', 'time'),
      nullable('last_used_at', 'time'),
    ],
    indexes: [
      {
        name: 'unique_authenticator_type',
        columns: ['user_id', 'type'],
        unique: true,
        where: `"type" in ('totp', 'recovery_codes')`,
      },
      { name: 'mfa_authenticator_user_id', columns: ['user_id'] },
    ],
  },
  {
    name: 'usersessions_usersession',
    columns: [
      key8,
      column('created_at', 'time'),
      column('ip', 'inet'),
      column('last_seen_at', 'time'),
      unique('session_key', 'varchar(40)'),
      column('user_agent', 'varchar(200)'),
      column('data', 'json'),
      user,
    ],
    indexes: [{ name: 'usersessions_usersession_user_id', columns: ['user_id'] }],
  },
  {
    name: 'allauth_idp_oidc_client',
    columns: [
      { name: 'id', type: 'varchar(100)', primaryKey: true },
      column('name', 'varchar(100)'),
      column('secret', 'varchar(200)'),
      column('scopes', 'text'),
      column('type', 'varchar(20)'),
      column('grant_types', 'text'),
      column('redirect_uris', 'text'),
      column('cors_origins', 'text'),
      column('response_types', 'text'),
      column('skip_consent', 'bool'),
      column('created_at', 'time'),
      nullable('data', 'json'),
      { ...reference('owner_id', 'user_key', 'user'), nullable: true },
      column('default_scopes', 'text'),
      column('allow_uri_wildcards', 'bool'),
    ],
    indexes: [{ name: 'allauth_idp_oidc_client_owner_id', columns: ['owner_id'] }],
  },
  {
    name: 'allauth_idp_oidc_token',
    columns: [
      key8,
      column('type', 'varchar(2)'),
      column('hash', 'varchar(255)'),
      nullable('data', 'json'),
      column('created_at', 'time'),
      nullable('expires_at', 'time'),
      column('scopes', 'text'),
      { ...reference('client_id', 'varchar(100)', 'allauth_idp_oidc_client'), nullable: true },
      { ...user, nullable: true },
    ],
    indexes: [
      { name: 'allauth_idp_oidc_token_type_hash_uniq', columns: ['type', 'hash'], unique: true },
      { name: 'allauth_idp_oidc_token_client_id', columns: ['client_id'] },
      { name: 'allauth_idp_oidc_token_user_id', columns: ['user_id'] },
      { name: 'allauth_idp_oidc_token_expires_at', columns: ['expires_at'] },
    ],
  },
]
