import type { Oidc } from '../oidc.ts'
import { signedIn } from '../../account/signed-in.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import type { BoundForm } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageHandler, PageRoute } from '../../kernel/http/route.ts'
import type { OidcClient } from '../clients.ts'
import type { Visit } from '../../kernel/visit.ts'
import { createTimeFormatter } from '../../kernel/templates/time-text.ts'
import { clientForm, givenClient, NEW_CLIENT } from './client-form.ts'

const LIST = 'admin_oidc_clients'

/** Where staff manage the clients of our OpenID Connect provider. */
export const clientPages = (oidc: Oidc): readonly PageRoute[] => [
  { name: LIST, path: 'admin/clients/', access: 'auth', GET: (request) => list(oidc, request) },
  {
    name: 'admin_add_oidc_client',
    path: 'admin/clients/add/',
    access: 'auth',
    GET: async () => editPage(null, clientForm(oidc, NEW_CLIENT)),
    POST: (request) => create(oidc, request),
  },
  {
    name: 'admin_edit_oidc_client',
    path: 'admin/clients/{id}/',
    access: 'auth',
    GET: withClient(oidc, async (_request, client) => editPage(client, clientForm(oidc, client))),
    POST: withClient(oidc, (request, client) => update(oidc, request, client)),
  },
  {
    name: 'admin_renew_oidc_client_secret',
    path: 'admin/clients/{id}/secret/',
    access: 'auth',
    GET: withClient(oidc, async (_request, client) => askPage(client, 'secret')),
    POST: withClient(oidc, async (request, client) =>
      secretPage(client, await oidc.clients.renewSecret(request.db, client.id, signedIn(request).id)),
    ),
  },
  {
    name: 'admin_remove_oidc_client',
    path: 'admin/clients/{id}/remove/',
    access: 'auth',
    GET: withClient(oidc, async (_request, client) => askPage(client, 'remove')),
    POST: withClient(oidc, (request, client) => remove(oidc, request, client)),
  },
]

/** @throws {AuthError} `not_found` */
function withClient(oidc: Oidc, work: (request: Visit, client: OidcClient) => Promise<PageAnswer>): PageHandler {
  return async (request, { id = '' }) => {
    const client = await oidc.clients.byId(request.db, id)
    if (client === null) throw new AuthError('not_found')
    return work(request, client)
  }
}

const toList = (oidc: Oidc): PageAnswer => ({ kind: 'redirect', to: oidc.kernel.url(LIST) })

async function list(oidc: Oidc, request: Visit): Promise<PageAnswer> {
  const time = createTimeFormatter(request.language, request.nowMs)
  const clients = await oidc.clients.list(request.db)
  return {
    kind: 'page',
    template: 'admin/client_list',
    context: {
      clients: clients.map(({ id, name, type, createdAtMs }) => ({
        id,
        name,
        is_public: type === 'public',
        created_at: time(createdAtMs),
      })),
    },
  }
}

async function create(oidc: Oidc, request: Visit): Promise<PageAnswer> {
  const given = givenClient(oidc, request, NEW_CLIENT)
  try {
    const ownerId = signedIn(request).id
    const { client, secret } = await oidc.clients.create(request.db, { ...given, ownerId })
    return secretPage(client, secret)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return editPage(null, clientForm(oidc, { ...NEW_CLIENT, ...given }, error.errors))
  }
}

async function update(oidc: Oidc, request: Visit, client: OidcClient): Promise<PageAnswer> {
  const given = givenClient(oidc, request, client)
  try {
    await oidc.clients.update(request.db, client.id, given)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return editPage(client, clientForm(oidc, { ...client, ...given }, error.errors))
  }
  await oidc.account.adapter.addMessage(request, 'success', 'admin/messages/client_saved', { client: named(client) })
  return toList(oidc)
}

async function remove(oidc: Oidc, request: Visit, client: OidcClient): Promise<PageAnswer> {
  await oidc.clients.remove(request.db, client.id)
  await oidc.account.adapter.addMessage(request, 'info', 'admin/messages/client_removed', { client: named(client) })
  return toList(oidc)
}

const named = ({ id, name, type }: OidcClient): Readonly<Record<string, unknown>> => ({
  id,
  name,
  is_public: type === 'public',
})

/** @param client `null`: a new one. */
const editPage = (client: OidcClient | null, form: BoundForm): PageAnswer => ({
  kind: 'page',
  template: 'admin/client_form',
  context: { form, client: client === null ? null : named(client) },
  form,
})

const askPage = (client: OidcClient, action: 'secret' | 'remove'): PageAnswer => ({
  kind: 'page',
  template: 'admin/client_confirm',
  context: { client: named(client), action },
})

/** @param secret Shown this once; `null`: a public client has none. */
const secretPage = (client: OidcClient, secret: string | null): PageAnswer => ({
  kind: 'page',
  template: 'admin/client_secret',
  context: { client: named(client), secret },
})
