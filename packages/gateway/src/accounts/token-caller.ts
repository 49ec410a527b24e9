import { accountById, OWNER_ACCOUNT } from './account-store.sql.ts'
import { type Caller, OWNER, rightsOf } from './caller.ts'
import type { SecondFactors } from './second-factors.ts'
import type { GatewayTables } from './tables.ts'
import type { TokenRow } from './token-store.sql.ts'
import { scopesOfRow, type Tokens } from './tokens.ts'
import type { User, UserId } from '@gatepost/auth'
import type { Scope } from '@gatepost/channels'
import type { Database } from '@gatepost/sql'

/** Who a personal access token acts for; `null`: for nobody, any more. */
export function tokenCheck(parts: {
  readonly database: Database<GatewayTables>
  readonly tokens: Tokens
  readonly factors: Pick<SecondFactors, 'isMissing'>
  readonly user: (userId: string) => Promise<User | null>
  readonly ownAccount: (id: UserId) => Promise<string>
}): (text: string) => Promise<Caller | null> {
  const { database, tokens, factors, user, ownAccount } = parts
  /** Nobody acts in an account that is disabled but the owner token, and what it makes for itself. */
  const isOpen = async ({ account_id, user_id }: TokenRow): Promise<boolean> => {
    if (account_id === OWNER_ACCOUNT && user_id === null) return true
    const account = await accountById(database.db, account_id)
    if (account === null) return false
    return account.user_id === null || (await user(account.user_id))?.isActive === true
  }
  return async (text) => {
    const row = await tokens.check(text)
    if (row === null || !(await isOpen(row))) return null
    const proof = { kind: 'token', isByCookie: false, actor: row.id, expiresAtMs: row.expires_at_ms } as const
    const principal = { accountId: row.account_id }
    const asked = scopesOfRow(row)
    if (row.user_id === null) return { ...OWNER, ...proof, principal, scopes: new Set(asked) }
    const maker = await user(row.user_id)
    if (maker === null || !maker.isActive) return null
    const isOwn = (await ownAccount(maker.id)) === row.account_id
    // Made by staff for another account: no longer when they are no longer staff.
    if (!maker.isStaff && !isOwn) return null
    const rights = rightsOf(maker, await factors.isMissing(maker))
    const mayAct = isOwn || rights.isStaff
    const scopes = new Set(asked.filter((scope) => mayAct && rights.scopes.has(scope)))
    const withheld = new Set(asked.filter((scope: Scope) => !mayAct || rights.withheld.has(scope)))
    return { ...proof, principal, scopes, withheld, userId: row.user_id, isStaff: rights.isStaff }
  }
}
