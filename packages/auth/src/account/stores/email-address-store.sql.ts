import type { Database } from '@gatepost/sql'
import { sql } from 'kysely'
import { AuthError } from '../../errors.ts'
import { inTransaction, nullOnUniqueViolation } from '../../kernel/schema/in-transaction.sql.ts'
import { removeRows } from '../../kernel/schema/remove-rows.sql.ts'
import type { AuthTables } from '../../kernel/schema/tables.ts'
import { isTrue } from '../../kernel/schema/values.ts'
import type { UserTable } from '../../kernel/settings/user-table.ts'
import { foldCase, isStorable, matchesFolded } from '../../kernel/users/fold-case.sql.ts'
import type { AuthDb, UserId } from '../../kernel/users/user.ts'
import { type UserRows, userRows } from '../../kernel/users/user-rows.sql.ts'
import type { EmailAddress, EmailAddressStore } from '../email-address.ts'

/** What the stores of addresses need. */
export interface EmailStoreParts {
  readonly database: Database<AuthTables>
  readonly settings: { readonly userTable: UserTable; readonly account: { readonly uniqueEmail: boolean } }
}

interface AddressRow {
  readonly id: number
  readonly user_id: string | number
  readonly email: string
  readonly verified: unknown
  readonly primary: unknown
}

/** An address from its row. */
export const readAddress = (rows: UserRows, row: AddressRow): EmailAddress => ({
  id: row.id,
  userId: rows.id(row.user_id),
  email: row.email,
  verified: isTrue(row.verified),
  primary: isTrue(row.primary),
})

const COLUMNS = ['id', 'user_id', 'email', 'verified', 'primary'] as const

/** Port: `EmailAddressStore`. */
export function sqlEmailAddressStore({ database, settings }: EmailStoreParts): EmailAddressStore {
  const rows = userRows(settings.userTable, database.dialect)
  const reading = emailAddressQueries(rows)
  const { uniqueEmail } = settings.account
  return {
    ...reading,
    async insert(db, { userId, email, verified, primary }) {
      const row = { user_id: requireUserKey(rows, userId), email: email.toLowerCase(), verified, primary }
      const query = db.insertInto('account_emailaddress').values(row).returning(COLUMNS)
      return readAddress(rows, await query.executeTakeFirstOrThrow())
    },
    async markVerified(db, id) {
      const address = await reading.byId(db, id)
      if (address === null || address.verified) return address
      if (uniqueEmail && (await reading.isVerifiedElsewhere(db, address.email, id))) return null
      const query = db.updateTable('account_emailaddress').set({ verified: true }).where('id', '=', id)
      const row = await nullOnUniqueViolation(db, async () => query.returning(COLUMNS).executeTakeFirst())
      return row === null || row === undefined ? null : readAddress(rows, row)
    },
    makePrimary: async (db, { id, userId }) =>
      inTransaction(database, db, async (tx) => {
        const key = requireUserKey(rows, userId)
        await lockAddresses(database, tx, key)
        const ofUser = tx.updateTable('account_emailaddress').where('user_id', '=', key)
        await ofUser.set({ primary: false }).where('primary', '=', true).where('id', '!=', id).execute()
        await ofUser.set({ primary: true }).where('id', '=', id).execute()
      }),
    remove: async (db, id) =>
      inTransaction(database, db, async (tx) => {
        const table = 'account_emailaddress'
        await removeRows(tx, { table, target: sql.table(table), key: sql.ref('id'), which: sql`id = ${id}` })
      }),
  }
}

function requireUserKey(rows: UserRows, userId: UserId): string | number {
  const key = rows.key(userId)
  if (key === null) throw new AuthError('not_found')
  return key
}

type Reads = Pick<EmailAddressStore, 'ofUser' | 'byId' | 'find' | 'isTaken' | 'isVerifiedElsewhere'>

function emailAddressQueries(rows: UserRows): Reads {
  return {
    async ofUser(db, userId) {
      const key = rows.key(userId)
      if (key === null) return []
      const query = db.selectFrom('account_emailaddress').select(COLUMNS).where('user_id', '=', key)
      return (await query.orderBy('id').execute()).map((row) => readAddress(rows, row))
    },
    async byId(db, id) {
      const row = await db.selectFrom('account_emailaddress').select(COLUMNS).where('id', '=', id).executeTakeFirst()
      return row === undefined ? null : readAddress(rows, row)
    },
    async find(db, userId, email) {
      return (await selectByFoldedEmail(db, rows, email)).find((address) => address.userId === userId) ?? null
    },
    async isTaken(db, email, exceptUserId) {
      if ((await selectByFoldedEmail(db, rows, email)).some(({ userId }) => userId !== exceptUserId)) return true
      return isMirrored(db, rows, email, exceptUserId)
    },
    isVerifiedElsewhere: async (db, email, exceptId) =>
      (await selectByFoldedEmail(db, rows, email)).some(({ id, verified }) => verified && id !== exceptId),
  }
}

/** Returns all addresses that equal this one ignoring case, by id. */
async function selectByFoldedEmail(db: AuthDb, rows: UserRows, email: string): Promise<readonly EmailAddress[]> {
  if (!isStorable(email)) return []
  const folded = foldCase(email)
  const found = await db
    .selectFrom('account_emailaddress')
    .select(COLUMNS)
    .where(matchesFolded(sql.ref('email'), email.toLowerCase(), folded))
    .orderBy('id')
    .execute()
  return found.map((row) => readAddress(rows, row)).filter((address) => foldCase(address.email) === folded)
}

/** Two that make different addresses primary at once would each clear the old one alone. */
async function lockAddresses(database: Database<AuthTables>, tx: AuthDb, key: string | number): Promise<void> {
  if (database.dialect === 'sqlite') return
  await tx
    .selectFrom('account_emailaddress')
    .select('id')
    .where('user_id', '=', key)
    .orderBy('id')
    .forUpdate()
    .execute()
}

async function isMirrored(db: AuthDb, rows: UserRows, email: string, except: UserId | null): Promise<boolean> {
  if (!rows.has('email') || !isStorable(email)) return false
  const folded = foldCase(email)
  const column = rows.column('email')
  const found = await sql<{ id: string | number; email: string | null }>`
    select ${rows.column('id')} as id, ${column} as email from ${rows.table}
    where ${matchesFolded(column, email.toLowerCase(), folded)}`.execute(db)
  return found.rows.some((row) => rows.id(row.id) !== except && foldCase(row.email ?? '') === folded)
}
