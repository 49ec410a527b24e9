import type { Account } from '../account.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { withFieldErrors } from '../email/field-errors.ts'

/** `+`, then 6 to 15 digits of which the first is not 0. @see ITU-T E.164 */
const E164 = /^\+[1-9]\d{5,14}$/
/** What people put between digits: blanks and dashes of all scripts, dots, slashes, brackets, invisible marks. */
const GROUPING = /[\s\p{Pd}./()\u200b-\u200f\u202a-\u202e\u2060\ufeff]/gu
/** The zero of domestic calls, which must not be dialled after a country code: the number could mean two things. */
const TRUNK_ZERO = /\(\s*0\s*\)/

/** The number as it is stored, `+31612345678`, for one that a person typed; `null`: none with a country code. */
export function parsePhone(typed: string): string | null {
  const text = typed.normalize('NFKC')
  const phone = text.replaceAll(GROUPING, '')
  return E164.test(phone) && !TRUNK_ZERO.test(text) ? phone : null
}

/** @throws {InvalidInput} `invalid_phone`, or what the hook `cleanPhone` refuses with */
export async function cleanPhoneNumber(account: Account, request: Visit, typed: string): Promise<string> {
  const phone = parsePhone(typed)
  if (phone === null) throw new InvalidInput([account.adapter.validationError('invalid_phone', { param: 'phone' })])
  return withFieldErrors('phone', () => account.adapter.cleanPhone(request, phone))
}
