import type { Core } from '../../core.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Login, StageKey } from '../login.ts'

const redirect = (to: string): PageAnswer => ({ kind: 'redirect', to })

/**
 * Where a visitor of the pages before the login belongs instead: one who is signed in to where logins lead, one whose
 * login is under way to its stage. `null`: here, as always with `authenticatedLoginRedirects` off.
 */
export async function awayFromEntrance(core: Core, request: Visit): Promise<PageAnswer | null> {
  if (!core.settings.account.authenticatedLoginRedirects) return null
  if (request.user !== null) return redirect(request.next ?? core.adapter.getLoginRedirectUrl(request))
  const stage = await core.login.resumeUrl(request)
  return stage === null ? null : redirect(stage)
}

/** The login whose current stage this is, or where a visitor of its page is sent without one. */
export async function loginAtStage(
  core: Core,
  request: Visit,
  stage: StageKey,
  otherwise: string = core.url('account_login'),
): Promise<{ readonly login: Login } | { readonly answer: PageAnswer }> {
  if (request.user !== null) return { answer: redirect(request.next ?? core.adapter.getLoginRedirectUrl(request)) }
  const login = await core.login.at(request, stage)
  return login === null ? { answer: redirect(otherwise) } : { login }
}
