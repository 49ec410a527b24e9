import { InvalidInput } from '../../errors.ts'
import { isEmailSyntax } from '../../kernel/forms/form.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'

/** The longest path in SMTP (RFC 5321 section 4.5.3.1.3) without its angle brackets, and the column's size. */
const MAX_ADDRESS_LENGTH = 254

/**
 * Returns the address to store for typed input: in lower case and NFKC, so that all spellings share a row; checked for
 * syntax and accepted by the host.
 * @param param Field that errors are reported for.
 * @throws {InvalidInput} `required`, `max_length`, `invalid`, or the error of `cleanEmail`
 */
export async function cleanAddress(
  account: Account,
  request: Visit,
  typed: string,
  param: string = 'email',
): Promise<string> {
  const refuse = (code: string, values: Readonly<Record<string, number>> = {}): InvalidInput =>
    new InvalidInput([account.adapter.validationError(code, { param, values })])
  const email = foldText(typed.trim())
  const max = Math.min(MAX_ADDRESS_LENGTH, account.kernel.settings.account.emailMaxLength)
  if (email === '') throw refuse('required')
  if (Array.from(email).length > max) throw refuse('max_length', { max })
  if (!isEmailSyntax(email)) throw refuse('invalid')
  return withFieldErrors(param, () => account.adapter.cleanEmail(request, email))
}

/** Returns whether a user with these addresses may add another. */
export function canAddAddress(kernel: Kernel, addresses: readonly unknown[]): boolean {
  const { changeEmail, maxEmailAddresses } = kernel.settings.account
  return changeEmail || maxEmailAddresses === null || addresses.length < maxEmailAddresses
}

/** Runs `work`, and assigns its input errors that name no field to the field `param`. */
export async function withFieldErrors<T>(param: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(error.errors.map((one) => (one.param === undefined ? { ...one, param } : one)))
  }
}

/** Returns the same text for all spellings of an address or username that count as equal. */
export const foldText = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC')
