import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'

const NOTE = 'proved_password'

/** The stored hash that a password of this request was found to match, and whose it is. */
interface Proved {
  readonly userId: User['id']
  readonly encoded: string
}

/** Remembers for this request what was proved: a session that begins with it ends with it. */
export function rememberVerifiedPassword(request: Visit, user: User, encoded: string): void {
  const proved: Proved = { userId: user.id, encoded }
  request.notes.set(NOTE, proved)
}

/** The hash that the user's password was checked against; `null`: none was, so the one that is stored now counts. */
export function readVerifiedPassword(request: Visit, user: User): string | null {
  const proved = request.notes.get(NOTE) as Proved | undefined // written by `noteProvedPassword` alone
  return proved?.userId === user.id ? proved.encoded : null
}
