import type { Account } from '../account.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { Visit } from '../../kernel/visit.ts'
import { redirectToReauthentication } from '../reauthentication/suspended-post.ts'

/**
 * With `reauthenticationRequired`, returns the redirect to the reauthentication page if the visitor hasn't
 * reauthenticated recently; `null` means continue.
 */
export async function confirmFirst(account: Account, request: Visit): Promise<PageAnswer | null> {
  if (!account.kernel.settings.account.reauthenticationRequired || (await account.login.isRecent(request))) return null
  return redirectToReauthentication(account, request)
}
