import type { Auth } from '../auth.ts'
import { type Argon2, loadArgon2 } from '../kernel/passwords/argon2.ts'
import { createPasswords, type PasswordOptions, TODAY } from '../kernel/passwords/password-service.ts'

/** Spends next to nothing on a hash of today's parameters, and says that it had them; all others are as they should be. */
const quickArgon2: Argon2 = async (password, salt, parameters, length) => {
  const isToday = parameters.memoryKib === TODAY.memoryKib && parameters.passes === TODAY.passes
  const argon2 = await loadArgon2()
  return argon2(password, salt, isToday ? { ...parameters, memoryKib: 8, passes: 1 } : parameters, length)
}

/** Passwords of an instance as they are, but for what a hash costs: it is most of the time of many a test. */
export function quickenPasswords(auth: Auth, isBreached: PasswordOptions['isBreached']): void {
  const { settings, random, log } = auth.kernel
  const breached = isBreached === undefined ? {} : { isBreached }
  const passwords = createPasswords({ settings, random, log, argon2: quickArgon2, ...breached })
  Object.assign(auth.kernel, { passwords })
}
