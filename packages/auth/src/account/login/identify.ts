import { isEmailSyntax } from '../../kernel/forms/email-syntax.ts'
import type { Credentials } from '../adapter.ts'
import { parsePhone } from '../phone/phone.ts'

/** An identifier that a user can sign in with. */
export type LoginMethod = 'username' | 'email' | 'phone'

/** What was typed as "login", understood. */
export interface Identified {
  /** Names the error: `<method>_password_mismatch`. */
  readonly method: LoginMethod
  /** Ways to look the person up, one or two. */
  readonly identifiers: Omit<Credentials, 'password'>
}

/**
 * Detects what kind of identifier was typed: the only enabled method, otherwise an email address or phone by its form,
 * otherwise a username. Where usernames are enabled, other kinds are tried as usernames too.
 * @param methods `loginMethods` of the settings.
 */
export function identify(typed: string, methods: readonly LoginMethod[]): Identified {
  const method = detectLoginMethod(typed, methods)
  const identifier = method === 'phone' ? (parsePhone(typed) ?? typed) : typed
  const byName = method !== 'username' && methods.includes('username') ? { username: typed } : {}
  return { method, identifiers: { ...byName, [method]: identifier } }
}

function detectLoginMethod(typed: string, methods: readonly LoginMethod[]): LoginMethod {
  const [first = 'username'] = methods
  if (methods.length === 1) return first
  if (methods.includes('email') && isEmailSyntax(typed)) return 'email'
  if (methods.includes('phone') && parsePhone(typed) !== null) return 'phone'
  return methods.includes('username') ? 'username' : first
}
