import { currentPath } from '../../kernel/http/redirects.ts'
import type { PageAnswer } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { type ExchangeAction, ProviderError } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import type { Social, SocialStart } from '../social-accounts.ts'
import type { SocialProcess } from '../social-login.ts'
import {
  addQueryParams,
  failedAnswer,
  headlessAnswer,
  requireSignInFor,
  shownProvider,
  socialAnswer,
} from './answers.ts'

const PROCESSES: readonly SocialProcess[] = ['login', 'connect', 'redirect']
const ACTIONS: readonly ExchangeAction[] = ['authenticate', 'reauthenticate', 'rerequest']
/** Parameters for this site's pages only. */
const OWN: ReadonlySet<string> = new Set(['csrfmiddlewaretoken'])

/** Returns the handshake options of a request; form values override the query. */
export function parseSocialStart(request: Visit): SocialStart {
  const query = readStartParams(request)
  return {
    process: parseEnum(PROCESSES, query.get('process')) ?? 'login',
    next: request.next,
    action: parseEnum(ACTIONS, query.get('action')) ?? 'authenticate',
    scope: (query.get('scope') ?? '').split(',').flatMap((name) => name.trim() || []),
    authParams: Object.fromEntries(new URLSearchParams(query.get('auth_params') ?? '')),
    query,
  }
}

/** Returns the parameters of the query and the form. */
export function readStartParams({ url, form }: Visit): URLSearchParams {
  const params = new URLSearchParams(url.searchParams)
  for (const [name, value] of form) if (!OWN.has(name)) params.set(name, value)
  return params
}

const parseEnum = <T extends string>(known: readonly T[], given: string | null): T | undefined =>
  known.find((name) => name === given)

/**
 * Redirects the visitor to the provider.
 * @param otherwise Returns what to show if that fails; default: the error page.
 */
export const beginAtProvider = (
  social: Social,
  request: Visit,
  provider: Provider,
  otherwise?: () => Promise<PageAnswer>,
): Promise<PageAnswer> =>
  requireSignInFor(social.account, request, async () => {
    try {
      return respondWithProviderUrl(request, provider, await social.begin(request, provider, parseSocialStart(request)))
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      social.kernel.log.warn('A sign-in at a provider could not begin', {
        provider: provider.id,
        reason: error.message,
      })
      if (otherwise !== undefined) return otherwise()
      return failedAnswer(social, request, { provider, providerId: provider.id, code: error.code }, error)
    }
  })

/**
 * Redirects to the provider: with a 302 for API clients. Browsers apply `form-action` to every redirect after a form,
 * and providers redirect to hosts that can't be listed, so browsers get a page that redirects by itself.
 * @see W3C, "Content Security Policy Level 3", 6.4.1
 */
export function respondWithProviderUrl(request: Visit, provider: Provider, url: string): PageAnswer {
  const isElsewhere = new URL(url, request.url).origin !== request.url.origin
  const asksForPage = (request.raw.headers.get('accept') ?? '').includes('text/html')
  if (!isElsewhere || request.method !== 'POST' || request.client === 'xhr' || !asksForPage) {
    return { kind: 'redirect', to: url }
  }
  return bouncePage(provider, url)
}

/** Returns a page that redirects to the checked URL `url` without a script. */
const bouncePage = (provider: Provider | null, url: string): PageAnswer => ({
  kind: 'page',
  template: 'socialaccount/login_redirect',
  context: { provider: provider === null ? null : shownProvider(provider), redirect_to: url },
})

/** Marks a request that our own page has repeated. */
const AGAIN = '_redir'

/**
 * Returns a page that requests the same URL again from our own site, because browsers don't send a strict session
 * cookie after a redirect from a provider. `null` if there is a session, or this is the repeated request.
 */
export function askAgain(request: Visit, provider: Provider | null): PageAnswer | null {
  if (request.kernel.settings.sessionCookieSamesite !== 'Strict' || request.session.id !== null) return null
  if (request.url.searchParams.has(AGAIN)) return null
  return bouncePage(provider, addQueryParams(currentPath(request), { [AGAIN]: '' }))
}

/** Finishes a handshake, and returns the answer of a page or, if the front end started it, the redirect there. */
export async function finishAtProvider(
  social: Social,
  request: Visit,
  provider: Provider,
  params: URLSearchParams,
): Promise<PageAnswer> {
  params.delete(AGAIN)
  const { headless, ...outcome } = await social.finish(request, provider, params)
  return headless === null ? socialAnswer(social, request, outcome) : headlessAnswer(social, request, outcome, headless)
}
