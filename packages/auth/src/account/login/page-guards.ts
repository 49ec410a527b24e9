import type { PageAnswer } from '../../kernel/http/route.ts'
import type { Login, StageKey, LoginOutcome } from '../../kernel/login.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'

const redirect = (to: string): PageAnswer => ({ kind: 'redirect', to })

/**
 * Returns where to redirect a visitor of the sign-in pages: signed-in users to the login redirect, visitors with a
 * login in progress to its stage. `null` means stay, as always with `authenticatedLoginRedirects` off.
 */
export async function redirectSignedIn(account: Account, request: Visit): Promise<PageAnswer | null> {
  if (!account.kernel.settings.account.authenticatedLoginRedirects) return null
  if (request.user !== null) return redirect(request.next ?? account.adapter.getLoginRedirectUrl(request))
  const stage = await account.login.resumeUrl(request)
  return stage === null ? null : redirect(stage)
}

/** Returns the login whose current stage this is, or a redirect for visitors without one. */
export async function loginAtStage(
  account: Account,
  request: Visit,
  stage: StageKey,
  otherwise: string = account.kernel.url('account_login'),
): Promise<{ readonly login: Login } | { readonly answer: PageAnswer }> {
  if (request.user !== null) return { answer: redirect(request.next ?? account.adapter.getLoginRedirectUrl(request)) }
  const login = await account.login.at(request, stage)
  return login === null ? { answer: redirect(otherwise) } : { login }
}

/** Returns the answer of a page to the outcome of a login. */
export const outcomeAnswer = (outcome: LoginOutcome): PageAnswer =>
  outcome.kind === 'response'
    ? { kind: 'response', response: outcome.response }
    : { kind: 'redirect', to: outcome.redirectTo }
