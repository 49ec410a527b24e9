import type { Oidc } from '../oidc.ts'
import { requireSignedIn } from '../../account/refusals.ts'
import type { PageAnswer, PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { describeScope } from '../hooks.ts'
import { createTimeFormatter } from '../../kernel/templates/time-text.ts'

const PAGE = 'idp_oidc_applications'

/** Returns the page where users see and revoke the access that they've granted to clients. */
export const applicationPages = (oidc: Oidc): readonly PageRoute[] => [
  {
    name: PAGE,
    path: 'applications/',
    access: 'auth',
    withoutPages: true,
    GET: (request) => show(oidc, request),
    POST: (request) => revokeApplication(oidc, request),
  },
]

async function show(oidc: Oidc, request: Visit): Promise<PageAnswer> {
  const allowed = await oidc.tokens.ofUser(request.db, requireSignedIn(request).id)
  const time = createTimeFormatter(request.language, request.nowMs)
  return {
    kind: 'page',
    template: 'idp/oidc/applications',
    context: {
      applications: allowed.map(({ client, scopes, since }) => ({
        client: { id: client.id, name: client.name },
        scopes: scopes.map((scope) => describeScope(oidc.adapter, scope)),
        since: time(since),
      })),
    },
  }
}

async function revokeApplication(oidc: Oidc, request: Visit): Promise<PageAnswer> {
  const user = requireSignedIn(request)
  const id = request.form.get('client') ?? ''
  const allowed = await oidc.tokens.ofUser(request.db, user.id)
  const found = allowed.find(({ client }) => client.id === id)
  if (found !== undefined) {
    await oidc.tokens.revokeOfUser(request.db, user.id, id)
    const { client } = found
    await oidc.signals.emit('client_revoked', 'OidcClient', { request, user, client })
    await oidc.account.adapter.addMessage(request, 'info', 'idp/oidc/messages/access_ended', {
      client: { id, name: client.name },
    })
  }
  return { kind: 'redirect', to: oidc.kernel.url(PAGE) }
}
