import type { Core } from '../core.ts'
import type { AuthRequest } from '../request.ts'
import type { User } from '../users/user.ts'
import type { AuthenticatorType } from './mfa.ts'

export async function typesOf(core: Core, request: AuthRequest, user: User): Promise<readonly AuthenticatorType[]> {
  throw new Error(`not there yet ${String([core, request, user].length)}`)
}
