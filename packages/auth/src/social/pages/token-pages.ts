import type { Social } from '../social-accounts.ts'
import { equalsConstantTime } from '../../kernel/crypto/crypto.ts'
import { InvalidInput } from '../../errors.ts'
import type { PageAnswer, PageHandler, PageRoute } from '../../kernel/http/route.ts'
import { readCookie } from '../../kernel/http/cookies.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { GivenToken } from '../exchange.ts'
import { requireSignInFor, failedAnswer, socialAnswer } from './answers.ts'
import { providerIfAny } from './provider-of.ts'
import { parseSocialStart } from './start.ts'

/** Pages to which providers' scripts post tokens: Google One Tap, and Facebook's SDK. */
export const tokenPages = (social: Social): readonly PageRoute[] => [
  {
    ...tokenPage(social, 'google', ({ form }) => ({ idToken: form.get('credential') ?? '' })),
    // A form of Google's site. It's protected by a cookie that Google's script sets on our pages.
    csrfExempt: true,
  },
  tokenPage(social, 'facebook', ({ form }) => ({ accessToken: form.get('access_token') ?? '' })),
]

function tokenPage(social: Social, id: 'google' | 'facebook', tokenOf: (request: Visit) => GivenToken): PageRoute {
  return {
    name: `${id}_login_by_token`,
    path: `${id}/login/token/`,
    access: 'anon',
    limit: { action: 'provider_token', per: 'ip' },
    GET: async (request) => failedAnswer(social, request, await findNamedProvider(social, request, id)),
    POST: signIn(social, id, tokenOf),
  }
}

const findNamedProvider = async (social: Social, request: Visit, id: string) => ({
  provider: await providerIfAny(social, request, id),
  providerId: id,
})

const signIn =
  (social: Social, id: 'google' | 'facebook', tokenOf: (request: Visit) => GivenToken): PageHandler =>
  async (request): Promise<PageAnswer> => {
    const about = await findNamedProvider(social, request, id)
    const token = tokenOf(request)
    const isGenuine = id === 'facebook' || hasMatchingGoogleCsrf(request)
    if (about.provider === null || !isGenuine || Object.values(token).includes('')) {
      return failedAnswer(social, request, about)
    }
    const { provider } = about
    const { process } = parseSocialStart(request)
    return requireSignInFor(social.account, request, async () => {
      try {
        const given = { clientId: provider.app.clientId, ...token }
        const connects = id === 'facebook' && process === 'connect'
        const outcome = await social.byToken(request, provider, given, connects ? 'connect' : 'login')
        return await socialAnswer(social, request, outcome)
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error
        return failedAnswer(social, request, about, error)
      }
    })
  }

/**
 * Returns whether the cookie and the field have the same value.
 * @see Google Identity, "Verify the Google ID token on your server side"
 */
function hasMatchingGoogleCsrf({ raw, form }: Visit): boolean {
  const cookie = readCookie(raw.headers.get('cookie'), 'g_csrf_token')
  const field = form.get('g_csrf_token')
  return cookie !== null && cookie !== '' && field !== undefined && equalsConstantTime(cookie, field)
}
