import { AuthError } from '../errors.ts'
import type { ApiCall } from './endpoint.ts'

/** For what only somebody may do who has just proved who they are. @throws {AuthError} `reauthentication_required` */
export async function requireRecent({ core, request }: ApiCall): Promise<void> {
  if (!(await core.login.isRecent(request))) throw new AuthError('reauthentication_required')
}
