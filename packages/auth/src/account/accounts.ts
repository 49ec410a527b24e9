import type { Account } from './account.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { isUniqueViolation } from '@gatepost/sql'
import { InvalidInput } from '../errors.ts'
import { isEmailSyntax } from '../kernel/forms/form.ts'
import { randomText } from '../kernel/crypto/random.ts'
import { releaseUser } from '../kernel/users/references.sql.ts'
import type { NewUser, User, UserId } from '../kernel/users/user.ts'
import { revokeAccess } from './email/first-proof.ts'
import { foldText } from './email/clean-address.ts'
import { usernameBase } from './signup/username.ts'

/** Manages users from the host's code, outside of requests. Sends no mail and skips rate limits and password rules. */
export interface Accounts {
  /**
   * Creates a user.
   * @param given Without a username, one is made from the address. `verified` stores the address as verified. Without a
   *   password, the user can set one through a password reset.
   * @throws {InvalidInput} `invalid`, `email_taken`, `username_taken`
   */
  create(given: NewUser & { readonly password?: string; readonly verified?: boolean }): Promise<User>
  byId(id: UserId): Promise<User | null>
  /** Returns the user who has verified the address, or every user who has it if no one has. */
  byEmail(email: string): Promise<readonly User[]>
  /** Also ends the user's sessions and revokes the access of their OAuth clients. */
  setPassword(id: UserId, password: string): Promise<void>
  /**
   * Activates or deactivates a user. While deactivated, they can't sign in or use their sessions. Deactivating also
   * revokes the access of their OAuth clients.
   */
  setActive(id: UserId, isActive: boolean): Promise<User>
  setStaff(id: UserId, isStaff: boolean): Promise<User>
  endSessions(id: UserId): Promise<void>
  /**
   * Removes a user and everything that belongs to them, including group memberships, permissions, and entries in Django's
   * admin log. Does nothing if the user doesn't exist.
   * @throws {AuthError} `account_referenced` if rows in other tables of the site refer to the user; `details.tables` lists
   *   these tables
   */
  remove(id: UserId): Promise<void>
}

const NAME_ATTEMPTS = 5

/** Returns the host's interface for creating, finding, and changing users. */
export function createAccounts(account: Account): Accounts {
  const { database, users, sessions } = account.kernel
  return {
    create: (given) => create(account, given),
    byId: (id) => users.byId(database.db, id),
    byEmail: (email) => users.byEmail(database.db, email, { preferVerified: true, activeOnly: false }),
    async setPassword(id, password) {
      const encoded = await account.kernel.passwords.hash(password)
      await database.transaction(async (tx) => {
        await users.setPassword(tx, id, encoded)
        await sessions.endAll(tx, id)
        await revokeAccess(account, tx, id)
      })
    },
    setActive: (id, isActive) =>
      database.transaction(async (tx) => {
        if (!isActive) await revokeAccess(account, tx, id)
        return users.update(tx, id, { isActive })
      }),
    setStaff: (id, isStaff) => database.transaction((tx) => users.update(tx, id, { isStaff })),
    endSessions: (id) => database.transaction((tx) => sessions.endAll(tx, id)),
    remove: (id) =>
      database.transaction(async (tx) => {
        await releaseUser(tx, database, account.kernel.settings.userTable, id)
        await revokeAccess(account, tx, id)
        await users.remove(tx, id)
      }),
  }
}

type CreateInput = Parameters<Accounts['create']>[0]

async function create(account: Account, given: CreateInput): Promise<User> {
  const email = foldText((given.email ?? '').trim())
  const refuse = (code: string, param: string): InvalidInput =>
    new InvalidInput([account.adapter.validationError(code, { param })])
  if (email !== '' && !isEmailSyntax(email)) throw refuse('invalid', 'email')
  const encoded =
    given.password === undefined
      ? account.kernel.passwords.unusable()
      : await account.kernel.passwords.hash(given.password)
  return account.kernel.database.transaction(async (tx) => {
    const isTaken =
      email !== '' && account.kernel.settings.account.uniqueEmail && (await account.emails.isTaken(tx, email, null))
    if (isTaken) throw refuse('email_taken', 'email')
    for (let attempt = 1; ; attempt++) {
      const username = given.username || suggestUsername(account.kernel, email, attempt)
      try {
        const user = await account.kernel.users.insert(
          tx,
          { ...given, email, username },
          encoded,
          account.kernel.clock.now(),
        )
        if (email !== '') {
          await account.emails.insert(tx, { userId: user.id, email, verified: given.verified ?? false, primary: true })
        }
        return user
      } catch (error) {
        if (!isUniqueViolation(error)) throw error
        if (given.username || attempt === NAME_ATTEMPTS) throw refuse('username_taken', 'username')
      }
    }
  })
}

/** Returns a username made from the address, with random digits after the first attempt; empty if users have none. */
function suggestUsername(kernel: Kernel, email: string, attempt: number): string {
  if (kernel.settings.account.userModelUsernameField === null) return ''
  const base = usernameBase(email) || 'user'
  return attempt === 1 ? base : `${base}${randomText(kernel.random, '0123456789', 6)}`
}
