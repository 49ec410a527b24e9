import type { InputError } from '../../errors.ts'
import type { OldSite } from '../schema/adopted.sql.ts'
import type { NewUser } from '../users/user.ts'

/**
 * The result of a check. `rehash` is set if the password is correct but its stored hash isn't in the current format,
 * or includes whitespace around it.
 */
export interface PasswordCheck {
  readonly ok: boolean
  readonly rehash: boolean
  /** Whether the stored hash is so cheap that it should be replaced in any case. */
  readonly isWeak: boolean
}

/** Returns whether to replace a stored hash. An old site would end its sessions of the user, or couldn't read the new hash. */
export const shouldRenewHash = (
  {
    settings,
    oldSite,
  }: { readonly settings: { readonly passwordRenewHashes: boolean | null }; readonly oldSite: OldSite },
  { ok, rehash, isWeak }: PasswordCheck,
): boolean => ok && rehash && (isWeak || (settings.passwordRenewHashes ?? !oldSite.isInUse))

/** The characters that Python's `strip` removes. */
const BLANK = /[\s\u001c-\u001f\u0085]/

/** Returns a password without the whitespace around it: the form that is stored. */
export function trimPassword(password: string): string {
  let [start, end] = [0, password.length]
  while (start < end && BLANK.test(password.charAt(start))) start += 1
  while (start < end && BLANK.test(password.charAt(end - 1))) end -= 1
  return password.slice(start, end)
}

/**
 * Hashes and verifies passwords off the main thread, with a bounded queue. New passwords are stored without the
 * whitespace around them, but not changed otherwise.
 */
export interface Passwords {
  /**
   * Hashes a new password, without the whitespace around it. Returns an unusable password for a blank one.
   * @throws {AuthError} `overloaded` (503) if the queue is full
   */
  hash(password: string): Promise<string>
  /**
   * Checks a password against a stored hash of any enabled format: first as typed, because it may have been stored so,
   * then without the whitespace around it. Unknown and unusable hashes never match, but take as long as a current one.
   * @throws {AuthError} `overloaded` (503) if the queue is full
   */
  verify(password: string, encoded: string): Promise<PasswordCheck>
  /** Takes as long as `verify` with a hash in the current format. For users that don't exist. */
  verifyDummy(password: string): Promise<void>
  /** Returns an unusable password, which never matches: `!` and 40 random characters. */
  unusable(): string
  isUsable(encoded: string): boolean
  /**
   * Returns the rules that a new password violates. Errors have no `param`.
   * @param about The user's data, which the password must not resemble.
   */
  problems(password: string, about: NewUser): Promise<readonly InputError[]>
}
