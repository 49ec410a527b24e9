import type { Account } from '../../account/account.ts'
import { redirectToReauthentication } from '../../account/reauthentication/suspended-post.ts'
import { InvalidInput } from '../../errors.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { requireVerifiedEmail } from '../may-enable.ts'

/** Returns a redirect. */
export const redirect = (to: string): PageAnswer => ({ kind: 'redirect', to })

/**
 * Returns the redirect for a visitor without recent authentication, or `null`. For pages that check something else
 * first.
 */
export const redirectUnlessRecent = async (account: Account, request: Visit): Promise<PageAnswer | null> =>
  (await account.login.isRecent(request)) ? null : redirectToReauthentication(account, request)

/** Returns the redirect for a user who may not add a factor, with a message, or `null` if they may. */
export async function redirectUnlessAddable(account: Account, request: Visit, user: User): Promise<PageAnswer | null> {
  try {
    await requireVerifiedEmail(account, request, user)
    return null
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    addErrorMessages(request, error)
    return redirect(account.kernel.url('mfa_index'))
  }
}

/** Shows the errors of a form on the next page. */
function addErrorMessages(request: Visit, { errors }: InvalidInput): void {
  for (const { message, values } of errors) request.addMessage('error', request.t(message, values))
}
