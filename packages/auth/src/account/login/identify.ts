import { isEmailSyntax } from '../../kernel/forms/email-syntax.ts'
import type { Credentials } from '../adapter.ts'
import { parsePhone } from '../phone/phone.ts'

/** What a person may give to say who they are. */
export type LoginMethod = 'username' | 'email' | 'phone'

/** What was typed as "login", understood. */
export interface Identified {
  /** Names the error: `<method>_password_mismatch`. */
  readonly method: LoginMethod
  /** Ways to look the person up, one or two. */
  readonly identifiers: Omit<Credentials, 'password'>
}

/**
 * What a typed identifier is: the only method there is, else an address or a phone by its form, else a user name. Where
 * people have user names, what looks like something else is tried as one too.
 * @param methods `loginMethods` of the settings.
 */
export function identify(typed: string, methods: readonly LoginMethod[]): Identified {
  const method = methodOf(typed, methods)
  const identifier = method === 'phone' ? (parsePhone(typed) ?? typed) : typed
  const byName = method !== 'username' && methods.includes('username') ? { username: typed } : {}
  return { method, identifiers: { ...byName, [method]: identifier } }
}

function methodOf(typed: string, methods: readonly LoginMethod[]): LoginMethod {
  const [first = 'username'] = methods
  if (methods.length === 1) return first
  if (methods.includes('email') && isEmailSyntax(typed)) return 'email'
  if (methods.includes('phone') && parsePhone(typed) !== null) return 'phone'
  return methods.includes('username') ? 'username' : first
}
