import type { Social } from '../social-accounts.ts'
import type { Account } from '../../account/account.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { InvalidInput } from '../../errors.ts'
import type { BoundForm, Field, FormDefinition, FormValues } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { ProviderEntry } from '../registry/provider-entry.ts'
import { finishAtProvider } from './finish.ts'
import { loadPageProvider } from './provider-of.ts'

/** Routes of the test provider, which asks for the identity to use. */
export const dummyPage = (social: Social, entry: ProviderEntry): Pick<PageRoute, 'GET' | 'POST'> => ({
  async GET(request, params) {
    await loadPageProvider(social, request, entry, params)
    return renderDummyPage(social.kernel, request, social.kernel.forms.show(FORM(social.account), request))
  },
  async POST(request, params) {
    const provider = await loadPageProvider(social, request, entry, params)
    const state = request.url.searchParams.get('state') ?? ''
    if (request.form.get('action') === 'cancel') {
      return finishAtProvider(social, request, provider, new URLSearchParams({ state, action: 'cancel' }))
    }
    const submitted = await social.kernel.forms.submit(FORM(social.account), request)
    if (!submitted.ok) return renderDummyPage(social.kernel, request, submitted.form)
    return finishAtProvider(social, request, provider, new URLSearchParams({ state, ...submitted.result }))
  },
})

const dummyTextField = (name: string, label: string): Field => ({ name, label, type: 'text', required: false })
const dummyCheckbox = (name: string, label: string): Field => ({ name, label, type: 'checkbox', required: false })
const FIELDS: readonly Field[] = [
  { name: 'id', label: 'Account ID', type: 'text', required: true, autofocus: true, inputMode: 'numeric' },
  { name: 'email', label: 'Email address', type: 'email', required: false },
  dummyCheckbox('email_verified', 'The address is verified'),
  dummyTextField('username', 'Username'),
  dummyTextField('first_name', 'First name'),
  dummyTextField('last_name', 'Last name'),
  dummyTextField('phone', 'Phone number'),
  dummyCheckbox('phone_verified', 'The phone number is verified'),
]

const FORM = (account: Account): FormDefinition<Record<string, string>> => ({
  id: null,
  fields: () => FIELDS,
  async clean(_request, values) {
    if (/^\d{1,18}$/.test(String(values['id']))) return values
    throw new InvalidInput([account.adapter.validationError('invalid', { param: 'id' })])
  },
  save: (_request, values) => Promise.resolve(toPostedValues(values)),
})

/** As the provider's own form posts it: a box that is not ticked is not there. */
const toPostedValues = (values: FormValues): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const posted = value === true ? 'on' : value
      return posted === false || posted === '' ? [] : [[name, posted] as const]
    }),
  )

const renderDummyPage = (kernel: Kernel, { url }: Visit, form: BoundForm): PageAnswer => ({
  kind: 'page',
  template: 'dummy/authenticate_form',
  context: { form, action_url: `${kernel.url('dummy_authenticate')}${url.search}` },
  form,
})
