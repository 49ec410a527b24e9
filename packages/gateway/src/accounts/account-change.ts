import { accountById, OWNER_ACCOUNT } from './account-store.sql.ts'
import { GatewayError } from '../server/errors.ts'
import type { Caller } from './caller.ts'
import type { GatewayDb } from './database.ts'
import { revokeInvitationsOf } from './invitation-store.sql.ts'
import type { People } from './people.ts'
import type { Core, User } from '@gatepost/auth'

/** What staff change about somebody else. */
export interface AccountChange {
  readonly staff?: boolean | undefined
  /**
   * `false`: they are signed out, cannot sign in, and their tokens are refused; what they let programs do is over for
   * good. Their channels go on running.
   */
  readonly active?: boolean | undefined
}

/** What changes of other people's accounts need. */
export interface ChangeParts {
  readonly core: Core
  readonly people: Pick<People, 'user'>
}

/**
 * The user of an account that the caller may change: nobody changes their own so, and only the owner token its account.
 * @throws {GatewayError} `unknown_account` also where nobody has the account yet, `own_account`, `owner_account`
 */
export async function userToChange({ core, people }: ChangeParts, caller: Caller, accountId: string): Promise<User> {
  const account = await accountById(handleOf(core.database.db), accountId)
  const userId = account?.user_id ?? null
  const user = userId === null ? null : await people.user(userId)
  if (userId === null || user === null) throw new GatewayError('unknown_account')
  if (userId === caller.userId) throw new GatewayError('own_account')
  if (accountId === OWNER_ACCOUNT && caller.kind !== 'owner') throw new GatewayError('owner_account')
  return user
}

/** The tables of the gateway are in the same database, and made by `gatewayMigrations`. */
const handleOf = (db: Core['database']['db']): GatewayDb => db as unknown as GatewayDb // see above

/**
 * Whoever loses rights loses the invitations they have made as well: by one of these they could come back.
 * @throws {GatewayError} as `userToChange`
 */
export async function changeAccount(
  parts: ChangeParts,
  caller: Caller,
  accountId: string,
  { staff, active }: AccountChange,
): Promise<User> {
  const { database, oidc, sessions, settings, users } = parts.core
  const user = await userToChange(parts, caller, accountId)
  return database.transaction(async (tx) => {
    if (active === false) {
      await sessions.endAll(tx, user.id)
      if (settings.idpOidc.enabled) await oidc.tokens.revokeAllOfUser(tx, user.id)
    }
    if (active === false || staff === false) await revokeInvitationsOf(handleOf(tx), String(user.id))
    return users.update(tx, user.id, {
      ...(staff !== undefined && { isStaff: staff }),
      ...(active !== undefined && { isActive: active }),
    })
  })
}
