import type { HostedAuth, User } from '@gatepost/auth'
import { GatewayError } from '../server/errors.ts'
import { accountById, OWNER_ACCOUNT } from './account-store.sql.ts'
import type { Caller } from './caller.ts'
import { gatewayMail } from './gateway-mail.ts'
import { revokeInvitationsByUser } from './invitations/invitation-store.sql.ts'
import type { People } from './people.ts'
import type { GatewayDb } from './schema.ts'

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
interface ChangeParts {
  readonly auth: HostedAuth
  readonly people: Pick<People, 'user'>
}

/**
 * The user of an account that the caller may change: nobody changes their own so, and only the owner token its account.
 * @throws {GatewayError} `unknown_account` also where nobody has the account yet, `own_account`, `owner_account`
 */
async function userToChange({ auth, people }: ChangeParts, caller: Caller, accountId: string): Promise<User> {
  const account = await accountById(toGatewayDb(auth.kernel.database.db), accountId)
  const userId = account?.user_id ?? null
  const user = userId === null ? null : await people.user(userId)
  if (userId === null || user === null) throw new GatewayError('unknown_account')
  if (userId === caller.userId) throw new GatewayError('own_account')
  if (accountId === OWNER_ACCOUNT && caller.kind !== 'owner') throw new GatewayError('owner_account')
  return user
}

/** The tables of the gateway are in the same database, and made by `gatewayMigrations`. */
const toGatewayDb = (db: HostedAuth['kernel']['database']['db']): GatewayDb => db as unknown as GatewayDb // see above

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
  const { database, sessions, settings, users } = parts.auth.kernel
  const user = await userToChange(parts, caller, accountId)
  return database.transaction(async (tx) => {
    if (active === false) {
      await sessions.endAll(tx, user.id)
      if (settings.idpOidc.enabled) await parts.auth.module('oidc').tokens.revokeAllOfUser(tx, user.id)
    }
    if (active === false || staff === false) await revokeInvitationsByUser(toGatewayDb(tx), String(user.id))
    return users.update(tx, user.id, {
      ...(staff !== undefined && { isStaff: staff }),
      ...(active !== undefined && { isActive: active }),
    })
  })
}

/** What came of it. */
export interface AuthenticatorReset {
  readonly user: User
  /** Type and row of each, e.g. `totp 7`. */
  readonly removed: readonly string[]
}

/**
 * For somebody who has lost the phone or the key: removes their second factors and recovery codes, signs them out
 * everywhere, and tells them by mail. Browsers that they trusted are trusted no more, as there is nothing left that they
 * were trusted for. Without any factor nothing happens.
 * @param origin Where people reach the service, for the link in the mail.
 * @throws {GatewayError} `unknown_account`, `own_account`, `owner_account`
 */
export async function resetAuthenticators(
  parts: ChangeParts,
  caller: Caller,
  accountId: string,
  origin: string,
): Promise<AuthenticatorReset> {
  const { auth } = parts
  const user = await userToChange(parts, caller, accountId)
  const link = `${origin}${auth.kernel.has('mfa_index') ? auth.kernel.url('mfa_index') : '/'}`
  const mail = user.email === '' ? null : await gatewayMail(auth, { name: 'factors_reset', to: user.email, link })
  const removed = await auth.kernel.database.transaction(async (tx) => {
    const { authenticators } = auth.module('mfa')
    await authenticators.claim(tx, user.id)
    const all = await authenticators.ofUser(tx, user.id)
    if (all.length === 0) return []
    // A request that waits for the claim to add another one finds its session ended.
    await auth.kernel.sessions.endAll(tx, user.id)
    for (const { id } of all) await authenticators.remove(tx, id)
    if (mail !== null) await auth.kernel.mail.enqueue(tx, mail)
    return all.map(({ type, id }) => `${type} ${id}`)
  })
  auth.kernel.mail.wake()
  return { user, removed }
}
