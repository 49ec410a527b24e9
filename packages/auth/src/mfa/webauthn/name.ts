import type { Mfa } from '../second-factors.ts'
import type { Account } from '../../account/account.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'

/** Characters. */
const MAX = 100

/** Name of a new key. The key exists already, so that a name which cannot be taken is cut or made up. */
export async function nameNewKey(mfa: Mfa, request: Visit, user: User, given: string): Promise<string> {
  const name = Array.from(
    given
      .toWellFormed()
      .replaceAll(/\p{Cc}/gu, ' ')
      .trim(),
  )
    .slice(0, MAX)
    .join('')
  return name === '' ? mfa.adapter.generateAuthenticatorName(request, user, 'webauthn') : name
}

/** @throws {InvalidInput} `required`, `max_length`, `null_characters_not_allowed` (param `name`) */
export function cleanName(account: Account, given: string): string {
  const name = given.toWellFormed().trim()
  const wrong = (code: string, values = {}): InvalidInput =>
    new InvalidInput([account.adapter.validationError(code, { param: 'name', values })])
  if (name === '') throw wrong('required')
  if (name.includes('\0')) throw wrong('null_characters_not_allowed')
  if (Array.from(name).length > MAX) throw wrong('max_length', { max: MAX })
  return name
}
