import { createIdleThread } from './idle-thread.ts'

/** Of more, the library takes seconds. */
const LONGEST = 64
/** The published files end in `.js`. */
const WORKER = import.meta.url.endsWith('.ts')
  ? new URL('./strength-worker.ts', import.meta.url)
  : new URL('./strength-worker.js', import.meta.url)

const thread = createIdleThread<readonly [password: string, about: readonly string[]], number>(WORKER)

/**
 * How well the first 64 characters of a password resist guessing, from 0 (at once) to 4 (out of reach).
 * @param about Texts about the owner, which make no good passwords.
 * @see Wheeler, "zxcvbn: Low-Budget Password Strength Estimation", USENIX Security 2016
 */
export const passwordStrength = (password: string, about: readonly string[]): Promise<number> =>
  thread.ask([password.slice(0, LONGEST), about])
