import type { Core } from '../../core.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { claim } from './claim.sql.ts'
import { cleanAddress } from './clean-address.ts'
import { emailCodes, mailEmailCode, type PendingEmailCode, spend } from './code-verification.ts'
import { claimAddresses, setMirror } from './mirror.ts'
import { sameText } from './same-text.ts'
import { takeConfirmEmail } from './verification.ts'

/** Whether this visitor may still take another address: only somebody new, who cannot have used the first one. */
export function canChangeEmail(core: Core, { process, login, user }: PendingEmailCode): boolean {
  if (login === null || process.changeCount >= core.settings.account.emailVerificationSupportsChange) return false
  return user === null ? login.signup : user.lastLoginMs === null
}

/**
 * Takes another address for the login that waits for a code, and sends the code there. A visitor whose sign-up met an
 * account sees the same, and the owner of the new address, or nobody's, gets a mail that says what is the case.
 * @returns `false`: not (any more) offered
 * @throws {InvalidInput} `same_as_current`, `email_taken`, or as `cleanAddress`
 * @throws {AuthError} `rate_limited`; `session_conflict`
 */
export async function changeEmailAtStage(
  core: Core,
  request: Visit,
  pending: PendingEmailCode,
  typed: string,
): Promise<boolean> {
  const { process, user, login } = pending
  if (login === null || !canChangeEmail(core, pending)) return false
  const refuse = (code: string): InvalidInput =>
    new InvalidInput([core.adapter.validationError(code, { param: 'email' })])
  const email = await cleanAddress(core, request, typed)
  if (sameText(email) === sameText(pending.email)) throw refuse('same_as_current')
  const taken = await isTaken(core, request, email, user)
  if (taken && core.settings.account.preventEnumeration === false) throw refuse('email_taken')
  const slot = await takeConfirmEmail(core, request, email)
  const counted = { ...process, changeCount: process.changeCount + 1 }
  await spend(core, request, counted, slot)
  const replaced = user !== null && !taken && (await replaceAddress(core, request, user, login.email, email))
  if (replaced) core.login.update(request, { ...login, email })
  const code = core.adapter.generateEmailVerificationCode()
  const changed = { ...counted, email, userId: replaced ? user.id : null, code }
  emailCodes(core).replace(request, changed)
  await mailEmailCode(core, request, changed, user)
  return true
}

async function isTaken(core: Core, request: Visit, email: string, user: User | null): Promise<boolean> {
  if (!core.settings.account.uniqueEmail) return false
  const checked = await core.adapter.validateUniqueEmail(request, email)
  return core.emails.isTaken(request.db, checked, user?.id ?? null)
}

/** Puts `email` in the place of the unverified address `old`. `false`: somebody else was faster. */
async function replaceAddress(
  core: Core,
  request: Visit,
  user: User,
  old: string | null,
  email: string,
): Promise<boolean> {
  return request.transaction(async () => {
    await claim(core, request.db, 'email', sameText(email))
    await claimAddresses(core, request, user)
    if (await isTaken(core, request, email, user)) return false
    const rows = await core.emails.ofUser(request.db, user.id)
    const before = rows.find((row) => old !== null && sameText(row.email) === sameText(old) && !row.verified)
    if (before !== undefined) await core.emails.remove(request.db, before.id)
    if (!rows.some((row) => row.email === email)) {
      const primary = before?.primary ?? !rows.some((row) => row.primary)
      await core.emails.insert(request.db, { userId: user.id, email, verified: false, primary })
    }
    if (user.email === '' || sameText(user.email) === sameText(old ?? '')) await setMirror(core, request, user, email)
    return true
  })
}
