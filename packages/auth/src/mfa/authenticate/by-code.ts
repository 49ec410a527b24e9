import type { Core } from '../../core.ts'
import type { AuthRequest } from '../../request.ts'
import type { User } from '../../users/user.ts'
import type { Authenticator } from '../mfa.ts'

export async function authenticateByCode(
  core: Core,
  request: AuthRequest,
  user: User,
  code: string,
  options: { readonly reauthentication: boolean },
): Promise<Authenticator> {
  throw new Error(`not there yet ${String([core, request, user, code, options].length)}`)
}
