import type { Oidc, RequestedLogout } from '../oidc.ts'
import type { Account } from '../../account/account.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { readCookie } from '../../kernel/http/cookies.ts'
import { checkCsrf, CSRF_COOKIE, CSRF_FIELD, CSRF_HEADER, parseCsrfSecret } from '../../kernel/http/csrf.ts'
import type { PageAnswer, PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { formActionSources } from './interaction-pages.ts'

const PAGE = 'idp_oidc_logout'
/** @see OpenID Connect RP-Initiated Logout 1.0 section 2 */
const PARAMETERS = [
  'id_token_hint',
  'client_id',
  'logout_hint',
  'post_logout_redirect_uri',
  'state',
  'ui_locales',
] as const
/** The longest parameter in characters, which must fit into a URL. */
const LONGEST = 6_000

/**
 * Returns the page for a logout that a client starts. Any site may link to it, and only the page's own form decides.
 * @see OpenID Connect RP-Initiated Logout 1.0
 */
export const requestedLogoutPages = (oidc: Oidc): readonly PageRoute[] => [
  {
    name: PAGE,
    path: oidc.paths.logout,
    access: 'anon',
    withoutPages: true,
    csrfExempt: true,
    GET: (request) => begin(oidc, request),
    POST: async (request) => (request.form.has('action') ? decide(oidc, request) : redirectWithParams(request)),
  },
]

const readLogoutParams = (from: { get(name: string): string | null | undefined }): URLSearchParams =>
  new URLSearchParams(
    PARAMETERS.flatMap((name) => {
      const value = from.get(name) ?? ''
      return value === '' || value.length > LONGEST ? [] : [[name, value]]
    }),
  )

/** Redirects a posted request to GET, because browsers don't send the session cookie with another site's form. */
const redirectWithParams = (request: Visit): PageAnswer => ({
  kind: 'redirect',
  to: `${request.kernel.url(PAGE)}?${readLogoutParams(request.form).toString()}`,
})

async function begin(oidc: Oidc, request: Visit): Promise<PageAnswer> {
  const params = readLogoutParams(request.url.searchParams)
  const asked = await (await oidc.engine()).requestedLogout(request, params)
  if (request.user === null) return leave(oidc.account, request, asked)
  const isProved = asked.isForUser && asked.client !== null
  // A HEAD request must not sign anyone out.
  const mustAsk = oidc.kernel.settings.idpOidc.rpInitiatedLogoutAsksForOpLogout || !isProved || request.method !== 'GET'
  return mustAsk ? askPage(oidc.kernel, params, asked) : end(oidc, request, asked, true)
}

/** Handles the page's own form. @throws {AuthError} `csrf_failed` */
async function decide(oidc: Oidc, request: Visit): Promise<PageAnswer> {
  checkCsrf(request.raw, {
    own: [request.url.origin, ...oidc.kernel.settings.csrfTrustedOrigins],
    secret: parseCsrfSecret(readCookie(request.raw.headers.get('cookie'), CSRF_COOKIE)),
    given: request.form.get(CSRF_FIELD) || request.raw.headers.get(CSRF_HEADER),
  })
  const asked = await (await oidc.engine()).requestedLogout(request, readLogoutParams(request.form))
  return end(oidc, request, asked, request.form.get('action') !== 'stay')
}

/**
 * Revokes the client's tokens even if the user stays signed in, because the client signs out either way. Keeps the
 * consent.
 */
async function end(oidc: Oidc, request: Visit, asked: RequestedLogout, isLogout: boolean): Promise<PageAnswer> {
  const { user } = request
  const answer = leave(oidc.account, request, asked)
  if (user === null) return answer
  if (asked.client !== null) await oidc.tokens.signOutOfClient(request.db, user.id, asked.client.id)
  if (isLogout) await oidc.account.login.logout(request, { silent: asked.redirectTo !== null })
  return answer
}

const leave = (account: Account, request: Visit, { redirectTo }: RequestedLogout): PageAnswer => ({
  kind: 'redirect',
  to: redirectTo ?? account.adapter.getLogoutRedirectUrl(request),
})

const askPage = (kernel: Kernel, params: URLSearchParams, { client, redirectTo }: RequestedLogout): PageAnswer => {
  const fields = [...params].map(([name, value]) => ({
    name,
    id: `id_${name}`,
    label: name,
    type: 'hidden' as const,
    required: false,
    value,
    errors: [],
  }))
  const form = { fields, errors: [] }
  return {
    kind: 'page',
    template: 'idp/oidc/logout',
    context: {
      form,
      action_url: kernel.url(PAGE),
      client: client === null ? null : { id: client.id, name: client.name },
    },
    form,
    ...(redirectTo === null ? {} : { formTargets: formActionSources(redirectTo) }),
  }
}
