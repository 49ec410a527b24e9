import type { GatewayDb } from './schema.ts'

/** Id of the account of the owner token and of the first user. */
export const OWNER_ACCOUNT = 'owner'

/** An account and its user. */
export interface AccountRow {
  readonly account_id: string
  readonly user_id: string | null
}

/** Returns a user's account, creating it if needed (e.g. for users that existed before Gatepost). */
export async function accountOfUser(db: GatewayDb, userId: string): Promise<string> {
  const known = await findAccount(db, userId)
  if (known !== null) return known
  await addAccount(db, `u${userId}`, userId)
  const made = await findAccount(db, userId)
  if (made === null) throw new Error(`the account u${userId} belongs to another user`)
  return made
}

async function findAccount(db: GatewayDb, userId: string): Promise<string | null> {
  const row = await db
    .selectFrom('gateway_account')
    .select('account_id')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.account_id ?? null
}

/** Assigns the owner's account to the first user. @returns Whether it was unassigned */
export async function takeOwnerAccount(db: GatewayDb, userId: string): Promise<boolean> {
  const row = await db
    .updateTable('gateway_account')
    .set({ user_id: userId })
    .where('account_id', '=', OWNER_ACCOUNT)
    .where('user_id', 'is', null)
    .returning('account_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Locks the owner's account until the transaction ends. */
export async function holdOwnerAccount(db: GatewayDb): Promise<void> {
  await db
    .updateTable('gateway_account')
    .set({ account_id: OWNER_ACCOUNT })
    .where('account_id', '=', OWNER_ACCOUNT)
    .execute()
}

/** Adds an account. @returns `false` if the account or the user already has a row */
export async function addAccount(db: GatewayDb, accountId: string, userId: string): Promise<boolean> {
  const row = await db
    .insertInto('gateway_account')
    .values({ account_id: accountId, user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('account_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Returns an account; `null` if there is none. */
export async function accountById(db: GatewayDb, accountId: string): Promise<AccountRow | null> {
  const row = await db.selectFrom('gateway_account').selectAll().where('account_id', '=', accountId).executeTakeFirst()
  return row ?? null
}

/** Returns a page of accounts, ordered by id, after `after`. */
export async function accountPage(
  db: GatewayDb,
  page: { readonly limit: number; readonly after: string | null },
): Promise<readonly AccountRow[]> {
  let query = db.selectFrom('gateway_account').selectAll().orderBy('account_id').limit(page.limit)
  if (page.after !== null) query = query.where('account_id', '>', page.after)
  return query.execute()
}
