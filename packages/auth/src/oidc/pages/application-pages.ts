import { signedIn } from '../../account/signed-in.ts'
import type { Core } from '../../core.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { shownTimes } from '../../kernel/templates/shown-time.ts'

const PAGE = 'idp_oidc_applications'

/** What a person has let other programs do, and where they end it. */
export const applicationPages = (core: Core): readonly PageRoute[] => [
  {
    name: PAGE,
    path: 'applications/',
    access: 'auth',
    withoutPages: true,
    GET: (request) => show(core, request),
    POST: (request) => revoke(core, request),
  },
]

async function show(core: Core, request: Visit): Promise<PageAnswer> {
  const allowed = await core.oidc.tokens.ofUser(request.db, signedIn(request).id)
  const time = shownTimes(request.language, request.nowMs)
  const { scopeDisplay } = core.oidc.adapter
  return {
    kind: 'page',
    template: 'idp/oidc/applications',
    context: {
      applications: allowed.map(({ client, scopes, since }) => ({
        client: { id: client.id, name: client.name },
        scopes: scopes.map((scope) => (Object.hasOwn(scopeDisplay, scope) ? (scopeDisplay[scope] ?? scope) : scope)),
        since: time(since),
      })),
    },
  }
}

async function revoke(core: Core, request: Visit): Promise<PageAnswer> {
  const user = signedIn(request)
  const id = request.form.get('client') ?? ''
  const allowed = await core.oidc.tokens.ofUser(request.db, user.id)
  const found = allowed.find(({ client }) => client.id === id)
  if (found !== undefined) {
    await core.oidc.tokens.revokeOfUser(request.db, user.id, id)
    const { client } = found
    await core.signals.emit('client_revoked', 'OidcClient', { request, user, client })
    await core.adapter.addMessage(request, 'info', 'idp/oidc/messages/access_ended', {
      client: { id, name: client.name },
    })
  }
  return { kind: 'redirect', to: core.url(PAGE) }
}
