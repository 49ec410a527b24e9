import type { Account } from '../../account/account.ts'
import { outcomeAnswer } from '../../account/login/page-guards.ts'
import { entranceContext } from '../../account/page-context.ts'
import { redirectToReauthentication } from '../../account/reauthentication/reauthentication.ts'
import { AuthError } from '../../errors.ts'
import { currentPath, settingUrl, withNext } from '../../kernel/http/redirects.ts'
import type { PageAnswer } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { SocialAuthError } from '../adapter.ts'
import type { Provider } from '../provider.ts'
import type { Social, SocialOutcome } from '../social-accounts.ts'
import type { SocialProcess } from '../social-login.ts'

/** Where to return from a handshake that the JSON API started. */
interface HeadlessReturn {
  readonly callbackUrl: string
  readonly process: SocialProcess
}

const redirect = (to: string): PageAnswer => ({ kind: 'redirect', to })

/** Returns the answer of a page to the outcome of a handshake. */
export async function socialAnswer(social: Social, request: Visit, outcome: SocialOutcome): Promise<PageAnswer> {
  switch (outcome.kind) {
    case 'login':
      return outcomeAnswer(outcome.outcome)
    case 'signup':
      return redirect(social.kernel.url('socialaccount_signup'))
    case 'connected':
    case 'redirect':
      return redirect(outcome.redirectTo)
    case 'signup_closed':
      return {
        kind: 'page',
        template: 'account/signup_closed',
        context: await entranceContext(social.account, request),
      }
    case 'failed':
      // The provider's reply is used up: the visitor starts over after reauthenticating.
      return outcome.error.code === 'reauthentication_required'
        ? redirectToReauthentication(social.account, request, social.kernel.url('socialaccount_connections'))
        : errorAnswer(social, request, outcome.error)
  }
}

/** Redirects to the front end's callback URL, with `error` and `error_process` on failure. */
export async function headlessAnswer(
  social: Social,
  request: Visit,
  outcome: SocialOutcome,
  back: HeadlessReturn,
): Promise<PageAnswer> {
  if (outcome.kind === 'login' && outcome.outcome.kind === 'response') return outcomeAnswer(outcome.outcome)
  return redirect(returnUrl(social, request, back, await toOutcomeCode(social.account, request, outcome)))
}

/** Returns the error code of an outcome, or `null` if it succeeded. */
async function toOutcomeCode(account: Account, request: Visit, outcome: SocialOutcome): Promise<string | null> {
  switch (outcome.kind) {
    case 'failed':
      return outcome.error.code
    case 'signup_closed':
      return 'signup_closed'
    case 'connected':
      return outcome.action === 'other' ? 'connected_other' : null
    case 'login': {
      const isUnderWay = request.user !== null || (await account.login.pending(request)) !== null
      return isUnderWay ? null : 'unknown'
    }
    case 'signup':
    case 'redirect':
      return null
  }
}

function returnUrl(social: Social, request: Visit, back: HeadlessReturn, code: string | null): string {
  const url = social.account.adapter.isSafeUrl(request, back.callbackUrl)
    ? back.callbackUrl
    : frontendErrorUrl(social, request)
  return code === null ? url : addQueryParams(url, { error: code, error_process: back.process })
}

function frontendErrorUrl(social: Social, visit: Visit): string {
  for (const module of social.kernel.modules) {
    const url = module.frontendUrl?.(visit, 'socialaccount_login_error') ?? null
    if (url !== null) return url
  }
  return '/'
}

/** Renders a failed handshake after calling the hook. Shows no details of the exception. */
async function errorAnswer(social: Social, request: Visit, error: SocialAuthError): Promise<PageAnswer> {
  const { state, code, provider, providerId, exception } = error
  if (state?.headless) {
    return redirect(returnUrl(social, request, { ...state.headless, process: state.process }, code))
  }
  if (social.kernel.settings.headless.only) {
    return redirect(
      addQueryParams(frontendErrorUrl(social, request), { error: code, error_process: state?.process ?? 'login' }),
    )
  }
  if (code === 'cancelled') return redirect(social.kernel.url('socialaccount_login_cancelled'))
  // Made-up names aren't shown.
  const shown = provider === null ? { id: providerId, name: '' } : shownProvider(provider)
  return {
    kind: 'page',
    template: 'socialaccount/authentication_error',
    status: 401,
    context: { ...(await entranceContext(social.account, request)), auth_error: { provider: shown, code, exception } },
  }
}

/** Reports a failed handshake to the hook, and returns the answer for the visitor. */
export async function failedAnswer(
  social: Social,
  request: Visit,
  failed: Pick<SocialAuthError, 'provider' | 'providerId'> & Partial<Pick<SocialAuthError, 'code' | 'state'>>,
  exception: unknown = null,
): Promise<PageAnswer> {
  const error: SocialAuthError = { code: 'unknown', state: null, ...failed, exception }
  await social.adapter.onAuthenticationError(request, error)
  return errorAnswer(social, request, error)
}

/** Redirects visitors who must sign in or reauthenticate; rethrows other errors. */
export async function requireSignInFor(
  account: Account,
  request: Visit,
  work: () => Promise<PageAnswer>,
): Promise<PageAnswer> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    if (error.code === 'login_required')
      return redirect(withNext(settingUrl(account.kernel, account.kernel.settings.loginUrl), currentPath(request)))
    if (error.code === 'reauthentication_required') return redirectToReauthentication(account, request)
    throw error
  }
}

/** A provider as passed to templates. */
export interface ShownProvider {
  readonly id: string
  readonly name: string
  /** First letter, shown in a mark instead of a logo. */
  readonly initial: string
  /** Index of the mark's color, below `TONES`; always the same for one provider. */
  readonly tone: number
  /** Method of its button: `get` if a page asks for something first. */
  readonly method: 'get' | 'post'
}

const TONES = 6

/** Returns a provider for templates, without its app, which has secrets. */
export const shownProvider = ({ id, name, record }: Pick<Provider, 'id' | 'name' | 'record'>): ShownProvider => ({
  id,
  name,
  ...buildProviderMark(id, name),
  method: record.id === 'openid' ? 'get' : 'post',
})

/** Returns the mark of a provider. */
export const buildProviderMark = (id: string, name: string): Pick<ShownProvider, 'initial' | 'tone'> => ({
  initial: (Array.from(name.trim())[0] ?? '?').toUpperCase(),
  tone: Array.from(id).reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7) % TONES,
})

/** Returns `url`, absolute or a path, with parameters added to its query. */
export function addQueryParams(url: string, parameters: Readonly<Record<string, string>>): string {
  const added = new URLSearchParams(parameters).toString()
  if (added === '') return url
  const at = url.indexOf('#')
  const [before, fragment] = at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at)]
  return `${before}${before.includes('?') ? '&' : '?'}${added}${fragment}`
}
