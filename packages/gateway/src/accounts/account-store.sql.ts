import type { GatewayDb } from './schema.ts'

/** The account of the owner token, and of the first person. */
export const OWNER_ACCOUNT = 'owner'

/** One account and the user whose it is. */
export interface AccountRow {
  readonly account_id: string
  readonly user_id: string | null
}

/** Account of a user; it is made when there is none yet, e.g. for users whom the site had before. */
export async function accountOfUser(db: GatewayDb, userId: string): Promise<string> {
  const known = await findAccount(db, userId)
  if (known !== null) return known
  await addAccount(db, `u${userId}`, userId)
  const made = await findAccount(db, userId)
  if (made === null) throw new Error(`the account u${userId} belongs to somebody else`)
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

/** Gives the owner token's account to the first person. @returns whether it was nobody's before */
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

/** Lets no other transaction that asks for this go on until this one ends. */
export async function holdOwnerAccount(db: GatewayDb): Promise<void> {
  await db
    .updateTable('gateway_account')
    .set({ account_id: OWNER_ACCOUNT })
    .where('account_id', '=', OWNER_ACCOUNT)
    .execute()
}

/** @returns whether it was added: of two that want the same account, or the same user, the second one is not */
export async function addAccount(db: GatewayDb, accountId: string, userId: string): Promise<boolean> {
  const row = await db
    .insertInto('gateway_account')
    .values({ account_id: accountId, user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('account_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function accountById(db: GatewayDb, accountId: string): Promise<AccountRow | null> {
  const row = await db.selectFrom('gateway_account').selectAll().where('account_id', '=', accountId).executeTakeFirst()
  return row ?? null
}

/** In the order of their ids, after `after`. */
export async function accountPage(
  db: GatewayDb,
  page: { readonly limit: number; readonly after: string | null },
): Promise<readonly AccountRow[]> {
  let query = db.selectFrom('gateway_account').selectAll().orderBy('account_id').limit(page.limit)
  if (page.after !== null) query = query.where('account_id', '>', page.after)
  return query.execute()
}
