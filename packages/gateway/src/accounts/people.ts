import { accountById, accountOfUser, OWNER_ACCOUNT } from './account-store.sql.ts'
import { GatewayError } from '../server/errors.ts'
import { type Caller, OWNER, scopesOf } from './caller.ts'
import { sameSecret } from './secret-text.ts'
import type { GatewayTables } from './tables.ts'
import type { TokenRow } from './token-store.sql.ts'
import { scopesOfRow, type Tokens } from './tokens.ts'
import type { Auth, User, UserId } from '@gatepost/auth'
import type { Principal, Secret } from '@gatepost/channels'
import type { Database } from '@gatepost/sql'

/** Tells who a request comes from, and which account it may act in. */
export interface People {
  /** By the `Authorization` header, or without one by the session cookie; `null`: nobody. */
  callerOf(request: Request): Promise<Caller | null>
  /** @throws {GatewayError} `csrf_failed` for a state-changing request that a page of ours did not make */
  checkCsrf(request: Request): void
  /**
   * The account that a call is about: the caller's own, or for staff the one that is named.
   * @throws {GatewayError} `unknown_account`, whatever the name, for everybody else
   */
  accountOf(caller: Caller, named: string | undefined): Promise<Principal>
  /** The user of a key as text. */
  user(userId: string): Promise<User | null>
}

export function createPeople(parts: {
  readonly auth: Pick<Auth, 'identify' | 'checkCsrf' | 'core' | 'settings'>
  readonly database: Database<GatewayTables>
  readonly tokens: Tokens
  readonly ownerToken: Secret
}): People {
  const { auth, database, tokens, ownerToken } = parts
  const { core } = auth
  const isNumber = ['integer', 'bigint'].includes(auth.settings.userTable.idType)
  const user = (userId: string): Promise<User | null> =>
    core.users.byId(core.database.db, isNumber ? Number(userId) : userId)
  const ownAccount = accountLookup(database)

  const byToken = tokenCheck({ database, tokens, user, ownAccount })
  return {
    async callerOf(request) {
      const authorization = request.headers.get('authorization')
      if (authorization === null) return bySession(auth, request, ownAccount)
      const given = /^Bearer +([\w.~+/=-]{1,512}) *$/i.exec(authorization)?.[1]
      if (given === undefined) return null
      return sameSecret(given, ownerToken.reveal()) ? OWNER : byToken(given)
    },
    checkCsrf(request) {
      try {
        auth.checkCsrf(request)
      } catch (cause) {
        throw new GatewayError('csrf_failed', { cause })
      }
    },
    async accountOf(caller, named) {
      if (named === undefined) return caller.principal
      const mayAsk = caller.isStaff && caller.scopes.has('admin')
      if (!mayAsk || (await accountById(database.db, named)) === null) throw new GatewayError('unknown_account')
      return { accountId: named }
    },
    user,
  }
}

/** Who a personal access token acts for; `null`: for nobody, any more. */
function tokenCheck(parts: {
  readonly database: Database<GatewayTables>
  readonly tokens: Tokens
  readonly user: People['user']
  readonly ownAccount: (id: UserId) => Promise<string>
}): (text: string) => Promise<Caller | null> {
  const { database, tokens, user, ownAccount } = parts
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
    const proof = { kind: 'token', actor: row.id, expiresAtMs: row.expires_at_ms } as const
    const principal = { accountId: row.account_id }
    if (row.user_id === null) return { ...OWNER, ...proof, principal, scopes: new Set(scopesOfRow(row)) }
    const maker = await user(row.user_id)
    if (maker === null || !maker.isActive) return null
    // Made by staff for another account: no longer when they are no longer staff.
    if (!maker.isStaff && (await ownAccount(maker.id)) !== row.account_id) return null
    const allowed = scopesOf(maker)
    const scopes = new Set(scopesOfRow(row).filter((scope) => allowed.has(scope)))
    return { ...proof, principal, scopes, userId: row.user_id, isStaff: maker.isStaff }
  }
}

async function bySession(
  auth: Pick<Auth, 'identify'>,
  request: Request,
  ownAccount: (id: UserId) => Promise<string>,
): Promise<Caller | null> {
  const identity = await auth.identify(request)
  if (identity === null) return null
  const { user } = identity
  const userId = String(user.id)
  return {
    principal: { accountId: await ownAccount(user.id) },
    scopes: scopesOf(user),
    kind: 'session',
    userId,
    isStaff: user.isStaff,
    actor: userId,
    expiresAtMs: null,
  }
}

const REMEMBERED_MAX = 10_000

/** The account of a user never changes, so it is asked for once. */
function accountLookup(database: Database<GatewayTables>): (id: UserId) => Promise<string> {
  const known = new Map<string, string>()
  return async (id) => {
    const userId = String(id)
    const remembered = known.get(userId)
    if (remembered !== undefined) return remembered
    const accountId = await accountOfUser(database.db, userId)
    if (known.size >= REMEMBERED_MAX) known.clear()
    known.set(userId, accountId)
    return accountId
  }
}
