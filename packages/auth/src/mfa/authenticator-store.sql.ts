import { type SealedTable, sealedTable } from '@gatepost/sql'
import { sql } from 'kysely'
import type { Kernel } from '../kernel/kernel.ts'
import { lockClaim } from '../account/contact-stores.sql.ts'
import { AuthError } from '../errors.ts'
import { unlessUnreadable } from '../kernel/crypto/crypto.ts'
import { parseJsonColumn, parseNullableTime, parseTime, timeText } from '../kernel/schema/values.ts'
import type { AuthDb } from '../kernel/users/user.ts'
import { type UserRows, userRows } from '../kernel/users/user-rows.sql.ts'
import { resealSecrets } from './sealed-secret.ts'
import type { Authenticator, AuthenticatorData, AuthenticatorStore, AuthenticatorType } from './mfa.ts'

/** All types, in the order in which they are listed. */
export const AUTHENTICATOR_TYPES = [
  'recovery_codes',
  'totp',
  'webauthn',
] as const satisfies readonly AuthenticatorType[]

const COLUMNS = ['id', 'user_id', 'type', 'data', 'created_at', 'last_used_at'] as const

interface AuthenticatorRow {
  readonly id: number
  readonly user_id: string | number
  readonly type: string
  readonly data: unknown
  readonly created_at: Date | string
  readonly last_used_at: Date | string | null
}

type Parts = Pick<Kernel, 'database' | 'settings'>

/** Port: `AuthenticatorStore`. Ignores rows of unknown types. */
export function sqlAuthenticatorStore(parts: Parts): AuthenticatorStore {
  let known: UserRows | null = null
  const users = (): UserRows => (known ??= userRows(parts.settings.userTable, parts.database.dialect))
  const read = (row: AuthenticatorRow): Authenticator => readAuthenticator(parts, users(), row)
  const byId = async (db: AuthDb, id: number): Promise<Authenticator | null> => {
    if (!Number.isSafeInteger(id)) return null
    const query = db.selectFrom('mfa_authenticator').select(COLUMNS).where('id', '=', id)
    const row = await query.where('type', 'in', AUTHENTICATOR_TYPES).executeTakeFirst()
    return row === undefined ? null : read(row)
  }
  return {
    async ofUser(db, userId, types = AUTHENTICATOR_TYPES) {
      const key = users().key(userId)
      if (key === null || types.length === 0) return []
      const query = db.selectFrom('mfa_authenticator').select(COLUMNS).where('user_id', '=', key)
      return (await query.where('type', 'in', types).orderBy('id').execute()).map(read)
    },
    byId,
    async insert(db, { userId, type, data, createdAtMs }) {
      const key = users().key(userId)
      if (key === null) throw new AuthError('not_found')
      const times = { created_at: timeText(createdAtMs, parts.database.dialect), last_used_at: null }
      const row = { user_id: key, type, data: JSON.stringify(data), ...times }
      return read(await db.insertInto('mfa_authenticator').values(row).returning(COLUMNS).executeTakeFirstOrThrow())
    },
    async update(db, id, { data, lastUsedAtMs }) {
      const changes = {
        ...(data === undefined ? {} : { data: JSON.stringify(data) }),
        ...(lastUsedAtMs === undefined ? {} : { last_used_at: usedText(parts, lastUsedAtMs) }),
      }
      if (Object.keys(changes).length === 0) return byId(db, id)
      const query = db.updateTable('mfa_authenticator').set(changes).where('id', '=', id)
      const row = await query.returning(COLUMNS).executeTakeFirst()
      return row === undefined ? null : read(row)
    },
    async remove(db, id) {
      const query = db.deleteFrom('mfa_authenticator').where('id', '=', id)
      return (await query.returning('id').executeTakeFirst()) !== undefined
    },
    lock: (db, userId) => lockClaim(parts, db, 'authenticators_of', String(userId)),
  }
}

const usedText = ({ database }: Parts, ms: number | null): string | null =>
  ms === null ? null : timeText(ms, database.dialect)

function readAuthenticator({ database }: Parts, users: UserRows, row: AuthenticatorRow): Authenticator {
  return {
    id: row.id,
    userId: users.id(row.user_id),
    type: parseAuthenticatorType(row.type),
    data: parseAuthenticatorData(parseJsonColumn(row.data, database.dialect)),
    createdAtMs: parseTime(row.created_at),
    lastUsedAtMs: parseNullableTime(row.last_used_at),
  }
}

function parseAuthenticatorType(text: string): AuthenticatorType {
  const type = AUTHENTICATOR_TYPES.find((known) => known === text)
  if (type === undefined) throw new AuthError('database_foreign', { details: { reason: 'authenticator type' } })
  return type
}

function parseAuthenticatorData(value: unknown): AuthenticatorData {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new AuthError('database_foreign', { details: { reason: 'authenticator data' } })
}

/** Creates the `SealedTable` of the authenticators' secrets. */
export const sealedAuthenticators = ({ database, sealer }: Pick<Kernel, 'database' | 'sealer'>): SealedTable =>
  sealedTable(database, {
    table: 'mfa_authenticator',
    key: sql.ref('id'),
    columns: ['data'],
    where: sql`type in ('totp', 'recovery_codes')`,
    reseal: ({ data }) => unlessUnreadable(() => ({ data: data && resealSecrets(sealer, data) })),
  })
