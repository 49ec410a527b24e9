import type { Account } from '../../account/account.ts'
import { InvalidInput } from '../../errors.ts'
import type { BoundForm, FormDefinition, Field, FormValues } from '../../kernel/forms/form.ts'
import { ownResponse } from '../../kernel/http/responses.ts'
import type { PageAnswer, PageHandler, PageRoute } from '../../kernel/http/route.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { takeVisitorSlot } from '../../kernel/limits/take.ts'
import type { Visit } from '../../kernel/visit.ts'
import { ProviderError } from '../exchange.ts'
import { exchangeCall } from '../login/handshake.ts'
import { PROVIDER_ENTRIES } from '../registry/provider-entries.ts'
import type { ProviderEntry } from '../registry/provider-entry.ts'
import { mountedPath } from '../registry/provider-paths.ts'
import type { Social } from '../social-accounts.ts'
import { failedAnswer, shownProvider } from './answers.ts'
import { askAgain, finishAtProvider, beginAtProvider, readStartParams } from './start.ts'
import { handOver, takeOver, answerLogout, loadOrganization, plainText, SLS, type Handover } from './saml-logout.ts'
import { loadPageProvider, type PathParams } from './provider-of.ts'

/** Rate limit of the pages that store something for visitors who aren't signed in. */
const LIMIT = { action: 'provider_login', per: 'ip' } as const

/** Pages where sign-ins at each provider start, and to which visitors return. */
export const providerPages = (social: Social): readonly PageRoute[] =>
  PROVIDER_ENTRIES.flatMap((entry) => [...loginPages(social, entry), ...callbackPages(social, entry)]).concat(
    samlPages(social),
  )

function loginPages(social: Social, entry: ProviderEntry): readonly PageRoute[] {
  const page = {
    name: `${entry.id}_login`,
    path: mountedPath(social.kernel.settings, entry, entry.loginPath),
    access: 'anon',
    limit: LIMIT,
  } as const
  if (entry.id === 'openid') return [{ ...page, ...openidPage(social, entry) }]
  const begin: PageHandler = async (request, params) =>
    beginAtProvider(social, request, await loadPageProvider(social, request, entry, params))
  return [{ ...page, GET: (request, params) => show(social, request, entry, params), POST: begin }]
}

/** Shows a page with a button, so that a link from elsewhere can't start a sign-in unless the settings allow it. */
async function show(social: Social, request: Visit, entry: ProviderEntry, params: PathParams): Promise<PageAnswer> {
  const provider = await loadPageProvider(social, request, entry, params)
  if (social.kernel.settings.socialaccount.loginOnGet) {
    await takeVisitorSlot(social.kernel.limits, LIMIT.action, request)
    return beginAtProvider(social, request, provider)
  }
  return {
    kind: 'page',
    template: 'socialaccount/login',
    context: { provider: shownProvider(provider), process: request.url.searchParams.get('process') },
  }
}

function callbackPages(social: Social, entry: ProviderEntry): readonly PageRoute[] {
  const { id, callbackPath, postsBack } = entry
  const name = entry.protocol === 'saml' ? 'saml_acs' : id === 'dummy' ? 'dummy_authenticate' : `${id}_callback`
  const page = {
    name,
    path: mountedPath(social.kernel.settings, entry, callbackPath),
    access: 'anon',
    withoutPages: true,
  } as const
  if (id === 'dummy') return [{ ...page, ...dummyPage(social, entry) }]
  if (id === 'telegram') return [{ ...page, ...telegramPage(social, entry) }]
  if (postsBack !== true) return [{ ...page, GET: (request, params) => finish(social, request, entry, params) }]
  const finishName = entry.protocol === 'saml' ? 'saml_finish_acs' : `${id}_finish_callback`
  const handover = (params: PathParams): Handover => ({
    cookie: entry.protocol === 'saml' ? 'saml-acs-session' : `${id}-login-session`,
    finishPath: social.kernel.url(finishName, params),
  })
  return [
    {
      ...page,
      limit: LIMIT,
      // A form of another site comes without the cookies that the check needs. The handshake's state protects it.
      csrfExempt: true,
      // A user who declined may come back with a GET.
      ...(entry.protocol !== 'saml' && { GET: (request, params) => finish(social, request, entry, params) }),
      async POST(request, params) {
        await loadPageProvider(social, request, entry, params)
        await handOver(request, handover(params))
        return { kind: 'redirect', to: handover(params).finishPath }
      },
    },
    {
      name: finishName,
      path: `${page.path}finish/`,
      access: 'anon',
      withoutPages: true,
      GET: (request, params) => finishHandedOver(social, request, { entry, params, handover: handover(params) }),
    },
  ]
}

async function finish(social: Social, request: Visit, entry: ProviderEntry, params: PathParams): Promise<PageAnswer> {
  const provider = await loadPageProvider(social, request, entry, params)
  return askAgain(request, provider) ?? finishAtProvider(social, request, provider, readStartParams(request))
}

async function finishHandedOver(
  social: Social,
  request: Visit,
  at: { readonly entry: ProviderEntry; readonly params: PathParams; readonly handover: Handover },
): Promise<PageAnswer> {
  const { entry, params, handover } = at
  const provider = await loadPageProvider(social, request, entry, params)
  const again = askAgain(request, provider)
  if (again !== null) return again
  const posted = await takeOver(request, handover)
  if (posted === null) return failedAnswer(social, request, { provider, providerId: provider.id })
  const answer = await finishAtProvider(social, request, provider, posted.params)
  await posted.forget()
  return answer
}

/**
 * Returns the callback page of Telegram, which returns its result in the URL fragment. A script posts it to the same
 * page.
 * @see Telegram, "Telegram Login Widget"
 */
const telegramPage = (social: Social, entry: ProviderEntry): Pick<PageRoute, 'GET' | 'POST'> => ({
  async GET(request, params) {
    const provider = await loadPageProvider(social, request, entry, params)
    const again = askAgain(request, provider)
    if (again !== null) return again
    return { kind: 'page', template: 'telegram/callback', context: { provider: shownProvider(provider) } }
  },
  async POST(request, params) {
    const provider = await loadPageProvider(social, request, entry, params)
    return finishAtProvider(social, request, provider, readStartParams(request))
  },
})

/** Returns the page where visitors enter their OpenID. */
const openidPage = (social: Social, entry: ProviderEntry): Pick<PageRoute, 'GET' | 'POST'> => ({
  async GET(request, params) {
    await loadPageProvider(social, request, entry, params)
    const openid = request.url.searchParams.get('openid')
    return renderOpenidPage(request, social.kernel.forms.show(OPENID_FORM, request, openid === null ? {} : { openid }))
  },
  async POST(request, params) {
    const provider = await loadPageProvider(social, request, entry, params)
    const submitted = await social.kernel.forms.submit(OPENID_FORM, request)
    if (!submitted.ok) return renderOpenidPage(request, submitted.form)
    return beginAtProvider(social, request, provider, async () =>
      renderOpenidPage(request, bindUnknownOpenid(social.account, request)),
    )
  },
})

const OPENID_FORM: FormDefinition<null> = {
  id: null,
  fields: () => [
    { name: 'openid', label: 'OpenID', type: 'text', required: true, autofocus: true, autocomplete: 'url' },
  ],
  clean: (_request, values) => Promise.resolve(values),
  save: () => Promise.resolve(null),
}

/** Returns the form with the error that the typed OpenID is invalid. */
const bindUnknownOpenid = (account: Account, request: Visit): BoundForm => {
  const { fields, errors } = account.kernel.forms.show(OPENID_FORM, request, {
    openid: request.form.get('openid') ?? '',
  })
  const wrong = account.adapter.validationError('invalid', { param: 'openid' })
  return { fields: fields.map((field) => ({ ...field, errors: [wrong] })), errors }
}

/** Renders the page. The form passes on `next` and `process` from the URL. */
const renderOpenidPage = (request: Visit, form: BoundForm): PageAnswer => ({
  kind: 'page',
  template: 'openid/login',
  context: {
    form,
    next: request.next ?? '',
    process: request.form.get('process') ?? request.url.searchParams.get('process') ?? 'login',
  },
  form,
})

/** Pages for an organization's identity provider: our metadata, and single logout. */
function samlPages(social: Social): readonly PageRoute[] {
  const page = { access: 'anon', withoutPages: true } as const
  return [
    {
      ...page,
      name: 'saml_metadata',
      path: 'saml/{organization_slug}/metadata/',
      GET: (request, params) => metadata(social, request, params),
    },
    {
      ...page,
      name: SLS,
      path: 'saml/{organization_slug}/sls/',
      // Signed by the provider and posted from another site, and so without the session to end.
      csrfExempt: true,
      limit: { action: 'provider_login', per: 'ip' },
      GET: (request, params) => logOutFromQuery(social, request, params),
      async POST(request, params) {
        await loadOrganization(social, request, params)
        await handOver(request, samlHandover(social.kernel, params))
        return { kind: 'redirect', to: social.kernel.url(FINISH, params) }
      },
    },
    {
      ...page,
      name: FINISH,
      path: 'saml/{organization_slug}/sls/finish/',
      GET: (request, params) => logOutFromForm(social, request, params),
    },
  ]
}

const FINISH = 'saml_finish_sls'

const samlHandover = (kernel: Kernel, params: PathParams): Handover => ({
  cookie: 'saml-sls-session',
  finishPath: kernel.url(FINISH, params),
})

async function metadata(social: Social, request: Visit, params: PathParams): Promise<PageAnswer> {
  const call = exchangeCall(social, request, await loadOrganization(social, request, params))
  const { samlMetadata } = await import('../saml/saml.ts')
  try {
    const xml = await samlMetadata(call)
    const headers = { 'content-type': 'text/xml; charset=utf-8' }
    return { kind: 'response', response: ownResponse(xml, { status: 200, headers }) }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    social.kernel.log.error('The settings of a SAML app are not enough for its metadata', {
      app: call.app.clientId,
      reason: error.message,
    })
    return plainText(request.t("Single sign-on isn't fully set up for this organization."), 500)
  }
}

async function logOutFromQuery(social: Social, request: Visit, params: PathParams): Promise<PageAnswer> {
  const provider = await loadOrganization(social, request, params)
  const { searchParams, search } = request.url
  const message = { binding: 'redirect', params: searchParams, rawQuery: search.slice(1) } as const
  return askAgain(request, provider) ?? answerLogout(social, request, provider, message)
}

async function logOutFromForm(social: Social, request: Visit, params: PathParams): Promise<PageAnswer> {
  const provider = await loadOrganization(social, request, params)
  const again = askAgain(request, provider)
  if (again !== null) return again
  const posted = await takeOver(request, samlHandover(social.kernel, params))
  const message = { binding: 'post', params: posted?.params ?? new URLSearchParams(), rawQuery: '' } as const
  const answer = await answerLogout(social, request, provider, message)
  await posted?.forget()
  return answer
}

/** Routes of the test provider, which asks for the identity to use. */
const dummyPage = (social: Social, entry: ProviderEntry): Pick<PageRoute, 'GET' | 'POST'> => ({
  async GET(request, params) {
    await loadPageProvider(social, request, entry, params)
    return renderDummyPage(social.kernel, request, social.kernel.forms.show(dummyForm(social.account), request))
  },
  async POST(request, params) {
    const provider = await loadPageProvider(social, request, entry, params)
    const state = request.url.searchParams.get('state') ?? ''
    if (request.form.get('action') === 'cancel') {
      return finishAtProvider(social, request, provider, new URLSearchParams({ state, action: 'cancel' }))
    }
    const submitted = await social.kernel.forms.submit(dummyForm(social.account), request)
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

const dummyForm = (account: Account): FormDefinition<Record<string, string>> => ({
  id: null,
  fields: () => FIELDS,
  async clean(_request, values) {
    if (/^\d{1,18}$/.test(String(values['id']))) return values
    throw new InvalidInput([account.adapter.validationError('invalid', { param: 'id' })])
  },
  save: (_request, values) => Promise.resolve(toPostedValues(values)),
})

/** Returns the values as a form would post them: without unchecked boxes. */
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
