import type { Account } from '../../account/account.ts'
import { entranceContext } from '../../account/page-context.ts'
import { requireSignedIn } from '../../account/refusals.ts'
import { InvalidInput } from '../../errors.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import { ownResponse } from '../../kernel/http/responses.ts'
import type { PageAnswer, PageRoute } from '../../kernel/http/route.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { createTimeFormatter } from '../../kernel/templates/time-text.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Social } from '../social-accounts.ts'
import type { SocialAccount } from '../social-login.ts'
import { requireSignInFor } from './answers.ts'

/** The page for listing, connecting, and disconnecting the user's accounts at providers. */
export const connectionsPage = (social: Social): PageRoute => ({
  name: 'socialaccount_connections',
  path: '3rdparty/',
  access: 'auth',
  GET: async (request) => renderConnections(social, request, social.kernel.forms.show(disconnectForm(social), request)),
  POST: (request) =>
    requireSignInFor(social.account, request, async () => {
      const submitted = await social.kernel.forms.submit(disconnectForm(social), request)
      if (!submitted.ok) return renderConnections(social, request, submitted.form)
      return {
        kind: 'redirect',
        to: social.kernel.url('socialaccount_connections'),
        data: await xhrData(social, request),
      }
    }),
})

const ACCOUNT = 'account'

/** Form `disconnect`. */
const disconnectForm = (social: Social): FormDefinition<void> => ({
  id: 'disconnect',
  fields: () => [{ name: ACCOUNT, label: 'Account', type: 'hidden', required: true }],
  async clean(request, values) {
    const own = await social.connections(request, requireSignedIn(request))
    if (own.some(({ id }) => String(id) === values[ACCOUNT])) return values
    throw new InvalidInput([social.account.adapter.validationError('invalid_choice', { param: ACCOUNT })])
  },
  save: (request, values) => social.disconnect(request, requireSignedIn(request), Number(values[ACCOUNT])),
})

async function renderConnections(social: Social, request: Visit, form: BoundForm): Promise<PageAnswer> {
  const own = await social.connections(request, requireSignedIn(request))
  const names = new Map<string, string>()
  for (const { provider } of own) names.set(provider, await social.loadProviderName(request.db, provider))
  const time = createTimeFormatter(request.language, request.nowMs)
  const accounts = own.map((account) => ({
    id: account.id,
    provider: account.provider,
    provider_name: names.get(account.provider) ?? account.provider,
    uid: account.uid,
    name: social.display(account),
    date_joined: time(account.dateJoinedMs),
    last_login: time(account.lastLoginMs),
  }))
  return {
    kind: 'page',
    template: 'socialaccount/connections',
    // Fields that a host adds are shown once, below the list of accounts.
    context: {
      form: { ...form, accounts },
      more: { ...form, fields: form.fields.filter(({ name }) => name !== ACCOUNT) },
    },
    form,
    data: xhrAccounts(social, own),
  }
}

const xhrData = async (social: Social, request: Visit): Promise<unknown> =>
  xhrAccounts(social, await social.connections(request, requireSignedIn(request)))

/** Returns the accounts in the form that scripts of migrated sites expect. */
const xhrAccounts = (social: Social, accounts: readonly SocialAccount[]): unknown => ({
  socialaccounts: accounts.map((account) => ({
    id: account.id,
    provider: account.provider,
    name: social.display(account),
  })),
})

/** Routes for visitors returning from a provider without a login, and for URLs of migrated sites. */
export const resultPages = (account: Account): readonly PageRoute[] => [
  {
    name: 'socialaccount_login_cancelled',
    path: '3rdparty/login/cancelled/',
    access: 'anon',
    GET: async (request) => ({
      kind: 'page',
      template: 'socialaccount/login_cancelled',
      context: await entranceContext(account, request),
    }),
  },
  {
    name: 'socialaccount_login_error',
    path: '3rdparty/login/error/',
    access: 'anon',
    GET: async (request) => ({
      kind: 'page',
      template: 'socialaccount/authentication_error',
      context: await entranceContext(account, request),
      status: 401,
    }),
  },
  redirectRoute(account.kernel, 'social/login/cancelled/', 'socialaccount_login_cancelled'),
  redirectRoute(account.kernel, 'social/login/error/', 'socialaccount_login_error'),
  redirectRoute(account.kernel, 'social/signup/', 'socialaccount_signup'),
  redirectRoute(account.kernel, 'social/connections/', 'socialaccount_connections'),
]

const redirectRoute = (kernel: Kernel, path: string, to: string): PageRoute => ({
  name: `${to}_old`,
  path,
  access: 'anon',
  GET: async ({ url }) => ({
    kind: 'response',
    response: ownResponse(null, { status: 301, headers: { location: `${kernel.url(to)}${url.search}` } }),
  }),
})
