import type { Account } from '../account.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { Visit } from '../../kernel/visit.ts'
import { demandReauthentication } from '../reauthentication/suspended-post.ts'

/**
 * With `reauthenticationRequired` a change needs somebody who has proved lately who they are: the page where the others
 * do so, and come back from. `null`: go on.
 */
export async function confirmFirst(account: Account, request: Visit): Promise<PageAnswer | null> {
  if (!account.kernel.settings.account.reauthenticationRequired || (await account.login.isRecent(request))) return null
  return demandReauthentication(account, request)
}
