import { signedIn } from '../../account/signed-in.ts'
import type { Core } from '../../core.ts'
import { InvalidInput } from '../../errors.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { shownTimes } from '../../kernel/templates/shown-time.ts'
import type { SocialAccount } from '../social-login.ts'
import { afterSigningIn } from './answers.ts'

/** One's accounts at providers: list, connect, disconnect. */
export const connectionsPage = (core: Core): PageRoute => ({
  name: 'socialaccount_connections',
  path: '3rdparty/',
  access: 'auth',
  GET: async (request) => page(core, request, core.forms.show(disconnectForm(core), request)),
  POST: (request) =>
    afterSigningIn(core, request, async () => {
      const submitted = await core.forms.submit(disconnectForm(core), request)
      if (!submitted.ok) return page(core, request, submitted.form)
      return { kind: 'redirect', to: core.url('socialaccount_connections'), data: await xhrData(core, request) }
    }),
})

const ACCOUNT = 'account'

/** Form `disconnect`. */
const disconnectForm = (core: Core): FormDefinition<void> => ({
  id: 'disconnect',
  fields: () => [{ name: ACCOUNT, label: 'Account', type: 'hidden', required: true }],
  async clean(request, values) {
    const own = await core.social.connections(request, signedIn(request))
    if (own.some(({ id }) => String(id) === values[ACCOUNT])) return values
    throw new InvalidInput([core.adapter.validationError('invalid_choice', { param: ACCOUNT })])
  },
  save: (request, values) => core.social.disconnect(request, signedIn(request), Number(values[ACCOUNT])),
})

async function page(core: Core, request: Visit, form: BoundForm): Promise<PageAnswer> {
  const own = await core.social.connections(request, signedIn(request))
  const names = new Map<string, string>()
  for (const { provider } of own) names.set(provider, await core.social.nameOf(request.db, provider))
  const time = shownTimes(request.language, request.nowMs)
  const accounts = own.map((account) => ({
    id: account.id,
    provider: account.provider,
    provider_name: names.get(account.provider) ?? account.provider,
    uid: account.uid,
    name: core.social.display(account),
    date_joined: time(account.dateJoinedMs),
    last_login: time(account.lastLoginMs),
  }))
  return {
    kind: 'page',
    template: 'socialaccount/connections',
    // Fields that a host adds are asked for once, below a list to choose from.
    context: {
      form: { ...form, accounts },
      more: { ...form, fields: form.fields.filter(({ name }) => name !== ACCOUNT) },
    },
    form,
    data: xhrAccounts(core, own),
  }
}

const xhrData = async (core: Core, request: Visit): Promise<unknown> =>
  xhrAccounts(core, await core.social.connections(request, signedIn(request)))

/** As scripts of older sites know them. */
const xhrAccounts = (core: Core, accounts: readonly SocialAccount[]): unknown => ({
  socialaccounts: accounts.map((account) => ({
    id: account.id,
    provider: account.provider,
    name: core.social.display(account),
  })),
})
