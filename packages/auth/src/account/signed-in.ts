import { AuthError } from '../errors.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'

/** Returns the signed-in user where the route requires one. @throws {AuthError} `login_required` */
export function requireSignedIn({ user }: Visit): User {
  if (user === null) throw new AuthError('login_required')
  return user
}
