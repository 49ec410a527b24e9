import { InvalidInput } from '../../errors.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Login, LoginStage, StageDecision } from '../../kernel/login.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import type { EmailAddress } from '../email-address.ts'
import { lockClaim } from '../contact-stores.sql.ts'
import { cleanAddress, foldText } from './clean-address.ts'
import {
  EMAIL_STAGE,
  emailCodes,
  mailEmailCode,
  type PendingEmailCode,
  saveEmailCodeProcess,
  startEmailCode,
} from './code-verification.ts'
import { claimAddresses, loadEmailAddresses, setMirror } from './mirror.ts'
import { sendConfirmationLink, sendExistsMail, takeConfirmEmailSlot } from './verification.ts'

/** Name of the page where a login waits until an address is verified. */
export const EMAIL_STAGE_PAGE = 'account_email_verification_sent'

/** Returns the login stage that mails a verification and waits until the address is verified. */
export function emailStage(account: Account): LoginStage {
  return {
    key: EMAIL_STAGE,
    page: EMAIL_STAGE_PAGE,
    // Without a pending code, the page would redirect back.
    resumable: (request) =>
      account.kernel.settings.account.emailVerificationByCodeEnabled &&
      emailCodes(account.kernel).current(request) !== null,
    enter: (request, login) => enter(account, request, login),
  }
}

async function enter(account: Account, request: Visit, login: Login): Promise<StageDecision> {
  if (login.emailVerification === 'none') return { kind: 'pass' }
  if (login.user === null) return waitWithoutUser(account, request, login)
  if (login.emailVerification === 'optional') {
    if (login.signup) await sendSignupVerification(account, request, login, login.user)
    return { kind: 'pass' }
  }
  const addresses = await loadEmailAddresses(account, request, login.user)
  if (isVerified(addresses, login.email)) return { kind: 'pass' }
  const address = addresses.find(({ email }) => isSame(email, login.email)) ?? addresses[0]
  if (address === undefined) {
    await account.adapter.addMessage(request, 'error', 'account/messages/unverified_primary_email')
    return { kind: 'abort' }
  }
  const { user, signup } = login
  if (account.kernel.settings.account.emailVerificationByCodeEnabled) {
    await startEmailCode(account, request, { user, email: address.email, signup, stage: true })
  } else await sendConfirmationLink(account, request, { user, address, signup })
  return waitForVerification(account, request, user)
}

/** Returns whether the login's address is verified or, if it has none, any of the user's addresses is. */
const isVerified = (addresses: readonly EmailAddress[], email: string | null): boolean =>
  addresses.some((address) => address.verified && (email === null || isSame(address.email, email)))

const isSame = (stored: string, given: string | null): boolean => given !== null && foldText(stored) === foldText(given)

/** Mails a verification link at sign-up where verification is optional; the login doesn't wait for it. */
async function sendSignupVerification(account: Account, request: Visit, login: Login, user: User): Promise<void> {
  const addresses = await loadEmailAddresses(account, request, user)
  const address = addresses.find(({ email }) => isSame(email, login.email)) ?? addresses[0]
  if (address === undefined || address.verified) return
  await sendConfirmationLink(account, request, { user, address, signup: true })
}

/** Handles a login without a user: the visitor sees what everyone else sees. */
async function waitWithoutUser(account: Account, request: Visit, login: Login): Promise<StageDecision> {
  if (login.emailVerification !== 'mandatory' || login.email === null) return { kind: 'pass' }
  const { email, signup } = login
  if (account.kernel.settings.account.emailVerificationByCodeEnabled) {
    await startEmailCode(account, request, { user: null, email, signup, stage: true })
  } else await sendExistsMail(account, request, email, signup)
  return waitForVerification(account, request, null)
}

function waitForVerification(account: Account, request: Visit, user: User | null): StageDecision {
  return { kind: 'wait', redirectTo: account.adapter.respondEmailVerificationSent(request, user) }
}

/** Returns whether the visitor may still switch to another address: only new users, who can't have used the first one. */
export function canChangeEmail(kernel: Kernel, { process, login, user }: PendingEmailCode): boolean {
  if (login === null || process.changeCount >= kernel.settings.account.emailVerificationSupportsChange) return false
  return user === null ? login.signup : user.lastLoginMs === null
}

/**
 * Changes the address of the login that is waiting for a code, and sends the code to the new one. A visitor whose
 * sign-up hit an existing account sees the same result; the mail then tells the owner of the new address, if any, what
 * happened.
 * @returns `false` if changing the address isn't offered (any more)
 * @throws {InvalidInput} `same_as_current`, `email_taken`, or as `cleanAddress`
 * @throws {AuthError} `rate_limited`; `session_conflict`
 */
export async function changeEmailAtStage(
  account: Account,
  request: Visit,
  pending: PendingEmailCode,
  typed: string,
): Promise<boolean> {
  const { process, user, login } = pending
  if (login === null || !canChangeEmail(account.kernel, pending)) return false
  const refuse = (code: string): InvalidInput =>
    new InvalidInput([account.adapter.validationError(code, { param: 'email' })])
  const email = await cleanAddress(account, request, typed)
  if (foldText(email) === foldText(pending.email)) throw refuse('same_as_current')
  const taken = await isTaken(account, request, email, user)
  if (taken && account.kernel.settings.account.preventEnumeration === false) throw refuse('email_taken')
  const slot = await takeConfirmEmailSlot(request, email)
  const counted = { ...process, changeCount: process.changeCount + 1 }
  await saveEmailCodeProcess(request, counted, slot)
  const replaced = user !== null && !taken && (await replaceAddress(account, request, user, login.email, email))
  if (replaced) account.login.update(request, { ...login, email })
  const code = account.adapter.generateEmailVerificationCode()
  const changed = { ...counted, email, userId: replaced ? user.id : null, code }
  emailCodes(account.kernel).replace(request, changed)
  await mailEmailCode(account, request, changed, user)
  return true
}

async function isTaken(account: Account, request: Visit, email: string, user: User | null): Promise<boolean> {
  if (!account.kernel.settings.account.uniqueEmail) return false
  const checked = await account.adapter.validateUniqueEmail(request, email)
  return account.emails.isTaken(request.db, checked, user?.id ?? null)
}

/** Replaces the unverified address `old` with `email`. Returns `false` if another user has taken it in the meantime. */
async function replaceAddress(
  account: Account,
  request: Visit,
  user: User,
  old: string | null,
  email: string,
): Promise<boolean> {
  return request.transaction(async () => {
    await lockClaim(account.kernel, request.db, 'email', foldText(email))
    await claimAddresses(request, user)
    if (await isTaken(account, request, email, user)) return false
    const rows = await account.emails.ofUser(request.db, user.id)
    const before = rows.find((row) => old !== null && foldText(row.email) === foldText(old) && !row.verified)
    if (before !== undefined) await account.emails.remove(request.db, before.id)
    if (!rows.some((row) => row.email === email)) {
      const primary = before?.primary ?? !rows.some((row) => row.primary)
      await account.emails.insert(request.db, { userId: user.id, email, verified: false, primary })
    }
    if (user.email === '' || foldText(user.email) === foldText(old ?? '')) await setMirror(request, user, email)
    return true
  })
}
