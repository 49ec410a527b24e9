import type { Core } from '../../core.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { ProviderEntry } from '../registry/provider-entry.ts'
import { providerOf } from './provider-of.ts'
import { beginAtProvider } from './start.ts'

/** A sign-in with OpenID 2.0 begins with the address that somebody types. */
export const openidPage = (core: Core, entry: ProviderEntry): Pick<PageRoute, 'GET' | 'POST'> => ({
  async GET(request, params) {
    await providerOf(core, request, entry, params)
    const openid = request.url.searchParams.get('openid')
    return page(request, core.forms.show(FORM, request, openid === null ? {} : { openid }))
  },
  async POST(request, params) {
    const provider = await providerOf(core, request, entry, params)
    const submitted = await core.forms.submit(FORM, request)
    if (!submitted.ok) return page(request, submitted.form)
    return beginAtProvider(core, request, provider, async () => page(request, refused(core, request)))
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
const refused = (core: Core, request: Visit): BoundForm => {
  const { fields, errors } = core.forms.show(FORM, request, { openid: request.form.get('openid') ?? '' })
  const wrong = core.adapter.validationError('invalid', { param: 'openid' })
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
