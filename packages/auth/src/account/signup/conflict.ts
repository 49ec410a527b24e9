import type { Account } from '../account.ts'
import type { AuthSettings } from '../../kernel/settings/settings.ts'
import type { InputError } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { EmailVerification } from '../../kernel/login.ts'

/** Whether a sign-up meets an account that has its address or phone. */
export type Conflict =
  | { readonly kind: 'none' }
  /** The visitor must not see it: nothing is created, and the owner is told. */
  | { readonly kind: 'hidden' }
  | { readonly kind: 'refused'; readonly errors: readonly InputError[] }

/** What is to be done when an address is in use: section 3.2.3 of the reference. */
function takenEmailRule(
  { preventEnumeration }: AuthSettings['account'],
  emailVerification: EmailVerification,
): Conflict['kind'] {
  if (preventEnumeration === false) return 'refused'
  if (emailVerification === 'mandatory') return 'hidden'
  return preventEnumeration === 'strict' ? 'none' : 'refused'
}

/** The same for a phone: only where it is verified can an account be hidden. */
function takenPhoneRule(account: AuthSettings['account']): Conflict['kind'] {
  const { preventEnumeration, phoneVerificationEnabled } = account
  if (preventEnumeration === false) return 'refused'
  if (phoneVerificationEnabled) return 'hidden'
  return preventEnumeration === 'strict' ? 'none' : 'refused'
}

/** What a sign-up asks for that only one person may have. */
export interface Wanted {
  readonly email: string | null
  readonly phone: string | null
}

/**
 * Checks whether the address or phone is in use. Always looks up both, so that timing reveals nothing.
 * @param emailVerification Verification of the new account: where all addresses must be verified, a conflict can be
 *   hidden.
 */
export async function findConflict(
  account: Account,
  request: Visit,
  { email, phone }: Wanted,
  emailVerification: EmailVerification = account.kernel.settings.account.emailVerification,
): Promise<Conflict> {
  const settings = account.kernel.settings.account
  const emailTaken = email !== null && settings.uniqueEmail && (await account.emails.isTaken(request.db, email, null))
  const phoneTaken = phone !== null && (await account.adapter.getUserByPhone(request, phone)) !== null
  const met = [
    ...(emailTaken ? [{ rule: takenEmailRule(settings, emailVerification), code: 'email_taken', param: 'email' }] : []),
    ...(phoneTaken ? [{ rule: takenPhoneRule(settings), code: 'phone_taken', param: 'phone' }] : []),
  ]
  const refused = met.filter(({ rule }) => rule === 'refused')
  if (refused.length > 0) {
    return {
      kind: 'refused',
      errors: refused.map(({ code, param }) => account.adapter.validationError(code, { param })),
    }
  }
  return { kind: met.some(({ rule }) => rule === 'hidden') ? 'hidden' : 'none' }
}
