import { currentPath } from '../../kernel/http/next.ts'
import type { Social } from '../social-accounts.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Provider } from '../provider.ts'
import { headlessAnswer, socialAnswer } from './answers.ts'
import { bouncePage } from './start.ts'
import { addQueryParams } from './url-parameters.ts'

/** Marks a request that our own page has made again. */
const AGAIN = '_redir'

/**
 * A strict session cookie does not come along from a provider: a page of ours asks for the same address once more.
 * `null`: the session is there, or will not come.
 */
export function askAgain(request: Visit, provider: Provider | null): PageAnswer | null {
  if (request.kernel.settings.sessionCookieSamesite !== 'Strict' || request.session.id !== null) return null
  if (request.url.searchParams.has(AGAIN)) return null
  return bouncePage(provider, addQueryParams(currentPath(request), { [AGAIN]: '' }))
}

/** The visitor is back: what became of it, for a page or for the front end that began. */
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
