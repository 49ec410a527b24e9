import { InvalidInput } from '../../errors.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { takeSlot } from '../../kernel/limits/take.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { type CodeProcess, codeProcesses, type CodeProcesses } from '../code-process.ts'
import { cleanAddress, foldText } from '../email/clean-address.ts'
import { isFirstProof } from '../email/first-proof.ts'
import { claimAddresses, giveUnprovenToOwner, loadEmailAddresses } from '../email/mirror.ts'
import { findStoredAddress, sendUnknownAccount } from '../login/code-delivery.ts'
import { type CompletedReset, completeReset } from './new-password.ts'
import { mailResetLink } from './reset-link.ts'

/** Returns the processes of password reset codes. */
const resetCodes = (kernel: Kernel): CodeProcesses =>
  codeProcesses({
    key: 'account_password_reset_verification',
    timeoutSeconds: kernel.settings.account.passwordResetByCodeTimeout,
    maxAttempts: kernel.settings.account.passwordResetByCodeMaxAttempts,
  })

/** A reset in progress. `confirmed` means that the code was correct and a new password can be set. */
export interface PendingReset {
  readonly process: CodeProcess
  readonly confirmed: boolean
  /** The address as typed. */
  readonly email: string
}

/** Returns the visitor's reset by code, or `null` if it's missing or expired. */
export function pendingReset(request: Visit): PendingReset | null {
  const process = resetCodes(request.kernel).current(request)
  if (process === null) return null
  return { process, confirmed: process.data['code_confirmed'] === true, email: process.email ?? '' }
}

/**
 * Returns the active users who can reset their password through an address. An address that was added to an account
 * with a verified one, and isn't verified itself, may be another person's.
 */
async function findResetUsers(account: Account, request: Visit, email: string): Promise<readonly User[]> {
  const found = await account.kernel.users.byEmail(request.db, email, { preferVerified: true, activeOnly: true })
  const users: User[] = []
  for (const user of found) {
    const rows = await account.emails.ofUser(request.db, user.id)
    const row = rows.find((address) => foldText(address.email) === foldText(email))
    if (row === undefined || row.verified || isFirstProof(rows, row)) users.push(user)
  }
  return users
}

/** Starts a reset by code and mails it to the stored address; without a user, every code is wrong. */
async function startResetCode(account: Account, request: Visit, user: User | null, typed: string): Promise<void> {
  const address = user === null ? null : await findStoredAddress(account, request, user, typed)
  const begun = { email: typed, phone: null }
  if (user === null || address === null) {
    resetCodes(account.kernel).start(request, { ...begun, userId: null, code: '' })
    return
  }
  const code = account.adapter.generatePasswordResetCode()
  resetCodes(account.kernel).start(request, { ...begun, userId: user.id, code, data: { address } })
  await account.adapter.sendMail(request, 'account/email/password_reset_code', address, { user, code })
}

/**
 * Checks a code. A correct one verifies the address. It stays valid until the password is set, so that a client can
 * send it again with the new password.
 * @returns `confirmed`, or `ended` if no attempts are left; the reset is then gone
 * @throws {InvalidInput} `incorrect_code`
 * @throws {AuthError} `session_conflict` if another attempt came first; nothing has changed then
 */
export async function tryResetCode(
  account: Account,
  request: Visit,
  { process }: PendingReset,
  code: string,
): Promise<'confirmed' | 'ended'> {
  const user = await findResetUser(request, process)
  const tried = await resetCodes(account.kernel).attempt(
    request,
    user === null ? { ...process, code: '' } : process,
    code,
  )
  if (tried === 'right' && user !== null) {
    const data = { ...process.data, code_confirmed: true }
    resetCodes(account.kernel).replace(request, { ...process, data })
    await markResetEmailVerified(account, request, user, String(process.data['address']))
    return 'confirmed'
  }
  const last = tried === 'last_wrong'
  const rejected = { request, last_attempt: last }
  if (user !== null) await account.signals.emit('password_reset_code_rejected', 'CodeProcess', { ...rejected, user })
  if (last) return 'ended'
  throw new InvalidInput([account.adapter.validationError('incorrect_code', { param: 'code' })])
}

/** Returns the user of a reset; `null` if it has none, or the account was deleted or disabled. */
export async function findResetUser(request: Visit, process: CodeProcess): Promise<User | null> {
  const user = process.userId === null ? null : await request.kernel.users.byId(request.db, process.userId)
  return user?.isActive === true ? user : null
}

/** Ends a confirmed reset, so that it works only once. @throws {AuthError} `session_conflict` */
async function consumeReset(request: Visit): Promise<void> {
  resetCodes(request.kernel).drop(request)
  await request.session.commit()
}

/** Stores the new password of a reset with a verified code. @throws {AuthError} `session_conflict` */
export async function resetByCode(
  account: Account,
  request: Visit,
  { process }: PendingReset,
  reset: Pick<CompletedReset, 'user' | 'password' | 'redirectUrl'>,
): Promise<LoginOutcome | null> {
  await consumeReset(request)
  return completeReset(account, request, { ...reset, email: String(process.data['address']) })
}

async function markResetEmailVerified(account: Account, request: Visit, user: User, email: string): Promise<void> {
  await request.transaction(async () => {
    await claimAddresses(request, user)
    await giveUnprovenToOwner(account, request, user, email)
    const address = (await loadEmailAddresses(account, request, user)).find(
      (row) => foldText(row.email) === foldText(email),
    )
    if (address?.verified === false) await account.adapter.confirmEmail(request, address)
  })
}

/** Maximum number of users who get a mail: anyone can sign up with another person's address, who must not be flooded. */
const MAX_USERS = 10

/**
 * Sends a password reset for an address: a link to each of its users, or a code to the first. Responds the same to an
 * unknown address.
 * @throws {InvalidInput} `required`, `invalid`, `max_length`; `unknown_email` only without `preventEnumeration`
 * @throws {AuthError} `rate_limited`
 */
export async function requestPasswordReset(account: Account, request: Visit, typed: string): Promise<void> {
  const email = await cleanAddress(account, request, typed)
  const settings = account.kernel.settings.account
  const subject = { ip: request.clientIp, key: foldText(email) }
  await takeSlot(account.kernel.limits, 'reset_password', subject, request.nowMs)
  const users = await findResetUsers(account, request, email)
  const [first] = users
  if (first === undefined && settings.preventEnumeration === false) {
    throw new InvalidInput([account.adapter.validationError('unknown_email', { param: 'email' })])
  }
  await request.transaction(async () => {
    if (first === undefined) await sendUnknownAccount(account, request, { email, phone: null })
    if (settings.passwordResetByCodeEnabled) return startResetCode(account, request, first ?? null, email)
    for (const user of users.slice(0, MAX_USERS)) await mailResetLink(account, request, user, email)
  })
}
