import type { Account } from '../account.ts'
import { isEmailSyntax } from '../../kernel/forms/email-syntax.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { Visit } from '../../kernel/visit.ts'
import { stashedEmail } from '../email/hooks.ts'
import { awayFromEntrance } from '../login/page-guards.ts'
import { entranceContext } from '../page-context.ts'

/** What a visitor gets in place of a page to sign up: who is signed in belongs elsewhere; sign-up may be closed. */
export async function awayFromSignup(account: Account, request: Visit): Promise<PageAnswer | null> {
  const away = await awayFromEntrance(account, request)
  if (away !== null) return away
  if (await account.adapter.isOpenForSignup(request)) return null
  return { kind: 'page', template: 'account/signup_closed', context: await entranceContext(account, request) }
}

/** The address of a link (`?email=`) or of an invitation. */
export function prefilledSignup(request: Visit): Readonly<Record<string, string>> {
  const email = stashedEmail(request) ?? request.url.searchParams.get('email')
  return email !== null && isEmailSyntax(email) ? { email } : {}
}
