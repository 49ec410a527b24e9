import type { Core } from '../../core.ts'
import type { AuthRequest } from '../../request.ts'

const NOTE = 'signup_password'

interface Hashed {
  readonly password: string
  readonly encoded: string
}

/** Hashes the password of a sign-up before the transaction that stores it. Empty: an account without password. */
export async function hashAhead(core: Core, request: AuthRequest, password: string): Promise<void> {
  const hashed: Hashed = { password, encoded: await encode(core, password) }
  request.notes.set(NOTE, hashed)
}

/** The hash made ahead; hashes now, if the password is another one. */
export async function encodedPassword(core: Core, request: AuthRequest, password: string): Promise<string> {
  const hashed = request.notes.get(NOTE) as Hashed | undefined // written by `hashAhead` alone
  return hashed?.password === password ? hashed.encoded : encode(core, password)
}

const encode = (core: Core, password: string): Promise<string> =>
  password === '' ? Promise.resolve(core.passwords.unusable()) : core.passwords.hash(password)
