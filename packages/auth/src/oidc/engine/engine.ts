import { bareError, bareResponse } from '../../kernel/http/bare-response.ts'
import { readBody } from '../../kernel/http/form-body.ts'
import { wayToHttps } from '../../kernel/http/way-in.ts'
import type { OidcEngine } from '../oidc.ts'
import type { OidcPaths } from '../paths.ts'
import { authorize } from './authorize.ts'
import { authenticatedClient } from './client-authentication.ts'
import { openTo, openToAll, preflight } from './cors.ts'
import { authorizeDevice, createDevices } from './device.ts'
import { discovery, jwks } from './discovery.ts'
import { createInteractions } from './interactions.ts'
import { requestedLogout } from './logout-request.ts'
import { OAuthError, oauthFailure } from './oauth-error.ts'
import type { Call, EngineParts } from './parts.ts'
import { createProviders, type Providers } from './providers.ts'
import { manageRegistration, register } from './registration.ts'
import { introspect, revoke } from './revocation.ts'
import { token } from './token-endpoint.ts'
import { userinfo } from './userinfo.ts'

type From = { readonly remoteAddress: string | null }

/** Our OpenID Connect provider as a whole: its endpoints, and what its pages ask. */
export function createEngine(parts: EngineParts): OidcEngine {
  const providers = createProviders(parts)
  return {
    fetch: (request, from) => answer(providers, request, from),
    ...createInteractions(parts),
    ...createDevices(parts),
    requestedLogout: (request, params) => requestedLogout(parts, request, params),
  }
}

async function answer(providers: Providers, raw: Request, from: From): Promise<Response> {
  const { oidc, locate } = providers.parts
  const { paths } = oidc
  let url: URL
  try {
    url = locate(raw)
  } catch (error) {
    return bareError(oidc.kernel, raw, error)
  }
  const toHttps = wayToHttps(oidc.kernel.settings, raw, url)
  if (toHttps !== null) return toHttps
  const isPage = url.pathname === paths.authorize || paths.resumedUid(url.pathname) !== null
  const met: Call['met'] = { client: null }
  try {
    const call = { ...(await callOf(providers, raw, url, from)), met }
    if (isPage) return await authorized(providers, call, from)
    const response = await endpoint(providers, call)
    return isPublic(paths, url.pathname) ? response : openTo(bareResponse(response), raw, met.client)
  } catch (error) {
    if (isPage && !(error instanceof OAuthError)) return bareError(oidc.kernel, raw, error)
    const failed = oauthFailure(error, (fault) => oidc.kernel.log.error('An endpoint failed', { error: fault }))
    return openTo(bareResponse(failed), raw, met.client)
  }
}

async function callOf(
  { parts }: Providers,
  raw: Request,
  url: URL,
  { remoteAddress }: From,
): Promise<Omit<Call, 'met'>> {
  const { oidc } = parts
  const hasBody = raw.method === 'POST' || raw.method === 'PUT'
  const body = hasBody ? await readBody(raw) : new Uint8Array()
  const type = (raw.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  const isForm = type === 'application/x-www-form-urlencoded'
  const form = new URLSearchParams(isForm ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(body) : '')
  const ip = oidc.account.adapter.getClientIp(raw, remoteAddress)
  return { raw, url, issuer: oidc.issuer(url), form, body, ip }
}

function authorized(providers: Providers, call: Call, { remoteAddress }: From): Promise<Response> {
  const isFirst = providers.parts.oidc.paths.resumedUid(call.url.pathname) === null
  const methods = isFirst ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD']
  allow(call, methods)
  return authorize(providers, call, remoteAddress)
}

function allow({ raw }: Call, methods: readonly string[]): void {
  if (methods.includes(raw.method)) return
  throw new OAuthError('invalid_request', "This URL doesn't support this method.", { allow: methods.join(', ') }, 405)
}

/** What anybody's scripts may read. */
const isPublic = (paths: OidcPaths, pathname: string): boolean =>
  pathname === paths.jwks || pathname === paths.discovery || pathname === paths.metadata

/** An endpoint for programs. */
async function endpoint(providers: Providers, call: Call): Promise<Response> {
  const { parts } = providers
  const { pathname } = call.url
  const { paths } = parts.oidc
  const isOpen = isPublic(paths, pathname)
  if (call.raw.method === 'OPTIONS') return preflight(parts, call.raw, isOpen ? 'GET' : 'GET, POST', isOpen)
  if (isOpen) {
    allow(call, ['GET', 'HEAD'])
    const response = openToAll(await (pathname === paths.jwks ? jwks(parts) : discovery(parts, call)))
    return bareResponse(call.raw.method === 'HEAD' ? new Response(null, response) : response)
  }
  if (pathname === paths.token) {
    allow(call, ['POST'])
    return token(providers, call)
  }
  if (pathname === paths.userinfo) {
    allow(call, ['GET', 'POST'])
    return userinfo(parts, call)
  }
  return forClients(parts, call)
}

/** Revocation, introspection, devices, registration. */
async function forClients(parts: EngineParts, call: Call): Promise<Response> {
  const { pathname } = call.url
  const { paths } = parts.oidc
  const id = paths.registeredId(pathname)
  if (id !== null) return manageRegistration(parts, call, id)
  allow(call, ['POST'])
  if (pathname === paths.register) return register(parts, call)
  const type = call.raw.headers.get('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
    throw new OAuthError('invalid_request', 'The body must be application/x-www-form-urlencoded.')
  }
  if (pathname === paths.deviceCode) return authorizeDevice(parts, call)
  const client = await authenticatedClient(parts, call)
  return (pathname === paths.revoke ? revoke : introspect)(parts, call, client)
}
