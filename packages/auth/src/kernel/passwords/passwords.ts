import type { InputError } from '../../errors.ts'
import type { NewUser } from '../users/user.ts'

/** Result of a check; `rehash` if the stored hash is outdated or weaker than today's. */
export interface PasswordCheck {
  readonly ok: boolean
  readonly rehash: boolean
}

/** Hashing off the main thread, with a bounded queue. A password is never trimmed or normalised. */
export interface Passwords {
  /** @throws {AuthError} `overloaded` (503) when too many wait */
  hash(password: string): Promise<string>
  /** Any of the stored formats; unknown and unusable ones are never right, and cost one hash all the same. */
  verify(password: string, encoded: string): Promise<PasswordCheck>
  /** Costs what `verify` of today's format costs: for a user that does not exist. */
  verifyDummy(password: string): Promise<void>
  /** `!` and 40 random characters: never right. */
  unusable(): string
  isUsable(encoded: string): boolean
  /**
   * The rules for new passwords: empty when all hold. Errors have no `param`.
   * @param about What the password must not resemble.
   */
  problems(password: string, about: NewUser): Promise<readonly InputError[]>
}
