import type { Account } from '../account.ts'
import { isEmailSyntax } from '../../kernel/forms/email-syntax.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { Visit } from '../../kernel/visit.ts'
import { stashedEmail } from '../email/hooks.ts'
import { redirectSignedIn } from '../login/page-guards.ts'
import { entranceContext } from '../page-context.ts'

/** Returns what replaces a sign-up page: a redirect for signed-in visitors, or the page for closed sign-up. */
export async function redirectFromSignup(account: Account, request: Visit): Promise<PageAnswer | null> {
  const away = await redirectSignedIn(account, request)
  if (away !== null) return away
  if (await account.adapter.isOpenForSignup(request)) return null
  return { kind: 'page', template: 'account/signup_closed', context: await entranceContext(account, request) }
}

/** The address of a link (`?email=`) or of an invitation. */
export function prefillSignup(request: Visit): Readonly<Record<string, string>> {
  const email = stashedEmail(request) ?? request.url.searchParams.get('email')
  return email !== null && isEmailSyntax(email) ? { email } : {}
}
