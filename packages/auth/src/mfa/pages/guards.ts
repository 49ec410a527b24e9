import type { Account } from '../../account/account.ts'
import { demandReauthentication } from '../../account/reauthentication/suspended-post.ts'
import { InvalidInput } from '../../errors.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { refuseUnverified } from '../may-enable.ts'

/** Returns a redirect. */
export const redirect = (to: string): PageAnswer => ({ kind: 'redirect', to })

/** Where a visitor is sent who has not proved lately who they are; `null`: they have. For pages that look at something before. */
export const awayUnlessRecent = async (account: Account, request: Visit): Promise<PageAnswer | null> =>
  (await account.login.isRecent(request)) ? null : demandReauthentication(account, request)

/** Where somebody is sent who may not add a factor, with a message of the reason; `null`: they may. */
export async function awayUnlessAddable(account: Account, request: Visit, user: User): Promise<PageAnswer | null> {
  try {
    await refuseUnverified(account, request, user)
    return null
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    tellErrors(request, error)
    return redirect(account.kernel.url('mfa_index'))
  }
}

/** Shows the errors of a form on the next page. */
function tellErrors(request: Visit, { errors }: InvalidInput): void {
  for (const { message, values } of errors) request.addMessage('error', request.t(message, values))
}
