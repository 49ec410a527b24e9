import { createHash } from 'node:crypto'
import { readCookie } from '../../kernel/http/cookies.ts'
import { bareResponse } from '../../kernel/http/responses.ts'
import { openRequest, type PageRequest } from '../../kernel/http/page-request.ts'
import { errorResponse, finishResponse, pageResponse } from '../../kernel/http/page-response.ts'
import type { PageAnswer } from '../../kernel/http/route.ts'
import { takeVisitorSlot } from '../../kernel/limits/take.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { OidcClient } from '../clients.ts'
import type { Oidc } from '../oidc.ts'
import type { OidcPaths } from '../paths.ts'
import { callLibrary, type LibraryCall, runLibraryCall } from './bridge.ts'
import { type Call, KINDS } from './parts.ts'
import { COOKIES } from './provider.ts'
import type { Providers } from './providers.ts'
import { fingerprintAuthentication, toLibrarySession } from './session.ts'
import { OUR_SESSION } from './storage.ts'

/** Handles requests to the authorization endpoint, including those that continue it after an interaction. */
export async function authorize(providers: Providers, call: Call, remoteAddress: string | null): Promise<Response> {
  const { parts } = providers
  const { oidc } = parts
  if (call.raw.method === 'POST') return redirectAsGet(call)
  const { raw, url } = call
  const request = await openRequest(oidc.kernel, { raw, remoteAddress, url, form: new Map(), client: 'page' })
  const client = await loadRequestingClient(providers, call)
  try {
    if (canStoreInteraction(oidc, call, request)) await takeVisitorSlot(oidc.kernel.limits, 'authorize', request)
  } catch (error) {
    return errorResponse(request, error, null)
  }
  // Another process may have signed the hint with a key that this one hasn't loaded yet.
  const ring = await (url.searchParams.has('id_token_hint') ? parts.keys.freshRing() : parts.keys.ring())
  const libraryCall: LibraryCall = {
    request,
    who: client === null ? null : toLibrarySession(oidc, request, client),
    proof: fingerprintAuthentication(oidc.account, request),
    ring,
    scope: call.url.searchParams.get('scope'),
    verified: null,
    users: new Map(),
    clients: new Map(client === null ? [] : [[client.id, client]]),
    signed: new Map(),
    refusal: null,
  }
  const { library, provider } = await providers.of(call.issuer, client, ring)
  const bridged = {
    url: addDefaultScopes(oidc, url, client),
    method: 'GET',
    headers: buildAuthorizeHeaders(libraryCall),
    body: null,
    ip: call.ip,
  }
  const response = await runLibraryCall(libraryCall, () => callLibrary(library, provider, bridged))
  const page =
    libraryCall.refusal === null
      ? response
      : await pageResponse(request, refusalPage(oidc.paths, request, libraryCall.refusal))
  const finished = await finishResponse(request, libraryCall.refusal === null ? await toPageResponse(page) : page)
  return finished.status === 303 ? stripPageHeaders(finished) : finished
}

/** Returns whether the request can store an interaction, which it does if the visitor isn't signed in. */
const canStoreInteraction = (oidc: Oidc, { url }: Call, { user }: PageRequest): boolean =>
  user === null && url.pathname === oidc.paths.authorize && url.searchParams.get('prompt') !== 'none'

/**
 * Removes headers for pages from a redirect, because they would cut off the client's window or frame from the response.
 */
function stripPageHeaders(response: Response): Response {
  for (const name of ['x-frame-options', 'content-security-policy', 'cross-origin-opener-policy']) {
    response.headers.delete(name)
  }
  return response
}

/** Redirects a posted request to GET, because browsers don't send our SameSite cookies with another site's form. */
function redirectAsGet({ url, form }: Call): Response {
  const to = new URL(url)
  for (const [name, value] of form) to.searchParams.append(name, value)
  return bareResponse(new Response(null, { status: 303, headers: { location: `${to.pathname}${to.search}` } }))
}

/** Loads the client of the request or, if it continues an interaction, of the original request. */
async function loadRequestingClient({ parts }: Providers, { url }: Call): Promise<OidcClient | null> {
  const { oidc } = parts
  const uid = oidc.paths.resumedUid(url.pathname)
  const kept =
    uid === null
      ? null
      : await oidc.kernel.artifacts.get(oidc.kernel.database.db, KINDS.interaction, uid, oidc.kernel.clock.now())
  const params: unknown = isRecord(kept?.payload) ? kept.payload['params'] : undefined
  const id = uid === null ? url.searchParams.get('client_id') : isRecord(params) ? params['client_id'] : null
  return typeof id === 'string' && id !== '' ? oidc.clients.byId(oidc.kernel.database.db, id) : null
}

/** Adds the client's default scopes. Drops `prompt=consent` for clients without a consent page. */
function addDefaultScopes(oidc: Oidc, url: URL, client: OidcClient | null): URL {
  if (client === null || url.pathname !== oidc.paths.authorize) return url
  const whole = new URL(url)
  const { searchParams: query } = whole
  if ((query.get('scope') ?? '') === '' && client.defaultScopes.length > 0) {
    query.set('scope', client.defaultScopes.join(' '))
  }
  const prompts = query.get('prompt')?.split(' ')
  if (client.skipConsent && prompts?.includes('consent') === true) {
    const others = prompts.filter((prompt) => prompt !== 'consent')
    if (others.length > 0) query.set('prompt', others.join(' '))
    else query.delete('prompt')
  }
  return whole
}

/**
 * Passes the library only its resume cookie, and instead of its session cookie one that stands for the visitor's
 * session.
 */
function buildAuthorizeHeaders({ request, who }: LibraryCall & { readonly request: PageRequest | null }): Headers {
  const cookies = request?.raw.headers.get('cookie') ?? null
  const resume = readCookie(cookies, COOKIES.resume)
  const own = [
    ...(resume !== null && /^[\w-]+$/.test(resume) ? [`${COOKIES.resume}=${resume}`] : []),
    ...(who === null ? [] : [`${COOKIES.session}=${OUR_SESSION}`]),
  ]
  return new Headers({ accept: 'text/html', ...(own.length > 0 && { cookie: own.join('; ') }) })
}

/**
 * Removes the library's session cookie. Sets a policy for the `form_post` page that lets it run its own script and post
 * anywhere.
 */
async function toPageResponse(response: Response): Promise<Response> {
  const headers = new Headers(response.headers)
  const cookies = response.headers.getSetCookie().filter((cookie) => !cookie.startsWith(`${COOKIES.session}=`))
  headers.delete('set-cookie')
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  const body = await response.text()
  const [, script] = /<script>([\s\S]*?)<\/script>/.exec(body) ?? []
  if (script !== undefined) {
    const hash = createHash('sha256').update(script).digest('base64')
    const policy = `default-src 'none'; script-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors 'none'`
    headers.set('content-security-policy', policy)
  }
  return new Response(body === '' ? null : body, { status: response.status, headers })
}

/** The messages if the response can't be sent to the client. In English, keys of the translation catalogs. */
const MESSAGES = {
  invalid_client: "The app that sent you here isn't registered.",
  invalid_redirect_uri: "The app that sent you here uses a redirect URI that isn't registered.",
  invalid_request: 'The app that sent you here made an invalid request.',
  server_error: 'Something went wrong. Try again later.',
  over: 'This request has expired or was started in another browser. Go back to the app and try again.',
} as const
const isKnown = (code: string): code is keyof typeof MESSAGES => Object.hasOwn(MESSAGES, code)

/**
 * Returns the error page, for errors that aren't sent to the client because its redirect URI wasn't verified (RFC 9700
 * section 4.11).
 */
function refusalPage(
  paths: OidcPaths,
  request: Visit,
  { code, status }: { readonly code: string; readonly status: number },
): PageAnswer {
  const isOver = status < 500 && paths.resumedUid(request.url.pathname) !== null
  const message = MESSAGES[isOver ? 'over' : isKnown(code) ? code : 'invalid_request']
  return {
    kind: 'page',
    template: 'idp/oidc/error',
    status,
    context: { error: { code, description: request.t(message) }, error_form: null },
  }
}
