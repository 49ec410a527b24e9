import type { HostedAuth, User } from '@gatepost/auth'
import { GatewayError } from '../server/errors.ts'
import { accountById, OWNER_ACCOUNT } from './account-store.sql.ts'
import type { Caller } from './caller.ts'
import { gatewayMail } from './gateway-mail.ts'
import { revokeInvitationsByUser } from './invitations/invitation-store.sql.ts'
import type { People } from './people.ts'
import type { GatewayDb } from './schema.ts'

/** Changes that staff make to another user. */
export interface AccountChange {
  readonly staff?: boolean | undefined
  /**
   * `false` signs the user out, prevents signing in, rejects their tokens, and revokes OAuth access permanently. Their
   * channels keep running.
   */
  readonly active?: boolean | undefined
}

/** Dependencies of account changes. */
interface ChangeParts {
  readonly auth: HostedAuth
  readonly people: Pick<People, 'user'>
}

/**
 * Returns the user of an account that the caller may change. Callers can't change their own account, and only the owner
 * token can change its own.
 * @throws {GatewayError} `unknown_account` (also if the account has no user), `own_account`, `owner_account`
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

/** The gateway's tables are in the same database, created by `gatewayMigrations`. */
export const toGatewayDb = (db: HostedAuth['kernel']['database']['db']): GatewayDb => db as unknown as GatewayDb // see above

/**
 * Changes an account. A user who loses permissions also loses their open invitations, which would let them back in.
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

/** Result of removing a user's second factors. */
export interface AuthenticatorReset {
  readonly user: User
  /** Type and row of each, e.g. `totp 7`. */
  readonly removed: readonly string[]
}

/**
 * Helps a user who lost their phone or security key: removes all second factors and recovery codes, signs the user out
 * everywhere, and notifies them by email. Trusted browsers lose their trust with the factors. Does nothing if the user
 * has no factor.
 * @param origin Public origin of the service, for the link in the email.
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
    await authenticators.lock(tx, user.id)
    const all = await authenticators.ofUser(tx, user.id)
    if (all.length === 0) return []
    // A concurrent request to add a factor waits for the claim, then finds its session ended.
    await auth.kernel.sessions.endAll(tx, user.id)
    for (const { id } of all) await authenticators.remove(tx, id)
    if (mail !== null) await auth.kernel.mail.enqueue(tx, mail)
    return all.map(({ type, id }) => `${type} ${id}`)
  })
  auth.kernel.mail.wake()
  return { user, removed }
}
