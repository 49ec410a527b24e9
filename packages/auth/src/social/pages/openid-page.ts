import type { Social } from '../social-accounts.ts'
import type { Account } from '../../account/account.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { ProviderEntry } from '../registry/provider-entry.ts'
import { providerOf } from './provider-of.ts'
import { beginAtProvider } from './start.ts'

/** A sign-in with OpenID 2.0 begins with the address that somebody types. */
export const openidPage = (social: Social, entry: ProviderEntry): Pick<PageRoute, 'GET' | 'POST'> => ({
  async GET(request, params) {
    await providerOf(social, request, entry, params)
    const openid = request.url.searchParams.get('openid')
    return page(request, social.kernel.forms.show(FORM, request, openid === null ? {} : { openid }))
  },
  async POST(request, params) {
    const provider = await providerOf(social, request, entry, params)
    const submitted = await social.kernel.forms.submit(FORM, request)
    if (!submitted.ok) return page(request, submitted.form)
    return beginAtProvider(social, request, provider, async () => page(request, refused(social.account, request)))
  },
})

const FORM: FormDefinition<null> = {
  id: null,
  fields: () => [
    { name: 'openid', label: 'OpenID', type: 'text', required: true, autofocus: true, autocomplete: 'url' },
  ],
  clean: (_request, values) => Promise.resolve(values),
  save: () => Promise.resolve(null),
}

/** Nobody is found at the address that was typed. */
const refused = (account: Account, request: Visit): BoundForm => {
  const { fields, errors } = account.kernel.forms.show(FORM, request, { openid: request.form.get('openid') ?? '' })
  const wrong = account.adapter.validationError('invalid', { param: 'openid' })
  return { fields: fields.map((field) => ({ ...field, errors: [wrong] })), errors }
}

/** `next` and `process` of the address go on with the form. */
const page = (request: Visit, form: BoundForm): PageAnswer => ({
  kind: 'page',
  template: 'openid/login',
  context: {
    form,
    next: request.next ?? '',
    process: request.form.get('process') ?? request.url.searchParams.get('process') ?? 'login',
  },
  form,
})
