import type { Core } from '../../core.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import { ownResponse } from '../../kernel/http/own-response.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { ProviderError } from '../exchange.ts'
import { exchangeCall } from '../login/handshake.ts'
import { askAgain } from './finish.ts'
import { type Handover, handOver, takeOver } from './handed-over.ts'
import type { PathParams } from './provider-of.ts'
import { answerLogout, organisationOf, plainText, SLS } from './saml-logout.ts'

/** What an identity provider of an organisation reads of us, and where single logout comes in. */
export function samlPages(core: Core): readonly PageRoute[] {
  const page = { access: 'anon', withoutPages: true } as const
  return [
    {
      ...page,
      name: 'saml_metadata',
      path: 'saml/{organization_slug}/metadata/',
      GET: (request, params) => metadata(core, request, params),
    },
    {
      ...page,
      name: SLS,
      path: 'saml/{organization_slug}/sls/',
      // Signed by the provider, who posts it from another site, and so without the session that is to end.
      csrfExempt: true,
      limit: { action: 'provider_login', per: 'ip' },
      GET: (request, params) => fromQuery(core, request, params),
      async POST(request, params) {
        await organisationOf(core, request, params)
        await handOver(core, request, handover(core, params))
        return { kind: 'redirect', to: core.url(FINISH, params) }
      },
    },
    {
      ...page,
      name: FINISH,
      path: 'saml/{organization_slug}/sls/finish/',
      GET: (request, params) => fromForm(core, request, params),
    },
  ]
}

const FINISH = 'saml_finish_sls'

const handover = (core: Core, params: PathParams): Handover => ({
  cookie: 'saml-sls-session',
  finishPath: core.url(FINISH, params),
})

async function metadata(core: Core, request: Visit, params: PathParams): Promise<PageAnswer> {
  const call = exchangeCall(core, request, await organisationOf(core, request, params))
  const { samlMetadata } = await import('../saml/saml.ts')
  try {
    const xml = await samlMetadata(call)
    const headers = { 'content-type': 'text/xml; charset=utf-8' }
    return { kind: 'response', response: ownResponse(xml, { status: 200, headers }) }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    core.log.error('The settings of a SAML app make no metadata', { app: call.app.clientId, reason: error.message })
    return plainText(request.t("Single sign-on isn't fully set up for this organization."), 500)
  }
}

async function fromQuery(core: Core, request: Visit, params: PathParams): Promise<PageAnswer> {
  const provider = await organisationOf(core, request, params)
  const { searchParams, search } = request.url
  const message = { binding: 'redirect', params: searchParams, rawQuery: search.slice(1) } as const
  return askAgain(core, request, provider) ?? answerLogout(core, request, provider, message)
}

async function fromForm(core: Core, request: Visit, params: PathParams): Promise<PageAnswer> {
  const provider = await organisationOf(core, request, params)
  const again = askAgain(core, request, provider)
  if (again !== null) return again
  const posted = await takeOver(core, request, handover(core, params))
  const message = { binding: 'post', params: posted?.params ?? new URLSearchParams(), rawQuery: '' } as const
  const answer = await answerLogout(core, request, provider, message)
  await posted?.forget()
  return answer
}
