import type { InputError } from '../../errors.ts'
import type { NewUser } from '../users/user.ts'

/**
 * The result of a check. `rehash` is set if the password is correct but its stored hash isn't in the current format.
 */
export interface PasswordCheck {
  readonly ok: boolean
  readonly rehash: boolean
}

/**
 * Hashes and verifies passwords off the main thread, with a bounded queue. Passwords are hashed exactly as given,
 * without trimming or normalization.
 */
export interface Passwords {
  /** Hashes a new password. @throws {AuthError} `overloaded` (503) if the queue is full */
  hash(password: string): Promise<string>
  /**
   * Checks a password against a stored hash of any enabled format. Unknown and unusable hashes never match, but take as
   * long as one hash. For hashes of other formats than the current one, a password also matches without the whitespace
   * around it, as sites with these formats stripped it.
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
