import { sql } from 'kysely'
import { isTrue } from '../schema/values.ts'
import { foldCase, isStorable, matchesFolded } from './fold-case.sql.ts'
import type { AuthDb, User } from './user.ts'
import type { UserRow, UserRows } from './user-rows.sql.ts'

/** Everybody whose user name is this one but for its case; by id. */
export async function namesakes(db: AuthDb, rows: UserRows, username: string): Promise<readonly User[]> {
  if (!rows.has('username') || !isStorable(username)) return []
  const folded = foldCase(username)
  const statement = () =>
    sql<UserRow>`select ${rows.columns()} from ${rows.table}
      where ${matchesFolded(rows.column('username'), username.normalize('NFKC'), folded)} order by ${rows.column('id')}`
  // The usual form of the condition, `lower(username) = ?`, has one value.
  const isUsual = /^[\0-\u007f]*$/.test(folded) && username === folded
  const found = await (isUsual ? rows.run(db, 'username', statement, [folded]) : statement().execute(db))
  return found.rows.map(rows.read).filter((user) => foldCase(user.username) === folded)
}

/** Port: `UserStore.byEmail`. Verified owners come first, each person once. */
export async function byEmail(
  db: AuthDb,
  rows: UserRows,
  email: string,
  { preferVerified, activeOnly }: { readonly preferVerified: boolean; readonly activeOnly: boolean },
): Promise<readonly User[]> {
  if (email === '' || !isStorable(email)) return []
  const folded = foldCase(email)
  const inAddresses = await sql<UserRow & { readonly address: string; readonly verified: unknown }>`
    select ${rows.columns('u')}, e.email as address, e.verified as verified
    from account_emailaddress e join ${rows.table} u on ${rows.column('id', 'u')} = e.user_id
    where ${matchesFolded(sql.ref('e.email'), email.toLowerCase(), folded)} order by e.id`.execute(db)
  const owners = inAddresses.rows.filter(({ address }) => foldCase(address) === folded)
  const verified = owners.filter((owner) => isTrue(owner.verified))
  const others = owners.filter((owner) => !isTrue(owner.verified))
  const isEnough = preferVerified && verified.length > 0
  const found: readonly UserRow[] = isEnough
    ? verified
    : [...verified, ...others, ...(await withMirror(db, rows, email, folded))]
  const users = new Map(found.map((row) => [row.u_id, row]))
  return [...users.values()].map(rows.read).filter((user) => !activeOnly || user.isActive)
}

async function withMirror(db: AuthDb, rows: UserRows, email: string, folded: string): Promise<readonly UserRow[]> {
  if (!rows.has('email')) return []
  const found = await sql<UserRow>`
    select ${rows.columns()} from ${rows.table}
    where ${matchesFolded(rows.column('email'), email.toLowerCase(), folded)} order by ${rows.column('id')}`.execute(db)
  return found.rows.filter((row) => foldCase(row.u_email ?? '') === folded)
}
