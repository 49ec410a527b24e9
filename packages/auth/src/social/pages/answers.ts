import { demandReauthentication } from '../../account/reauthentication/suspended-post.ts'
import { outcomeAnswer } from '../../account/login/outcome-answer.ts'
import { settingUrl } from '../../account/email/setting-url.ts'
import { entranceContext, here, withNext } from '../../account/page-context.ts'
import type { Core } from '../../core.ts'
import { AuthError } from '../../errors.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { SocialAuthError } from '../adapter.ts'
import type { SocialOutcome } from '../social-accounts.ts'
import type { SocialProcess } from '../social-login.ts'
import { shownProvider } from './shown-provider.ts'
import { withParameters } from './url-parameters.ts'

/** Where the answer of a handshake goes that the JSON API began. */
export interface HeadlessReturn {
  readonly callbackUrl: string
  readonly process: SocialProcess
}

const redirect = (to: string): PageAnswer => ({ kind: 'redirect', to })

/** What the visitor of a page sees of what became of a handshake. */
export async function socialAnswer(core: Core, request: Visit, outcome: SocialOutcome): Promise<PageAnswer> {
  switch (outcome.kind) {
    case 'login':
      return outcomeAnswer(outcome.outcome)
    case 'signup':
      return redirect(core.url('socialaccount_signup'))
    case 'connected':
    case 'redirect':
      return redirect(outcome.redirectTo)
    case 'signup_closed':
      return { kind: 'page', template: 'account/signup_closed', context: await entranceContext(core, request) }
    case 'failed':
      // What they came back with is used up: they begin again when they have confirmed who they are.
      return outcome.error.code === 'reauthentication_required'
        ? demandReauthentication(core, request, core.url('socialaccount_connections'))
        : errorAnswer(core, request, outcome.error)
  }
}

/** What a front end is told: the address it gave, with `error` and `error_process` when nothing came of it. */
export async function headlessAnswer(
  core: Core,
  request: Visit,
  outcome: SocialOutcome,
  back: HeadlessReturn,
): Promise<PageAnswer> {
  if (outcome.kind === 'login' && outcome.outcome.kind === 'response') return outcomeAnswer(outcome.outcome)
  return redirect(returnUrl(core, request, back, await codeOf(core, request, outcome)))
}

/** @returns the code of what went wrong; `null`: nothing did */
async function codeOf(core: Core, request: Visit, outcome: SocialOutcome): Promise<string | null> {
  switch (outcome.kind) {
    case 'failed':
      return outcome.error.code
    case 'signup_closed':
      return 'signup_closed'
    case 'connected':
      return outcome.action === 'other' ? 'connected_other' : null
    case 'login': {
      const isUnderWay = request.user !== null || (await core.login.pending(request)) !== null
      return isUnderWay ? null : 'unknown'
    }
    case 'signup':
    case 'redirect':
      return null
  }
}

function returnUrl(core: Core, request: Visit, back: HeadlessReturn, code: string | null): string {
  const url = core.adapter.isSafeUrl(request, back.callbackUrl) ? back.callbackUrl : frontendErrorUrl(core, request)
  return code === null ? url : withParameters(url, { error: code, error_process: back.process })
}

const frontendErrorUrl = (core: Core, request: Visit): string =>
  core.headless.adapter.getFrontendUrl(request, 'socialaccount_login_error') ?? '/'

/** What is shown when a handshake has failed: the hook has been told. Nothing of the exception is in our page. */
async function errorAnswer(core: Core, request: Visit, error: SocialAuthError): Promise<PageAnswer> {
  const { state, code, provider, providerId, exception } = error
  if (state?.headless) {
    return redirect(returnUrl(core, request, { ...state.headless, process: state.process }, code))
  }
  if (core.settings.headless.only) {
    return redirect(
      withParameters(frontendErrorUrl(core, request), { error: code, error_process: state?.process ?? 'login' }),
    )
  }
  if (code === 'cancelled') return redirect(core.url('socialaccount_login_cancelled'))
  // What somebody has made up is not shown as a name.
  const shown = provider === null ? { id: providerId, name: '' } : shownProvider(provider)
  return {
    kind: 'page',
    template: 'socialaccount/authentication_error',
    status: 401,
    context: { ...(await entranceContext(core, request)), auth_error: { provider: shown, code, exception } },
  }
}

/** Tells the hook that nothing came of a handshake, and the visitor. */
export async function failedAnswer(
  core: Core,
  request: Visit,
  failed: Pick<SocialAuthError, 'provider' | 'providerId'> & Partial<Pick<SocialAuthError, 'code' | 'state'>>,
  exception: unknown = null,
): Promise<PageAnswer> {
  const error: SocialAuthError = { code: 'unknown', state: null, ...failed, exception }
  await core.social.adapter.onAuthenticationError(request, error)
  return errorAnswer(core, request, error)
}

/** Sends who must sign in, or confirm who they are, to do so; other errors pass. */
export async function afterSigningIn(core: Core, request: Visit, work: () => Promise<PageAnswer>): Promise<PageAnswer> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    if (error.code === 'login_required')
      return redirect(withNext(settingUrl(core, core.settings.loginUrl), here(request)))
    if (error.code === 'reauthentication_required') return demandReauthentication(core, request)
    throw error
  }
}
