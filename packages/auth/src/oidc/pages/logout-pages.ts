import type { Core } from '../../core.ts'
import { cookieOf } from '../../kernel/http/cookies.ts'
import { checkCsrf, CSRF_COOKIE, CSRF_FIELD, CSRF_HEADER, csrfSecretOf } from '../../kernel/http/csrf.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { RequestedLogout } from '../oidc.ts'
import { formTargetsOf } from './leads-to.ts'

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
/** Characters. What is longer does not fit into an address. */
const LONGEST = 6_000

/**
 * A logout that a client starts. Any site may lead here; what is decided here, is decided by a form of ours.
 * @see OpenID Connect RP-Initiated Logout 1.0
 */
export const requestedLogoutPages = (core: Core): readonly PageRoute[] => [
  {
    name: PAGE,
    path: core.oidc.paths.logout,
    access: 'anon',
    withoutPages: true,
    csrfExempt: true,
    GET: (request) => begin(core, request),
    POST: async (request) => (request.form.has('action') ? decide(core, request) : again(core, request)),
  },
]

const given = (from: { get(name: string): string | null | undefined }): URLSearchParams =>
  new URLSearchParams(
    PARAMETERS.flatMap((name) => {
      const value = from.get(name) ?? ''
      return value === '' || value.length > LONGEST ? [] : [[name, value]]
    }),
  )

/** As GET: browsers send no session with a form of another site. */
const again = (core: Core, request: Visit): PageAnswer => ({
  kind: 'redirect',
  to: `${core.url(PAGE)}?${given(request.form).toString()}`,
})

async function begin(core: Core, request: Visit): Promise<PageAnswer> {
  const params = given(request.url.searchParams)
  const asked = await (await core.oidc.engine()).requestedLogout(request, params)
  if (request.user === null) return leave(core, request, asked)
  const isProved = asked.isForUser && asked.client !== null
  // What only looks (HEAD) ends nothing.
  const mustAsk = core.settings.idpOidc.rpInitiatedLogoutAsksForOpLogout || !isProved || request.method !== 'GET'
  return mustAsk ? askPage(core, params, asked) : end(core, request, asked, true)
}

/** @throws {AuthError} `csrf_failed` */
async function decide(core: Core, request: Visit): Promise<PageAnswer> {
  checkCsrf(request.raw, {
    own: [request.url.origin, ...core.settings.csrfTrustedOrigins],
    secret: csrfSecretOf(cookieOf(request.raw.headers.get('cookie'), CSRF_COOKIE)),
    given: request.form.get(CSRF_FIELD) || request.raw.headers.get(CSRF_HEADER),
  })
  const asked = await (await core.oidc.engine()).requestedLogout(request, given(request.form))
  return end(core, request, asked, request.form.get('action') !== 'stay')
}

/** The tokens of the client end either way: that is what it has asked for. What it is allowed stays. */
async function end(core: Core, request: Visit, asked: RequestedLogout, isLogout: boolean): Promise<PageAnswer> {
  const { user } = request
  const answer = leave(core, request, asked)
  if (user === null) return answer
  if (asked.client !== null) await core.oidc.tokens.signOutOfClient(request.db, user.id, asked.client.id)
  if (isLogout) await core.login.logout(request, { silent: asked.redirectTo !== null })
  return answer
}

const leave = (core: Core, request: Visit, { redirectTo }: RequestedLogout): PageAnswer => ({
  kind: 'redirect',
  to: redirectTo ?? core.adapter.getLogoutRedirectUrl(request),
})

const askPage = (core: Core, params: URLSearchParams, { client, redirectTo }: RequestedLogout): PageAnswer => {
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
      action_url: core.url(PAGE),
      client: client === null ? null : { id: client.id, name: client.name },
    },
    form,
    ...(redirectTo === null ? {} : { formTargets: formTargetsOf(redirectTo) }),
  }
}
