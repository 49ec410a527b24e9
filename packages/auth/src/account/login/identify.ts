import { isEmailSyntax } from '../../forms/email-syntax.ts'
import type { Credentials } from '../adapter.ts'

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
  const identifier = method === 'phone' ? plainPhone(typed) : typed
  const byName = method !== 'username' && methods.includes('username') ? { username: typed } : {}
  return { method, identifiers: { ...byName, [method]: identifier } }
}

function methodOf(typed: string, methods: readonly LoginMethod[]): LoginMethod {
  const [first = 'username'] = methods
  if (methods.length === 1) return first
  if (methods.includes('email') && isEmailSyntax(typed)) return 'email'
  if (methods.includes('phone') && isPhone(typed)) return 'phone'
  return methods.includes('username') ? 'username' : first
}

/** ITU-T E.164: a plus and at most 15 digits, the first of which is not 0. */
const isPhone = (typed: string): boolean => /^\+[1-9]\d{5,14}$/.test(plainPhone(typed))

/** Without what people put between the digits. */
export const plainPhone = (typed: string): string => typed.replaceAll(/[\s().-]/g, '')
