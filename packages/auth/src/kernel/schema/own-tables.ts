import { column, nullable, type PhysicalTable, unique } from './physical.ts'

/** Tables of ours, beside those of the account database. Times are milliseconds since the Unix epoch. */
export const OWN_TABLES: readonly PhysicalTable[] = [
  {
    name: 'gatepost_session',
    columns: [
      { name: 'token_hash', type: 'bytes', primaryKey: true },
      unique('id', 'text'),
      nullable('user_id', 'text'),
      nullable('fingerprint', 'text'),
      nullable('authenticated_at_ms', 'int8'),
      column('created_at_ms', 'int8'),
      column('seen_at_ms', 'int8'),
      column('expires_at_ms', 'int8'),
      column('persistent', 'int4'),
      nullable('ip', 'text'),
      column('user_agent', 'text'),
      column('version', 'int4'),
      nullable('data', 'text'),
    ],
    indexes: [
      { name: 'gatepost_session_user_id', columns: ['user_id'], where: '"user_id" is not null' },
      { name: 'gatepost_session_expires_at_ms', columns: ['expires_at_ms'] },
    ],
    withoutRowid: true,
  },
  {
    name: 'gatepost_rate',
    columns: [
      { name: 'key', type: 'text', primaryKey: true },
      column('stamps', 'text'),
      column('expires_at_ms', 'int8'),
    ],
    indexes: [{ name: 'gatepost_rate_expires_at_ms', columns: ['expires_at_ms'] }],
    withoutRowid: true,
  },
  {
    name: 'gatepost_mail',
    columns: [
      { name: 'id', type: 'text', primaryKey: true },
      column('message', 'text'),
      column('attempts', 'int4'),
      column('due_at_ms', 'int8'),
      column('created_at_ms', 'int8'),
      nullable('claimed_until_ms', 'int8'),
    ],
    indexes: [{ name: 'gatepost_mail_due_at_ms', columns: ['due_at_ms'] }],
  },
  {
    name: 'gatepost_phone',
    columns: [{ name: 'user_id', type: 'text', primaryKey: true }, column('phone', 'text'), column('verified', 'int4')],
    indexes: [
      { name: 'gatepost_phone_phone', columns: ['phone'] },
      { name: 'gatepost_phone_verified', columns: ['phone'], unique: true, where: '"verified" = 1' },
    ],
  },
  {
    name: 'gatepost_artifact',
    columns: [
      { name: 'key', type: 'text', primaryKey: true },
      { ...unique('lookup', 'text'), nullable: true },
      nullable('grant_id', 'text'),
      column('payload', 'text'),
      nullable('consumed_at_ms', 'int8'),
      column('expires_at_ms', 'int8'),
    ],
    indexes: [
      { name: 'gatepost_artifact_grant_id', columns: ['grant_id'], where: '"grant_id" is not null' },
      { name: 'gatepost_artifact_expires_at_ms', columns: ['expires_at_ms'] },
    ],
  },
]
