import type { Kernel } from '../../kernel/kernel.ts'
import type { Visit } from '../../kernel/visit.ts'

const NOTE = 'prepared_password_hash'

interface Prepared {
  readonly password: string
  readonly encoded: string
}

/**
 * Computes the hash of a new password before the transaction that stores it: meanwhile others would wait for the
 * database. The next `hashOf` of this request takes it.
 * @throws {AuthError} `overloaded`
 */
export async function prepareHash(request: Visit, password: string): Promise<void> {
  const prepared: Prepared = { password, encoded: await encode(request.kernel, password) }
  request.notes.set(NOTE, prepared)
}

/** The prepared hash of this password, once; else a new one. */
export async function takePreparedHash(request: Visit, password: string): Promise<string> {
  const prepared = request.notes.get(NOTE) as Prepared | undefined // written by `prepareHash` alone
  request.notes.delete(NOTE)
  return prepared?.password === password ? prepared.encoded : encode(request.kernel, password)
}

/** No password was given: the account has none, not an empty one. */
const encode = (kernel: Kernel, password: string): Promise<string> =>
  password === '' ? Promise.resolve(kernel.passwords.unusable()) : kernel.passwords.hash(password)
