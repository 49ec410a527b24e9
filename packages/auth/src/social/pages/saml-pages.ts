import type { Social } from '../social-accounts.ts'
import type { Kernel } from '../../kernel/kernel.ts'
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
export function samlPages(social: Social): readonly PageRoute[] {
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
      // Signed by the provider, who posts it from another site, and so without the session that is to end.
      csrfExempt: true,
      limit: { action: 'provider_login', per: 'ip' },
      GET: (request, params) => fromQuery(social, request, params),
      async POST(request, params) {
        await organisationOf(social, request, params)
        await handOver(request, handover(social.kernel, params))
        return { kind: 'redirect', to: social.kernel.url(FINISH, params) }
      },
    },
    {
      ...page,
      name: FINISH,
      path: 'saml/{organization_slug}/sls/finish/',
      GET: (request, params) => fromForm(social, request, params),
    },
  ]
}

const FINISH = 'saml_finish_sls'

const handover = (kernel: Kernel, params: PathParams): Handover => ({
  cookie: 'saml-sls-session',
  finishPath: kernel.url(FINISH, params),
})

async function metadata(social: Social, request: Visit, params: PathParams): Promise<PageAnswer> {
  const call = exchangeCall(social, request, await organisationOf(social, request, params))
  const { samlMetadata } = await import('../saml/saml.ts')
  try {
    const xml = await samlMetadata(call)
    const headers = { 'content-type': 'text/xml; charset=utf-8' }
    return { kind: 'response', response: ownResponse(xml, { status: 200, headers }) }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    social.kernel.log.error('The settings of a SAML app make no metadata', {
      app: call.app.clientId,
      reason: error.message,
    })
    return plainText(request.t("Single sign-on isn't fully set up for this organization."), 500)
  }
}

async function fromQuery(social: Social, request: Visit, params: PathParams): Promise<PageAnswer> {
  const provider = await organisationOf(social, request, params)
  const { searchParams, search } = request.url
  const message = { binding: 'redirect', params: searchParams, rawQuery: search.slice(1) } as const
  return askAgain(request, provider) ?? answerLogout(social, request, provider, message)
}

async function fromForm(social: Social, request: Visit, params: PathParams): Promise<PageAnswer> {
  const provider = await organisationOf(social, request, params)
  const again = askAgain(request, provider)
  if (again !== null) return again
  const posted = await takeOver(request, handover(social.kernel, params))
  const message = { binding: 'post', params: posted?.params ?? new URLSearchParams(), rawQuery: '' } as const
  const answer = await answerLogout(social, request, provider, message)
  await posted?.forget()
  return answer
}
