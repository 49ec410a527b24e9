import type { Database } from '@gatepost/sql'
import { type RawBuilder, sql } from 'kysely'
import type { PhysicalIndex } from '../kernel/schema/physical.ts'
import type { UserTable } from '../kernel/settings/user-table.ts'
import { foldCase } from '../kernel/users/fold-case.sql.ts'
import { userRows } from '../kernel/users/user-rows.sql.ts'

/** What is stored, in numbers. */
export interface AccountCounts {
  readonly users: number
  readonly addresses: number
  readonly verifiedAddresses: number
  /** Users by the format of their password; formats that nobody has are left out. */
  readonly passwords: Readonly<Partial<Record<PasswordFormat, number>>>
  /** User names that several users have, but for upper and lower case: each person signs in by the exact name. */
  readonly collidingUsernames: number
  /** Users with more than one primary address. */
  readonly severalPrimary: number
  /** Addresses that several users have verified, but for upper and lower case. */
  readonly severalVerified: number
}

/** `unknown`: none of these users can sign in before a password reset. */
export type PasswordFormat = keyof typeof BEGINNINGS | 'empty' | 'unknown'

/** How stored passwords begin. */
const BEGINNINGS = {
  argon2: 'argon2$',
  pbkdf2_sha256: 'pbkdf2_sha256$',
  pbkdf2_sha1: 'pbkdf2_sha1$',
  bcrypt_sha256: 'bcrypt_sha256$',
  bcrypt: 'bcrypt$',
  scrypt: 'scrypt$',
  md5: 'md5$',
  unusable: '!',
} as const

/** Counts in a database whose user and address tables are as they should be. */
export async function countAccounts<Tables>(
  database: Pick<Database<Tables>, 'db' | 'dialect'>,
  userTable: UserTable,
): Promise<AccountCounts> {
  const { db } = database
  const rows = userRows(userTable, database.dialect)
  const number = async (query: RawBuilder<{ n: number }>): Promise<number> =>
    Number((await query.execute(db)).rows[0]?.n)
  const groups = async (which: RawBuilder<unknown>, by: RawBuilder<unknown>): Promise<number> =>
    number(sql`select count(*) as n from
      (select 1 as one from account_emailaddress where ${which} group by ${by} having count(*) > 1) g`)
  return {
    users: await number(sql`select count(*) as n from ${rows.table}`),
    addresses: await number(sql`select count(*) as n from account_emailaddress`),
    verifiedAddresses: await number(sql`select count(*) as n from account_emailaddress where verified`),
    passwords: await countPasswords(database, userTable),
    collidingUsernames: await countColliding(database, userTable),
    severalPrimary: await groups(sql`"primary"`, sql`user_id`),
    severalVerified: await groups(sql`verified`, sql`lower(email)`),
  }
}

async function countPasswords<Tables>(
  { db, dialect }: Pick<Database<Tables>, 'db' | 'dialect'>,
  userTable: UserTable,
): Promise<AccountCounts['passwords']> {
  const rows = userRows(userTable, dialect)
  const password = rows.column('password')
  const cases = Object.entries(BEGINNINGS).map(
    ([name, beginning]) =>
      sql`when substr(${password}, 1, ${sql.lit(beginning.length)}) = ${sql.lit(beginning)} then ${sql.lit(name)}`,
  )
  const found = await sql<{ format: PasswordFormat; n: number }>`
    select format, count(*) as n from (
      select case ${sql.join(cases, sql` `)} when ${password} = '' then 'empty' else 'unknown' end as format
      from ${rows.table}) f
    group by format`.execute(db)
  return Object.fromEntries(found.rows.map(({ format, n }) => [format, Number(n)]))
}

/** Databases lower only ASCII for certain: names with other letters are compared here. */
async function countColliding<Tables>(
  { db, dialect }: Pick<Database<Tables>, 'db' | 'dialect'>,
  userTable: UserTable,
): Promise<number> {
  const rows = userRows(userTable, dialect)
  if (!rows.has('username')) return 0
  const username = rows.column('username')
  const isWide = dialect === 'sqlite' ? sql`${username} glob '*[^ -~]*'` : sql`${username} ~ '[^ -~]'`
  const plain = await sql<{ n: number }>`select count(*) as n from (
    select 1 as one from ${rows.table} where not (${isWide}) group by lower(${username}) having count(*) > 1) g`.execute(
    db,
  )
  const wide = await sql<{ username: string }>`
    select ${username} as username from ${rows.table} where ${isWide}`.execute(db)
  const names = Map.groupBy(wide.rows, (row) => foldCase(row.username))
  return Number(plain.rows[0]?.n) + [...names.values()].filter((group) => group.length > 1).length
}

/** Counts users whose numeric keys exceed 2^53 - 1, JavaScript's safe integers. */
export async function countLargeKeys<Tables>(
  { db, dialect }: Pick<Database<Tables>, 'db' | 'dialect'>,
  userTable: UserTable,
): Promise<number> {
  if (userTable.idType !== 'bigint') return 0
  const rows = userRows(userTable, dialect)
  const found = await sql<{ n: number }>`select count(*) as n from ${rows.table}
    where abs(${rows.column('id')}) > ${sql.lit(Number.MAX_SAFE_INTEGER)}`.execute(db)
  return Number(found.rows[0]?.n)
}

/** How many times rows are there twice for a unique index to be created. */
export async function countDuplicates<Tables>(
  { db }: Pick<Database<Tables>, 'db'>,
  table: string,
  index: PhysicalIndex,
): Promise<number> {
  const columns = index.columns.map((column) => sql.ref(column))
  const conditions = columns.map((column) => sql`${column} is not null`)
  if (index.where !== undefined) conditions.push(sql`${sql.raw(index.where)}`)
  const found = await sql<{ n: number }>`select count(*) as n from (
    select 1 as one from ${sql.table(table)} where ${sql.join(conditions, sql` and `)}
    group by ${sql.join(columns)} having count(*) > 1) g`.execute(db)
  return Number(found.rows[0]?.n)
}
