import type { GatewayDb, GatewayTables } from '../schema.ts'

/** A stored token. */
export type TokenRow = Readonly<GatewayTables['gateway_token']>

/** Accuracy of a token's last use, in milliseconds. */
export const LAST_USE_EVERY_MS = 60_000

/** Stores a token. */
export async function addToken(db: GatewayDb, row: TokenRow): Promise<void> {
  await db.insertInto('gateway_token').values(row).execute()
}

/** Returns the valid token with this hash, or `null`. */
export async function liveToken(db: GatewayDb, tokenHash: string, nowMs: number): Promise<TokenRow | null> {
  const row = await db
    .selectFrom('gateway_token')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('revoked_at_ms', 'is', null)
    .executeTakeFirst()
  if (row === undefined || (row.expires_at_ms !== null && row.expires_at_ms <= nowMs)) return null
  return row
}

/** Returns an account's tokens that aren't revoked, newest first. */
export async function listTokensOfAccount(db: GatewayDb, accountId: string): Promise<readonly TokenRow[]> {
  return db
    .selectFrom('gateway_token')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('revoked_at_ms', 'is', null)
    .orderBy('created_at_ms', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** Returns the number of an account's valid tokens. */
export async function countTokens(db: GatewayDb, accountId: string, nowMs: number): Promise<number> {
  const row = await db
    .selectFrom('gateway_token')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('revoked_at_ms', 'is', null)
    .where((e) => e.or([e('expires_at_ms', 'is', null), e('expires_at_ms', '>', nowMs)]))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** Removes tokens that were revoked or expired before `beforeMs`. */
export async function removeOldTokens(db: GatewayDb, beforeMs: number): Promise<void> {
  await db
    .deleteFrom('gateway_token')
    .where((e) => e.or([e('revoked_at_ms', '<', beforeMs), e('expires_at_ms', '<', beforeMs)]))
    .execute()
}

/** Revokes a token and all tokens created with it. @returns Whether the account had such a token */
export async function revokeToken(
  db: GatewayDb,
  of: { readonly accountId: string; readonly id: string },
  nowMs: number,
): Promise<boolean> {
  const row = await db
    .updateTable('gateway_token')
    .set({ revoked_at_ms: nowMs })
    .where('revoked_at_ms', 'is', null)
    .where('id', '=', of.id)
    .where('account_id', '=', of.accountId)
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) return false
  await revokeMadeBy(db, [row], nowMs)
  return true
}

/** Revokes all tokens that a user created, in any account, and all tokens created with them. */
export async function revokeTokensOfUser(db: GatewayDb, userId: string, nowMs: number): Promise<void> {
  const rows = await db
    .updateTable('gateway_token')
    .set({ revoked_at_ms: nowMs })
    .where('revoked_at_ms', 'is', null)
    .where('user_id', '=', userId)
    .returning('id')
    .execute()
  await revokeMadeBy(db, rows, nowMs)
}

async function revokeMadeBy(db: GatewayDb, revoked: readonly { readonly id: string }[], nowMs: number): Promise<void> {
  for (let makers = revoked; makers.length > 0; ) {
    makers = await db
      .updateTable('gateway_token')
      .set({ revoked_at_ms: nowMs })
      .where('revoked_at_ms', 'is', null)
      .where(
        'made_by',
        'in',
        makers.map(({ id }) => id),
      )
      .returning('id')
      .execute()
  }
}

/** Records that a token was used, at most once a minute. */
export async function recordTokenUse(db: GatewayDb, id: string, nowMs: number): Promise<void> {
  await db
    .updateTable('gateway_token')
    .set({ last_used_at_ms: nowMs })
    .where('id', '=', id)
    .where((e) => e.or([e('last_used_at_ms', 'is', null), e('last_used_at_ms', '<=', nowMs - LAST_USE_EVERY_MS)]))
    .execute()
}
