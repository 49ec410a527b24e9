import type { Kernel } from '../../kernel/kernel.ts'
import { sql } from 'kysely'
import { AuthError } from '../../errors.ts'
import { removeRows } from '../../kernel/schema/remove-rows.sql.ts'
import { parseJsonColumn, parseTime, timeText } from '../../kernel/schema/values.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import type { AuthDb } from '../../kernel/users/user.ts'
import { type UserRows, userRows } from '../../kernel/users/user-rows.sql.ts'
import type { SocialAccountStore } from '../social-accounts.ts'
import type { SocialAccount } from '../social-login.ts'

const TABLE = 'socialaccount_socialaccount'
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

type Parts = Pick<Kernel, 'database' | 'settings'>

/** Port: `SocialAccountStore`. Of two who link the same account at once one does. */
export function sqlSocialAccountStore(parts: Parts): SocialAccountStore {
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
        .insertInto(TABLE)
        .values({ provider, uid, user_id: key, extra_data: JSON.stringify(extraData), ...times })
        .onConflict((conflict) => conflict.columns(['provider', 'uid']).doNothing())
        .returning(COLUMNS)
        .executeTakeFirst()
      return row === undefined ? null : read(row)
    },
    async update(db, id, { extraData, lastLoginMs }) {
      const last = timeText(lastLoginMs, parts.database.dialect)
      const changes = { extra_data: JSON.stringify(extraData), last_login: last }
      await db.updateTable(TABLE).set(changes).where('id', '=', id).execute()
    },
    async remove(db, id) {
      const found = await db.selectFrom(TABLE).select('id').where('id', '=', id).executeTakeFirst()
      if (found === undefined) return false
      const rows = { table: TABLE, target: sql.table(TABLE), key: sql.ref('id'), which: sql`${sql.ref('id')} = ${id}` }
      await removeRows(db, rows)
      return true
    },
  }
}

function lookups(
  users: () => UserRows,
  read: (row: AccountRow) => SocialAccount,
): Pick<SocialAccountStore, 'ofUser' | 'find' | 'byId'> {
  const select = (db: AuthDb) => db.selectFrom(TABLE).select(COLUMNS)
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

/** An old site may have stored a profile that is no object. */
function readAccount({ database }: Parts, users: UserRows, row: AccountRow): SocialAccount {
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
