import { bareError, bareResponse, jsonResponse } from '../../kernel/http/responses.ts'
import { readBody } from '../../kernel/http/form-body.ts'
import { redirectToHttps } from '../../kernel/http/dispatch.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { OidcClient } from '../clients.ts'
import type { RequestedLogout } from '../oidc.ts'
import { hasUserinfo, type OidcPaths } from '../paths.ts'
import { isRegisteredOrigin, isRegisteredUri } from '../redirect-uri.ts'
import { verifyJwt, publicJwks } from '../signing-keys.ts'
import { authorize } from './authorize.ts'
import { authenticateClient } from './client-authentication.ts'
import { authorizeDevice, createDevices } from './device.ts'
import { createInteractions } from './interactions.ts'
import { OAuthError, oauthFailure } from './oauth-error.ts'
import type { Call, CreateEngine, EngineParts } from './parts.ts'
import { createProviders, type Providers } from './providers.ts'
import { manageRegistration, register } from './registration.ts'
import { introspect, revokeToken } from './grants.ts'
import { ACR_VALUES } from './session.ts'
import { token } from './token-endpoint.ts'

type From = { readonly remoteAddress: string | null }

/** Creates the protocol engine: the endpoints, and the functions for the pages. */
export const createEngine: CreateEngine = (parts) => {
  const providers = createProviders(parts)
  return {
    fetch: (request, from) => handleOidcRequest(providers, request, from),
    ...createInteractions(parts),
    ...createDevices(parts),
    requestedLogout: (request, params) => requestedLogout(parts, request, params),
  }
}

async function handleOidcRequest(providers: Providers, raw: Request, from: From): Promise<Response> {
  const { oidc, locate } = providers.parts
  const { paths } = oidc
  let url: URL
  try {
    url = locate(raw)
  } catch (error) {
    return bareError(oidc.kernel, raw, error)
  }
  const toHttps = redirectToHttps(oidc.kernel.settings, raw, url)
  if (toHttps !== null) return toHttps
  const isPage = url.pathname === paths.authorize || paths.resumedUid(url.pathname) !== null
  const caller: Call['caller'] = { client: null }
  try {
    const call = { ...(await createCall(providers, raw, url, from)), caller }
    if (isPage) return await handleAuthorization(providers, call, from)
    const response = await endpoint(providers, call)
    return isPublic(paths, url.pathname) ? response : allowClientOrigin(bareResponse(response), raw, caller.client)
  } catch (error) {
    if (isPage && !(error instanceof OAuthError)) return bareError(oidc.kernel, raw, error)
    const failed = oauthFailure(error, (fault) => oidc.kernel.log.error('An endpoint failed', { error: fault }))
    return allowClientOrigin(bareResponse(failed), raw, caller.client)
  }
}

async function createCall(
  { parts }: Providers,
  raw: Request,
  url: URL,
  { remoteAddress }: From,
): Promise<Omit<Call, 'caller'>> {
  const { oidc } = parts
  const hasBody = raw.method === 'POST' || raw.method === 'PUT'
  const body = hasBody ? await readBody(raw) : new Uint8Array()
  const type = (raw.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
  const isForm = type === 'application/x-www-form-urlencoded'
  const form = new URLSearchParams(isForm ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(body) : '')
  const ip = oidc.account.adapter.getClientIp(raw, remoteAddress)
  return { raw, url, issuer: oidc.issuer(url), form, body, ip }
}

function handleAuthorization(providers: Providers, call: Call, { remoteAddress }: From): Promise<Response> {
  const isFirst = providers.parts.oidc.paths.resumedUid(call.url.pathname) === null
  const methods = isFirst ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD']
  requireMethod(call, methods)
  return authorize(providers, call, remoteAddress)
}

function requireMethod({ raw }: Call, methods: readonly string[]): void {
  if (methods.includes(raw.method)) return
  throw new OAuthError('invalid_request', "This URL doesn't support this method.", { allow: methods.join(', ') }, 405)
}

/** Returns whether scripts of any origin may read the endpoint. */
const isPublic = (paths: OidcPaths, pathname: string): boolean =>
  pathname === paths.jwks || pathname === paths.discovery || pathname === paths.metadata

/** Handles the endpoints other than authorization. */
async function endpoint(providers: Providers, call: Call): Promise<Response> {
  const { parts } = providers
  const { pathname } = call.url
  const { paths } = parts.oidc
  const isOpen = isPublic(paths, pathname)
  if (call.raw.method === 'OPTIONS') return preflight(parts, call.raw, isOpen ? 'GET' : 'GET, POST', isOpen)
  if (isOpen) {
    requireMethod(call, ['GET', 'HEAD'])
    const response = allowAllOrigins(await (pathname === paths.jwks ? jwks(parts) : discovery(parts, call)))
    return bareResponse(call.raw.method === 'HEAD' ? new Response(null, response) : response)
  }
  if (pathname === paths.token) {
    requireMethod(call, ['POST'])
    return token(providers, call)
  }
  if (pathname === paths.userinfo) {
    requireMethod(call, ['GET', 'POST'])
    return userinfo(parts, call)
  }
  return handleClientEndpoint(parts, call)
}

/** Handles revocation, introspection, device authorization, and registration. */
async function handleClientEndpoint(parts: EngineParts, call: Call): Promise<Response> {
  const { pathname } = call.url
  const { paths } = parts.oidc
  const id = paths.registeredId(pathname)
  if (id !== null) return manageRegistration(parts, call, id)
  requireMethod(call, ['POST'])
  if (pathname === paths.register) return register(parts, call)
  const type = call.raw.headers.get('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
    throw new OAuthError('invalid_request', 'The body must be application/x-www-form-urlencoded.')
  }
  if (pathname === paths.deviceCode) return authorizeDevice(parts, call)
  const client = await authenticateClient(parts, call)
  return (pathname === paths.revoke ? revokeToken : introspect)(parts, call, client)
}

/**
 * Returns the userinfo response. @see OpenID Connect Core 1.0 section 5.3, RFC 6750
 * @throws {OAuthError} `invalid_token` (401), `insufficient_scope` (403), `invalid_request`
 */
async function userinfo(parts: EngineParts, call: Call): Promise<Response> {
  const live = await parts.tokens.live(readBearerToken(call))
  call.caller.client = live?.client ?? null
  // A token for another resource is invalid here (RFC 8707): its holder must not learn the user's identity.
  if (live === null || live.user === null || live.audience !== null) throw invalidToken()
  const { client, user, scopes, row } = live
  if (!scopes.includes('openid'))
    throw bearerError('insufficient_scope', 'The token does not have the scope openid.', 'openid')
  const { adapter } = parts.oidc
  const claims = await adapter.getClaims('userinfo', user, client, scopes, ...(row.email === null ? [] : [row.email]))
  return jsonResponse({ ...claims, sub: adapter.getUserSub(client, user) }, 200)
}

/**
 * Reads the token from the header or a posted form. Rejects both at once, and a token in the URL, which would end up in
 * logs.
 */
function readBearerToken({ raw, url, form }: Call): string {
  const header = raw.headers.get('authorization')
  const field = raw.method === 'POST' ? form.get('access_token') : null
  if (url.searchParams.has('access_token')) throw bearerError('invalid_request', 'The token must not be in the URL.')
  if (header !== null && field !== null) throw bearerError('invalid_request', 'The request has two tokens.')
  const token = header === null ? field : /^bearer +(\S+)$/i.exec(header)?.[1]
  if (token === null || token === undefined) throw invalidToken()
  return token
}

const invalidToken = (): OAuthError => bearerError('invalid_token', 'The token is unknown or has expired.')

const bearerError = (code: string, description: string, scope?: string): OAuthError =>
  new OAuthError(code, description, {
    'www-authenticate': `Bearer error="${code}", error_description="${description}"${scope === undefined ? '' : `, scope="${scope}"`}`,
  })

const MAX_AGE_SECONDS = '3600'
const ORIGIN = 'access-control-allow-origin'

/** Allows scripts of any origin to read the response. */
function allowAllOrigins(response: Response): Response {
  response.headers.set(ORIGIN, '*')
  return response
}

/** Allows scripts of the client's registered origins to read the response. @param client `null` if it's unknown */
function allowClientOrigin(response: Response, raw: Request, client: OidcClient | null): Response {
  const origin = raw.headers.get('origin')
  response.headers.append('vary', 'Origin')
  if (origin === null || client === null || !isRegisteredOrigin(origin, client)) return response
  response.headers.set(ORIGIN, origin)
  response.headers.set('access-control-expose-headers', 'WWW-Authenticate')
  return response
}

/** Responds to a CORS preflight. The client isn't known yet, so any client's registered origin passes. */
async function preflight({ oidc }: EngineParts, raw: Request, methods: string, isOpen: boolean): Promise<Response> {
  const headers = new Headers({ vary: 'Origin', allow: methods })
  const origin = raw.headers.get('origin')
  if (origin !== null && (isOpen || (await isRegisteredClientOrigin(oidc, origin)))) {
    headers.set(ORIGIN, isOpen ? '*' : origin)
    headers.set('access-control-allow-methods', methods)
    headers.set('access-control-allow-headers', 'authorization, content-type')
    headers.set('access-control-max-age', MAX_AGE_SECONDS)
  }
  return new Response(null, { status: 204, headers })
}

const isRegisteredClientOrigin = async (oidc: EngineParts['oidc'], origin: string): Promise<boolean> =>
  (await oidc.clients.withOrigins(oidc.kernel.database.db)).some((client) => isRegisteredOrigin(origin, client))

/** The longest `state` that's returned, in characters. */
const LONGEST_STATE = 2_000

/**
 * Parses a client's logout request. Ignores an invalid hint. If the hint and the request name different clients,
 * `client` is `null`. @see OpenID Connect RP-Initiated Logout 1.0
 */
async function requestedLogout(parts: EngineParts, request: Visit, params: URLSearchParams): Promise<RequestedLogout> {
  const { oidc, keys } = parts
  const claims = verifyJwt(await keys.freshRing(), params.get('id_token_hint') ?? '')
  const isOurs = claims?.['iss'] === oidc.issuer(request.url) && claims['token_use'] === undefined
  const audience = isOurs && typeof claims['aud'] === 'string' ? claims['aud'] : null
  const named = params.get('client_id')
  const isMismatch = audience !== null && named !== null && audience !== named
  const id = isMismatch ? null : (audience ?? named)
  const client = id === null ? null : await oidc.clients.byId(oidc.kernel.database.db, id)
  const hinted = client !== null && audience !== null ? claims?.['sub'] : undefined
  const { user } = request
  return {
    client,
    isForUser: client !== null && user !== null && hinted === oidc.adapter.getUserSub(client, user),
    redirectTo: client === null ? null : resolveLogoutTarget(client, params),
  }
}

function resolveLogoutTarget(client: OidcClient, params: URLSearchParams): string | null {
  const uri = params.get('post_logout_redirect_uri')
  if (uri === null || !isRegisteredUri(uri, client.postLogoutRedirectUris, client)) return null
  const state = params.get('state')
  if (state === null || state.length > LONGEST_STATE) return uri
  const to = new URL(uri)
  to.searchParams.set('state', state)
  return to.href
}

/** Returns the provider's metadata. @see OpenID Connect Discovery 1.0 section 3, RFC 8414 section 2 */
async function discovery({ oidc }: EngineParts, { url, issuer }: Call): Promise<Response> {
  const { settings } = oidc.kernel
  const { idpOidc } = settings
  const { paths } = oidc
  const at = (path: string): string => `${url.origin}${path}`
  const responseTypes = new Set(['code', ...(await oidc.clients.responseTypes(oidc.kernel.database.db))])
  const hasImplicit = responseTypes.size > 1
  const methods = ['client_secret_basic', 'client_secret_post', 'none']
  return jsonResponse(
    {
      issuer,
      authorization_endpoint: at(paths.authorize),
      token_endpoint: at(paths.token),
      userinfo_endpoint: hasUserinfo(settings) ? at(paths.userinfo) : idpOidc.userinfoEndpoint,
      jwks_uri: at(paths.jwks),
      revocation_endpoint: at(paths.revoke),
      introspection_endpoint: at(paths.introspect),
      device_authorization_endpoint: at(paths.deviceCode),
      end_session_endpoint: at(paths.logout),
      registration_endpoint: idpOidc.dynamicClientRegistrationEnabled ? at(paths.register) : undefined,
      scopes_supported: [...new Set(['openid', ...Object.keys(oidc.adapter.scopeDisplay)])],
      response_types_supported: [...responseTypes],
      response_modes_supported: ['query', 'fragment', 'form_post'],
      grant_types_supported: [
        'authorization_code',
        'refresh_token',
        'client_credentials',
        'urn:ietf:params:oauth:grant-type:device_code',
        ...(hasImplicit ? ['implicit'] : []),
      ],
      token_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_methods_supported: methods,
      introspection_endpoint_auth_methods_supported: methods,
      code_challenge_methods_supported: ['S256'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      acr_values_supported: ACR_VALUES,
      claims_supported: ['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'acr', 'amr', 'nonce', ...PERSONAL],
      prompt_values_supported: ['none', 'login', 'consent'],
      authorization_response_iss_parameter_supported: true,
      claims_parameter_supported: false,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
    },
    200,
  )
}

const PERSONAL = ['email', 'email_verified', 'name', 'given_name', 'family_name', 'preferred_username']

/** Returns the public keys. */
const jwks = async ({ keys }: EngineParts): Promise<Response> => jsonResponse(publicJwks(await keys.freshRing()), 200)
