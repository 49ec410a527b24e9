import type { Account } from '../account.ts'
import { InvalidInput } from '../../errors.ts'
import { isEmailSyntax } from '../../kernel/forms/email-syntax.ts'
import type { Visit } from '../../kernel/visit.ts'
import { ofField } from './field-errors.ts'
import { sameText } from './same-text.ts'

/** Longest path that mail servers take (RFC 5321 section 4.5.3.1.3, without the angle brackets), and the user table. */
const LONGEST = 254

/**
 * The address that is stored for what a person typed: lower-case and in NFKC, so that all its spellings are one row; of
 * the right form, and taken by the host.
 * @param param Field of the errors.
 * @throws {InvalidInput} `required`, `max_length`, `invalid`, or what `cleanEmail` refuses with
 */
export async function cleanAddress(
  account: Account,
  request: Visit,
  typed: string,
  param: string = 'email',
): Promise<string> {
  const refuse = (code: string, values: Readonly<Record<string, number>> = {}): InvalidInput =>
    new InvalidInput([account.adapter.validationError(code, { param, values })])
  const email = sameText(typed.trim())
  const max = Math.min(LONGEST, account.kernel.settings.account.emailMaxLength)
  if (email === '') throw refuse('required')
  if (Array.from(email).length > max) throw refuse('max_length', { max })
  if (!isEmailSyntax(email)) throw refuse('invalid')
  return ofField(param, () => account.adapter.cleanEmail(request, email))
}
