import { AuthError } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'

/** Requires a recent authentication. @throws {AuthError} `reauthentication_required` */
export async function requireRecent(account: Account, visit: Visit): Promise<void> {
  if (!(await account.login.isRecent(visit))) throw new AuthError('reauthentication_required')
}
