import { type SealedTable, sealedTable } from '@gatepost/sql'
import { sql } from 'kysely'
import { AuthError } from '../../errors.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { unlessUnreadable } from '../../kernel/crypto/crypto.ts'
import { removeRows } from '../../kernel/schema/in-transaction.sql.ts'
import { parseJsonColumn, parseNullableTime, parseTime, timeText } from '../../kernel/schema/values.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import { userRows, type UserRows } from '../../kernel/users/user-rows.sql.ts'
import type { AuthDb } from '../../kernel/users/user.ts'
import { openText, resealText, sealText } from '../apps/app-secrets.ts'
import type { SocialAccountStore, SocialTokenStore } from '../social-accounts.ts'
import type { SocialAccount } from '../social-login.ts'

const ACCOUNT_TABLE = 'socialaccount_socialaccount'
const COLUMNS = ['id', 'provider', 'uid', 'last_login', 'date_joined', 'extra_data', 'user_id'] as const

interface AccountRow {
  readonly id: number
  readonly provider: string
  readonly uid: string
  readonly last_login: Date | string
  readonly date_joined: Date | string
  readonly extra_data: unknown
  readonly user_id: string | number
}

type AccountStoreParts = Pick<Kernel, 'database' | 'settings'>

/** Port: `SocialAccountStore`. If two requests link the same account at once, only one succeeds. */
export function sqlSocialAccountStore(parts: AccountStoreParts): SocialAccountStore {
  let known: UserRows | null = null
  const users = (): UserRows => (known ??= userRows(parts.settings.userTable, parts.database.dialect))
  const read = (row: AccountRow): SocialAccount => readAccount(parts, users(), row)
  return {
    ...lookups(users, read),
    async insert(db, { userId, provider, uid, extraData, lastLoginMs, dateJoinedMs }) {
      const key = users().key(userId)
      if (key === null) throw new AuthError('not_found')
      const { dialect } = parts.database
      const times = { last_login: timeText(lastLoginMs, dialect), date_joined: timeText(dateJoinedMs, dialect) }
      const row = await db
        .insertInto(ACCOUNT_TABLE)
        .values({ provider, uid, user_id: key, extra_data: JSON.stringify(extraData), ...times })
        .onConflict((conflict) => conflict.columns(['provider', 'uid']).doNothing())
        .returning(COLUMNS)
        .executeTakeFirst()
      return row === undefined ? null : read(row)
    },
    async update(db, id, { extraData, lastLoginMs }) {
      const last = timeText(lastLoginMs, parts.database.dialect)
      const changes = { extra_data: JSON.stringify(extraData), last_login: last }
      await db.updateTable(ACCOUNT_TABLE).set(changes).where('id', '=', id).execute()
    },
    async remove(db, id) {
      const found = await db.selectFrom(ACCOUNT_TABLE).select('id').where('id', '=', id).executeTakeFirst()
      if (found === undefined) return false
      const rows = {
        table: ACCOUNT_TABLE,
        target: sql.table(ACCOUNT_TABLE),
        key: sql.ref('id'),
        which: sql`${sql.ref('id')} = ${id}`,
      }
      await removeRows(db, rows)
      return true
    },
  }
}

function lookups(
  users: () => UserRows,
  read: (row: AccountRow) => SocialAccount,
): Pick<SocialAccountStore, 'ofUser' | 'find' | 'byId'> {
  const select = (db: AuthDb) => db.selectFrom(ACCOUNT_TABLE).select(COLUMNS)
  return {
    async ofUser(db, userId) {
      const key = users().key(userId)
      if (key === null) return []
      return (await select(db).where('user_id', '=', key).orderBy('id').execute()).map(read)
    },
    async find(db, provider, uid) {
      const row = await select(db).where('provider', '=', provider).where('uid', '=', uid).executeTakeFirst()
      return row === undefined ? null : read(row)
    },
    async byId(db, id) {
      if (!Number.isSafeInteger(id) || Math.abs(id) >= 2 ** 31) return null
      const row = await select(db).where('id', '=', id).executeTakeFirst()
      return row === undefined ? null : read(row)
    },
  }
}

/** Reads a row. Migrated sites may have stored a profile that isn't an object. */
function readAccount({ database }: AccountStoreParts, users: UserRows, row: AccountRow): SocialAccount {
  const extraData = parseJsonColumn(row.extra_data, database.dialect)
  return {
    id: row.id,
    userId: users.id(row.user_id),
    provider: row.provider,
    uid: row.uid,
    lastLoginMs: parseTime(row.last_login),
    dateJoinedMs: parseTime(row.date_joined),
    extraData: isRecord(extraData) ? extraData : {},
  }
}

const TOKEN_TABLE = 'socialaccount_socialtoken'

type TokenStoreParts = Pick<Kernel, 'database' | 'sealer' | 'oldSite'>

/** Port: `SocialTokenStore`. Call `save` in a transaction. */
export function sqlSocialTokenStore(parts: TokenStoreParts): SocialTokenStore {
  return {
    async ofAccount(db, accountId) {
      const rows = await db
        .selectFrom(TOKEN_TABLE)
        .select(['token', 'token_secret', 'expires_at', 'app_id'])
        .where('account_id', '=', accountId)
        .orderBy('id')
        .execute()
      const { sealer } = parts
      return rows.map((row) => ({
        token: openText(sealer, row.token, 'provider token'),
        tokenSecret: openText(sealer, row.token_secret, 'provider token'),
        expiresAtMs: parseNullableTime(row.expires_at),
        appId: row.app_id,
      }))
    },
    async save(db, accountId, appId, { token, tokenSecret, expiresAtMs }) {
      const { database } = parts
      await lockAccount(parts, db, accountId)
      const secret = sealText(parts, tokenSecret, 'provider token')
      const expires = expiresAtMs === null ? null : timeText(expiresAtMs, database.dialect)
      const changes = { token: sealText(parts, token, 'provider token'), expires_at: expires }
      const updated = await db
        .updateTable(TOKEN_TABLE)
        .set(secret === '' ? changes : { ...changes, token_secret: secret })
        .where('account_id', '=', accountId)
        .where('app_id', appId === null ? 'is' : '=', appId)
        .returning('id')
        .execute()
      if (updated.length > 0) return
      const row = { ...changes, token_secret: secret, account_id: accountId, app_id: appId }
      await db.insertInto(TOKEN_TABLE).values(row).execute()
    },
  }
}

/** Locks the account, because the unique constraint allows two rows without an app. */
async function lockAccount({ database }: TokenStoreParts, db: AuthDb, accountId: number): Promise<void> {
  if (database.dialect === 'sqlite') return
  await db.selectFrom('socialaccount_socialaccount').select('id').where('id', '=', accountId).forUpdate().execute()
}

/** Creates the `SealedTable` of the providers' tokens. */
export const sealedTokens = ({ database, sealer }: TokenStoreParts): SealedTable =>
  sealedTable(database, {
    table: TOKEN_TABLE,
    key: sql.ref('id'),
    columns: ['token', 'token_secret'],
    reseal: ({ token, token_secret }) =>
      unlessUnreadable(() => ({
        token: resealText(sealer, token ?? '', 'provider token'),
        token_secret: resealText(sealer, token_secret ?? '', 'provider token'),
      })),
  })
