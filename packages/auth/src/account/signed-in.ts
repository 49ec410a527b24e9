import { AuthError } from '../errors.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'

/** Who is signed in, where nobody else comes. @throws {AuthError} `login_required` */
export function signedIn({ user }: Visit): User {
  if (user === null) throw new AuthError('login_required')
  return user
}
