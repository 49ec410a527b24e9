import type { Social } from '../social-accounts.ts'
import { AuthError, ImmediateResponse } from '../../errors.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRequest } from '../../kernel/http/page-request.ts'
import { pageResponse } from '../../kernel/http/page-response.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { SocialAuthError } from '../adapter.ts'
import { ProviderError } from '../exchange.ts'
import { failedAnswer } from '../pages/answers.ts'
import { providerIfAny } from '../pages/provider-of.ts'
import { toProvider } from '../pages/start.ts'
import type { SocialState } from '../social-login.ts'

/** A browser was sent here with a form by a front end: to a provider it goes on, or back with an error. */
export async function redirectToProvider(social: Social, request: Visit): Promise<never> {
  const providerId = request.form.get('provider') ?? ''
  const callbackUrl = request.form.get('callback_url') ?? ''
  const process = request.form.get('process')
  const provider = providerId === '' ? null : await providerIfAny(social, request, providerId)
  const isKnown = provider !== null && provider.supportsRedirect && (process === 'login' || process === 'connect')
  if (!isKnown || !social.account.adapter.isSafeUrl(request, callbackUrl)) {
    return refused(social, request, { provider, providerId })
  }
  const start = { process, next: callbackUrl, action: 'authenticate', headless: { callbackUrl } } as const
  const query = new URLSearchParams()
  let url: string
  try {
    url = await social.begin(request, provider, { ...start, scope: [], authParams: {}, query })
  } catch (error) {
    const code = codeOf(error)
    if (code === null) throw error
    const state: SocialState = { ...start, data: {} }
    return refused(social, request, { provider, providerId, code, state }, error)
  }
  return answered(request, toProvider(request, provider, url))
}

const CODES: Readonly<Record<string, string>> = {
  login_required: 'permission_denied',
  reauthentication_required: 'reauthentication_required',
}

/** What the front end is told. `null`: it is none of its business. */
function codeOf(error: unknown): string | null {
  if (error instanceof ProviderError) return error.code
  return error instanceof AuthError ? (CODES[error.code] ?? null) : null
}

/** A page, as it is a browser that came; where there are no pages, the front end is told. */
async function refused(
  social: Social,
  request: Visit,
  failed: Partial<SocialAuthError> & Pick<SocialAuthError, 'provider' | 'providerId'>,
  exception: unknown = null,
): Promise<never> {
  return answered(request, await failedAnswer(social, request, failed, exception))
}

async function answered(request: Visit, answer: PageAnswer): Promise<never> {
  throw new ImmediateResponse(await pageResponse(request as PageRequest, answer)) // made by the frame of the API
}
