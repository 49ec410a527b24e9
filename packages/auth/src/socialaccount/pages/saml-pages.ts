import { AuthError } from '../../errors.ts'
import type { Core } from '../../core.ts'
import type { PageAnswer } from '../../http/answer.ts'
import { ownResponse } from '../../http/own-response.ts'
import type { PageRoute } from '../../http/route.ts'
import type { AuthRequest } from '../../request.ts'
import { ProviderError } from '../exchange.ts'
import { exchangeCall } from '../handshake.ts'
import { PROVIDER_ENTRIES } from '../provider-entries.ts'
import type { SamlMessage } from '../saml/logout.ts'
import type { SamlCall, SamlLogout } from '../saml/saml.ts'
import { type Handover, handOver, takeOver } from './handed-over.ts'
import { type PathParams, providerOf } from './provider-of.ts'

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
      name: 'saml_sls',
      path: 'saml/{organization_slug}/sls/',
      // Signed by the provider, who posts it from another site, and so without the session that is to end.
      csrfExempt: true,
      limit: { action: 'provider_login', per: 'ip' },
      async GET(request, params) {
        const rawQuery = request.url.search.slice(1)
        return logout(core, request, params, { binding: 'redirect', params: request.url.searchParams, rawQuery })
      },
      async POST(request, params) {
        await callOf(core, request, params)
        await handOver(core, request, handover(core, params))
        return { kind: 'redirect', to: core.url(FINISH, params) }
      },
    },
    {
      ...page,
      name: FINISH,
      path: 'saml/{organization_slug}/sls/finish/',
      async GET(request, params) {
        const posted = await takeOver(core, request, handover(core, params))
        await posted?.forget()
        const message = posted?.params ?? new URLSearchParams()
        return logout(core, request, params, { binding: 'post', params: message, rawQuery: '' })
      },
    },
  ]
}

const FINISH = 'saml_finish_sls'

const handover = (core: Core, params: PathParams): Handover => ({
  cookie: 'saml-sls-session',
  finishPath: core.url(FINISH, params),
})

async function callOf(core: Core, request: AuthRequest, params: PathParams): Promise<SamlCall> {
  const entry = PROVIDER_ENTRIES.find(({ protocol }) => protocol === 'saml')
  if (entry === undefined) throw new AuthError('not_found')
  return exchangeCall(core, request, await providerOf(core, request, entry, params))
}

const plain = (text: string, status: number): PageAnswer => ({
  kind: 'response',
  response: ownResponse(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } }),
})

async function metadata(core: Core, request: AuthRequest, params: PathParams): Promise<PageAnswer> {
  const call = await callOf(core, request, params)
  const { samlMetadata } = await import('../saml/saml.ts')
  try {
    const xml = await samlMetadata(call)
    const headers = { 'content-type': 'text/xml; charset=utf-8' }
    return { kind: 'response', response: ownResponse(xml, { status: 200, headers }) }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    core.log.error('The settings of a SAML app make no metadata', { app: call.app.clientId, reason: error.message })
    return plain(request.t('The settings of this organisation are not complete.'), 500)
  }
}

async function logout(core: Core, request: AuthRequest, params: PathParams, given: SamlMessage): Promise<PageAnswer> {
  const call = await callOf(core, request, params)
  const { samlLogout } = await import('../saml/saml.ts')
  let message: SamlLogout
  try {
    message = await samlLogout(call, given)
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    core.log.warn('A SAML logout was refused', { app: call.app.clientId, reason: error.message })
    return plain(request.t('This sign-out message cannot be accepted.'), 400)
  }
  if (request.user !== null) await core.login.logout(request)
  // The provider has signed its message, and is trusted to say where it goes on.
  const next = message.kind === 'request' ? message.redirectTo : null
  return { kind: 'redirect', to: next ?? core.adapter.getLogoutRedirectUrl(request) }
}
