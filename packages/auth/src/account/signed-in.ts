import { AuthError } from '../errors.ts'
import type { AuthRequest } from '../request.ts'
import type { User } from '../users/user.ts'

/** Who is signed in, where nobody else comes. @throws {AuthError} `login_required` */
export function signedIn({ user }: AuthRequest): User {
  if (user === null) throw new AuthError('login_required')
  return user
}
