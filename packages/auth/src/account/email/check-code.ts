import type { Account } from '../account.ts'
import { sameCode } from '../../kernel/crypto/codes.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { type EmailCodeTried, emailCodes, type PendingEmailCode, tryEmailCode } from './code-verification.ts'

/**
 * Checks a code without using it up; a wrong code counts as an attempt. The attempt is committed before the result is
 * returned, so parallel guesses are all counted.
 * @throws {InvalidInput} `incorrect_code`; `email_taken` if another user has verified the address in the meantime
 * @throws {AuthError} `session_conflict`
 */
export async function checkEmailCode(
  account: Account,
  request: Visit,
  pending: PendingEmailCode,
  code: string,
): Promise<'right' | Extract<EmailCodeTried, { readonly kind: 'ended' }>> {
  const { process, user, email } = pending
  if (user === null || process.userId === null || !sameCode(code, process.code)) {
    await tryEmailCode(account, request, pending, code) // refuses, unless it was the last try
    return { kind: 'ended' }
  }
  const own = await account.emails.find(request.db, user.id, email)
  const unique = account.kernel.settings.account.uniqueEmail
  const taken = unique && (await account.emails.isVerifiedElsewhere(request.db, email, own?.id ?? null))
  const checks = Number(process.data['checks'] ?? 0) + 1
  const failedAttempts = process.failedAttempts + (taken ? 1 : 0)
  emailCodes(account.kernel).replace(request, { ...process, failedAttempts, data: { ...process.data, checks } })
  await request.session.commit()
  if (taken) throw new InvalidInput([account.adapter.validationError('email_taken', { param: 'code' })])
  return 'right'
}
