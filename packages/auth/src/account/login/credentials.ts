import { shouldRenewHash } from '../../kernel/passwords/passwords.ts'
import { isEmailSyntax } from '../../kernel/forms/form.ts'
import type { User, UserId } from '../../kernel/users/user.ts'
import type { Visit, Site } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import type { Credentials } from '../adapter.ts'
import { foldText } from '../email/clean-address.ts'

/** Maximum number of users sharing an unverified address whose passwords are tried. Anyone can add such an address. */
const MAX_OWNERS = 5

/**
 * Checks credentials with rate limits: takes `login_failed`, calls the adapter's `authenticate`, and releases the slot
 * if they are correct (or could not be checked).
 * @returns the user, even if inactive
 * @throws {InvalidInput} `too_many_login_attempts`: the password was not checked
 */
export async function authenticateCredentials(
  account: Account,
  request: Visit,
  credentials: Credentials,
): Promise<User | null> {
  const taken = await account.adapter.preAuthenticate(request, credentials)
  const user = await account.adapter.authenticate(request, credentials).catch(async (error: unknown) => {
    await taken.giveBack()
    throw error
  })
  if (user !== null) {
    await taken.giveBack()
    return user
  }
  const { password: _password, ...identifiers } = credentials
  await account.adapter.authenticationFailed(request, identifiers)
  return null
}

/**
 * The default `authenticate`: returns the user whose password matches. Computes a hash even if no user matches or
 * the password is unusable, so that timing reveals nothing. Upgrades outdated hashes.
 */
export async function findUserByCredentials(
  account: Account,
  request: Visit,
  credentials: Credentials,
): Promise<User | null> {
  const tried = new Set<UserId>()
  for await (const user of listCandidateUsers(account, request, credentials)) {
    if (tried.has(user.id)) continue
    tried.add(user.id)
    if (await verifyUserPassword(request, user, credentials.password)) return user
  }
  if (tried.size === 0) await account.kernel.passwords.verifyDummy(credentials.password)
  return null
}

/** Yields the users that the identifiers may refer to, likeliest first. Looks them up lazily. */
async function* listCandidateUsers(account: Account, request: Visit, credentials: Credentials): AsyncGenerator<User> {
  const { username, email, phone } = credentials
  if (phone !== undefined) {
    const user = await account.adapter.getUserByPhone(request, phone)
    if (user !== null) yield user
  }
  if (email !== undefined) yield* await findEmailOwners(request, email)
  if (username === undefined) return
  const maybeEmail = username !== email && account.kernel.settings.account.loginMethods.includes('email')
  if (maybeEmail && isEmailSyntax(username)) yield* await findEmailOwners(request, username)
  const user = await account.kernel.users.byUsername(request.db, username)
  if (user !== null) yield user
}

async function findEmailOwners(request: Visit, email: string): Promise<readonly User[]> {
  const owners = await request.kernel.users.byEmail(request.db, email, { preferVerified: true, activeOnly: false })
  return owners.slice(0, MAX_OWNERS)
}

async function verifyUserPassword(request: Visit, user: User, password: string): Promise<boolean> {
  const encoded = await request.kernel.users.loadPasswordHash(request.db, user.id)
  if (encoded === null) {
    await request.kernel.passwords.verifyDummy(password)
    return false
  }
  const check = await request.kernel.passwords.verify(password, encoded)
  const { ok } = check
  if (ok) rememberVerifiedPassword(request, user, encoded)
  if (shouldRenewHash(request.kernel, check)) await rehashPassword(request, user, { password, encoded })
  return ok
}

/**
 * Upgrades a password hash. A failure doesn't prevent the login, and a password changed in the meantime is kept. If the
 * user is signed in, binds the session to the new hash.
 */
async function rehashPassword(
  request: Visit,
  user: User,
  { password, encoded }: { readonly password: string; readonly encoded: string },
): Promise<void> {
  try {
    const renewed = await request.kernel.passwords.hash(password)
    if (!(await request.kernel.users.setPassword(request.db, user.id, renewed, encoded))) return
    rememberVerifiedPassword(request, user, renewed)
    if (request.user?.id === user.id) await request.session.signIn(user, renewed)
  } catch (error) {
    request.kernel.log.warn('An outdated password hash could not be upgraded', { userId: user.id, error })
  }
}

/**
 * Returns the key that `login_failed` counts by. All spellings of an identifier share a key, so that they share the
 * attempts. A user's identifiers count separately.
 * @param identifier Username, address, or phone, as entered.
 */
export const failedLoginKey = (site: Site, identifier: string): string =>
  `${site.domain}:${foldText(identifier).trim()}`

const NOTE = 'proved_password'

/** A stored hash that a password of this request matched, and its user. */
interface VerifiedPassword {
  readonly userId: User['id']
  readonly encoded: string
}

/** Remembers the matched hash for this request. A session started by it is bound to that hash. */
function rememberVerifiedPassword(request: Visit, user: User, encoded: string): void {
  const proved: VerifiedPassword = { userId: user.id, encoded }
  request.notes.set(NOTE, proved)
}

/** Returns the hash that the user's password matched in this request, or `null`: the stored hash counts then. */
export function readVerifiedPassword(request: Visit, user: User): string | null {
  const proved = request.notes.get(NOTE) as VerifiedPassword | undefined // written only by `rememberVerifiedPassword`
  return proved?.userId === user.id ? proved.encoded : null
}
