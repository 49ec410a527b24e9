import type { Database } from '@gatepost/sql'
import { sql } from 'kysely'
import { AuthError } from '../errors.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { inTransaction, nullOnUniqueViolation, removeRows } from '../kernel/schema/in-transaction.sql.ts'
import type { AuthTables } from '../kernel/schema/tables.ts'
import { isTrue, parseNullableTime, timeText } from '../kernel/schema/values.ts'
import type { UserTable } from '../kernel/settings/user-table.ts'
import { foldCase, isAscii, isStorable, matchesFolded, saveFolded } from '../kernel/users/fold-case.sql.ts'
import { userRows, type UserRows } from '../kernel/users/user-rows.sql.ts'
import type { AuthDb, UserId } from '../kernel/users/user.ts'
import type { EmailAddress, EmailAddressStore, EmailConfirmationStore, PhoneStore } from './email-address.ts'

/** Dependencies of the stores. */
interface EmailStoreParts {
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

const readAddress = (rows: UserRows, row: AddressRow): EmailAddress => ({
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
      const write = async (tx: AuthDb): Promise<EmailAddress> => {
        const query = tx.insertInto('account_emailaddress').values(row).returning(COLUMNS)
        const address = readAddress(rows, await query.executeTakeFirstOrThrow())
        if (!isAscii(address.email)) await saveFolded(tx, 'address', String(address.id), address.email)
        return address
      }
      return isAscii(row.email) ? write(db) : inTransaction(database, db, write)
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
        await tx.deleteFrom('gatepost_folded').where('field', '=', 'address').where('key', '=', String(id)).execute()
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
    .where(matchesFolded(rows, 'address', email))
    .orderBy('id')
    .execute()
  return found.map((row) => readAddress(rows, row)).filter((address) => foldCase(address.email) === folded)
}

/** Locks the user's rows: two requests at once would each clear only the old primary address and leave two new ones. */
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
    where ${matchesFolded(rows, 'email', email)}`.execute(db)
  return found.rows.some((row) => rows.id(row.id) !== except && foldCase(row.email ?? '') === folded)
}

/** What a claim is for: a text that must be unique across users, or the rows of one user. */
type ClaimKind =
  | 'email'
  | 'phone'
  | 'username'
  | 'social_account'
  | 'addresses_of'
  | 'authenticators_of'
  | 'social_accounts_of'

/**
 * Serializes the transactions that claim the same text, so that none takes it between another's check and write.
 * SQLite has one writer at a time anyway.
 * @see PostgreSQL manual, section 13.3.5 (advisory locks)
 */
export async function lockClaim(
  core: Pick<Kernel, 'database'>,
  db: AuthDb,
  kind: ClaimKind,
  text: string,
): Promise<void> {
  if (core.database.dialect === 'sqlite') return
  await sql`select pg_advisory_xact_lock(hashtextextended(${`gatepost ${kind} ${text}`}, 0))`.execute(db)
}

/** Port: `EmailConfirmationStore`. Stores keys in lower case, like existing databases. */
export function sqlEmailConfirmationStore({ database, settings }: EmailStoreParts): EmailConfirmationStore {
  const { dialect } = database
  const rows = userRows(settings.userTable, dialect)
  return {
    async insert(db, emailAddressId, key, nowMs) {
      const now = timeText(nowMs, dialect)
      const row = { email_address_id: emailAddressId, key: key.toLowerCase(), created: now, sent: now }
      await db.insertInto('account_emailconfirmation').values(row).execute()
    },
    async find(db, key, sentAfterMs) {
      if (!isStorable(key)) return null
      const row = await db
        .selectFrom('account_emailconfirmation as c')
        .innerJoin('account_emailaddress as e', 'e.id', 'c.email_address_id')
        .select(['e.id', 'e.user_id', 'e.email', 'e.verified', 'e.primary', 'c.sent'])
        .where('c.key', '=', key.toLowerCase())
        .executeTakeFirst()
      if (row === undefined) return null
      const sentMs = parseNullableTime(row.sent)
      return sentMs !== null && sentMs > sentAfterMs ? readAddress(rows, row) : null
    },
    async removeOlder(db, sentBeforeMs) {
      await db.deleteFrom('account_emailconfirmation').where('sent', '<', timeText(sentBeforeMs, dialect)).execute()
    },
  }
}

/** Port: `PhoneStore`. A unique index lets only one user have a number verified. */
export function sqlPhoneStore({ database, settings }: EmailStoreParts): PhoneStore {
  const rows = userRows(settings.userTable, database.dialect)
  return {
    async ofUser(db, userId) {
      const query = db.selectFrom('gatepost_phone').select(['phone', 'verified'])
      const row = await query.where('user_id', '=', rows.keyText(userId)).executeTakeFirst()
      return row === undefined ? null : { phone: row.phone, verified: row.verified === 1 }
    },
    async owner(db, phone) {
      if (!isStorable(phone)) return null
      const query = db.selectFrom('gatepost_phone').select('user_id').where('phone', '=', phone)
      const row = await query.orderBy('verified', 'desc').orderBy('user_id').executeTakeFirst()
      return row === undefined ? null : rows.parseId(row.user_id)
    },
    async set(db, userId, phone, verified) {
      const values = { phone, verified: verified ? 1 : 0 }
      const query = db
        .insertInto('gatepost_phone')
        .values({ user_id: rows.keyText(userId), ...values })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
      if (!verified) {
        const owners = db
          .selectFrom('gatepost_phone')
          .select('user_id')
          .where('phone', '=', phone)
          .where('verified', '=', 1)
        const owner = await owners.executeTakeFirst()
        if (owner !== undefined && owner.user_id !== rows.keyText(userId)) return false
      }
      return (await nullOnUniqueViolation(db, async () => query.execute())) !== null
    },
    async remove(db, userId) {
      await db.deleteFrom('gatepost_phone').where('user_id', '=', rows.keyText(userId)).execute()
    },
  }
}
