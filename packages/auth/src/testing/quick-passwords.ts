import type { Auth } from '../auth.ts'
import { type Argon2, loadArgon2 } from '../kernel/passwords/argon2.ts'
import { createPasswords, type PasswordOptions, TODAY } from '../kernel/passwords/password-service.ts'

/** Computes hashes with the current parameters at minimal cost, and all others correctly. */
const quickArgon2: Argon2 = async (password, salt, parameters, length) => {
  const isToday = parameters.memoryKib === TODAY.memoryKib && parameters.passes === TODAY.passes
  const argon2 = await loadArgon2()
  return argon2(password, salt, isToday ? { ...parameters, memoryKib: 8, passes: 1 } : parameters, length)
}

/**
 * Replaces an instance's password hashing with a cheap version, because hashing takes most of the time of many tests.
 */
export function quickenPasswords(auth: Auth, isBreached: PasswordOptions['isBreached']): void {
  const { settings, random, log } = auth.kernel
  const breached = isBreached === undefined ? {} : { isBreached }
  const passwords = createPasswords({ settings, random, log, argon2: quickArgon2, ...breached })
  Object.assign(auth.kernel, { passwords })
}
