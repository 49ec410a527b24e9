import type { Kernel } from '../../kernel/kernel.ts'
import type { Account } from '../account.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { lockClaim } from './claim.sql.ts'
import { cleanAddress } from './clean-address.ts'
import { emailCodes, mailEmailCode, type PendingEmailCode, saveEmailCodeProcess } from './code-verification.ts'
import { claimAddresses, setMirror } from './mirror.ts'
import { foldText } from './same-text.ts'
import { takeConfirmEmailSlot } from './verification.ts'

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

/** Puts `email` in the place of the unverified address `old`. `false`: somebody else was faster. */
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
