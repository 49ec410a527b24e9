import type { Social } from '../social-accounts.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageHandler, PageRoute } from '../../kernel/http/route.ts'
import { takeForVisitor } from '../../kernel/limits/take.ts'
import type { Visit } from '../../kernel/visit.ts'
import { PROVIDER_ENTRIES } from '../registry/provider-entries.ts'
import type { ProviderEntry } from '../registry/provider-entry.ts'
import { mountedPath } from '../registry/provider-paths.ts'
import { failedAnswer } from './answers.ts'
import { dummyPage } from './dummy-page.ts'
import { askAgain, finishAtProvider } from './finish.ts'
import { type Handover, handOver, takeOver } from './handed-over.ts'
import { openidPage } from './openid-page.ts'
import { type PathParams, providerOf } from './provider-of.ts'
import { samlPages } from './saml-pages.ts'
import { shownProvider } from './shown-provider.ts'
import { beginAtProvider, givenParams } from './start.ts'
import { telegramPage } from './telegram-page.ts'

/** Taken by whatever stores something for a visitor who has not signed in. */
const LIMIT = { action: 'provider_login', per: 'ip' } as const

/** Where sign-ins at each provider begin, and where visitors come back to. */
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
    beginAtProvider(social, request, await providerOf(social, request, entry, params))
  return [{ ...page, GET: (request, params) => show(social, request, entry, params), POST: begin }]
}

/** A page with a button: a link of somebody else begins nothing, unless the settings say so. */
async function show(social: Social, request: Visit, entry: ProviderEntry, params: PathParams): Promise<PageAnswer> {
  const provider = await providerOf(social, request, entry, params)
  if (social.kernel.settings.socialaccount.loginOnGet) {
    await takeForVisitor(social.kernel.limits, LIMIT.action, request)
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
      // Another site's form comes without the cookies that the check needs; the state of the handshake protects.
      csrfExempt: true,
      // A refusal may come back by a link.
      ...(entry.protocol !== 'saml' && { GET: (request, params) => finish(social, request, entry, params) }),
      async POST(request, params) {
        await providerOf(social, request, entry, params)
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
  const provider = await providerOf(social, request, entry, params)
  return askAgain(request, provider) ?? finishAtProvider(social, request, provider, givenParams(request))
}

async function finishHandedOver(
  social: Social,
  request: Visit,
  at: { readonly entry: ProviderEntry; readonly params: PathParams; readonly handover: Handover },
): Promise<PageAnswer> {
  const { entry, params, handover } = at
  const provider = await providerOf(social, request, entry, params)
  const again = askAgain(request, provider)
  if (again !== null) return again
  const posted = await takeOver(request, handover)
  if (posted === null) return failedAnswer(social, request, { provider, providerId: provider.id })
  const answer = await finishAtProvider(social, request, provider, posted.params)
  await posted.forget()
  return answer
}
