import { AuthError, ImmediateResponse } from '../../errors.ts'
import type { Kernel } from '../kernel.ts'
import { takeVisitorSlot } from '../limits/take.ts'
import type { ConnectedKernel } from '../module.ts'
import type { AuthSettings } from '../settings/settings.ts'
import type { Visit } from '../visit.ts'
import { checkCsrf, CSRF_FIELD, CSRF_HEADER } from './csrf.ts'
import { readForm } from './form-body.ts'
import { settingUrl, withNext } from './redirects.ts'
import { bareError, bareResponse } from './responses.ts'
import { type Arrived, isConflict, openRequest, type PageRequest, SESSION_ATTEMPTS } from './page-request.ts'
import { errorResponse, finishResponse, pageResponse, redirect } from './page-response.ts'
import type { PageAnswer, PageHandler, PageRoute, Found, RouteTable } from './route.ts'
import type { VisitorUrls } from './visitor-url.ts'

/** Handles requests for pages. */
export interface Dispatcher {
  /** Returns whether a path belongs to the package. */
  handles(pathname: string): boolean
  fetch(request: Request, from: { readonly remoteAddress: string | null }): Promise<Response>
  /** Runs `work` for a request to one of the host's pages. Returns `null` if `work` lets the visitor through. */
  visit(
    request: Request,
    from: { readonly remoteAddress: string | null },
    work: (visit: Visit) => Promise<PageAnswer | null>,
  ): Promise<Response | null>
  /**
   * Runs `work` with the request's visit, and again if another request changed the session meanwhile. Rejects with the
   * errors of `work`. @returns the result of `work`, and headers for the response
   */
  run<R>(
    request: Request,
    from: Pick<Arrived, 'remoteAddress' | 'session'>,
    work: (visit: Visit) => Promise<R>,
  ): Promise<{ readonly result: R; readonly headers: Headers }>
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Creates the dispatcher that routes requests to pages. */
export function createDispatcher(kernel: ConnectedKernel, routes: RouteTable, locate: VisitorUrls): Dispatcher {
  const { settings } = kernel
  return {
    handles: (pathname) => isOwnPath(settings.pathPrefix, routes, pathname),
    async fetch(raw, from) {
      try {
        return await handlePageRequest(kernel, routes, raw, { ...from, url: locate(raw) })
      } catch (error) {
        return await bareError(kernel, raw, error)
      }
    },
    async visit(raw, from, work) {
      try {
        return await runVisit(kernel, raw, { ...from, url: locate(raw) }, work)
      } catch (error) {
        return await bareError(kernel, raw, error)
      }
    },
    async run(raw, from, work) {
      const arrived: Arrived = { ...from, raw, url: locate(raw), form: new Map(), client: 'page' }
      for (let attempt = 1; ; attempt++) {
        const request = await openRequest(kernel, arrived)
        try {
          const result = await work(request)
          const { headers } = await finishResponse(request, new Response(null))
          return { result, headers }
        } catch (error) {
          if (!isConflict(error) || attempt === SESSION_ATTEMPTS) throw error
        }
      }
    },
  }
}

/**
 * Returns whether a path belongs to the account pages. Other paths below the mount point, such as `/accounts/profile/`,
 * belong to the host.
 */
const isOwnPath = (prefix: string, routes: RouteTable, pathname: string): boolean =>
  routes.find(pathname) !== null ||
  routes.find(`${pathname}/`) !== null ||
  pathname.startsWith(`${prefix}assets/`) ||
  [pathname, `${pathname}/`].some((path) => isMountPoint(prefix, path))

/** Returns whether a path is the mount point, which redirects. At the root it's the host's own front page. */
const isMountPoint = (prefix: string, pathname: string): boolean => prefix !== '/' && pathname === prefix

async function handlePageRequest(
  kernel: ConnectedKernel,
  routes: RouteTable,
  raw: Request,
  at: Pick<Arrived, 'remoteAddress' | 'url'>,
): Promise<Response> {
  const { url } = at
  const arrived: Arrived = { ...at, raw, form: new Map(), client: kernel.hooks.isAjax(raw) ? 'xhr' : 'page' }
  const toHttps = redirectToHttps(kernel.settings, raw, url)
  if (toHttps !== null) return toHttps
  const found = routes.find(url.pathname)
  const isSafe = SAFE_METHODS.has(raw.method)
  const slashed = `${url.pathname}/`
  if (
    found === null &&
    isSafe &&
    (routes.find(slashed) !== null || isMountPoint(kernel.settings.pathPrefix, slashed))
  ) {
    return bareResponse(redirect(`${slashed}${url.search}`))
  }
  if (isSafe) return handleWithConflictRetry(kernel, arrived, found)
  let form: Arrived['form']
  try {
    form = await readForm(raw)
  } catch (error) {
    return errorResponse(await openRequest(kernel, arrived), error, found?.route.name ?? null)
  }
  return handleWithConflictRetry(kernel, { ...arrived, form }, found)
}

/** Runs a handler again if another request changed its session meanwhile. */
async function handleWithConflictRetry(
  kernel: ConnectedKernel,
  arrived: Arrived,
  found: Found | null,
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const request = await openRequest(kernel, arrived)
    let answer: PageAnswer
    try {
      answer = found === null ? redirectFromMountPoint(request) : await handle(request, found, attempt === 1)
    } catch (error) {
      if (isConflict(error) && attempt < SESSION_ATTEMPTS) continue
      return errorResponse(request, error, found?.route.name ?? null)
    }
    return finishPage(request, answer, found?.route.name ?? null)
  }
}

async function finishPage(request: PageRequest, answer: PageAnswer, page: string | null): Promise<Response> {
  try {
    return await finishResponse(request, await pageResponse(request, answer))
  } catch (error) {
    return errorResponse(request, error, page)
  }
}

async function runVisit(
  kernel: ConnectedKernel,
  raw: Request,
  at: Pick<Arrived, 'remoteAddress' | 'url'>,
  work: (visit: Visit) => Promise<PageAnswer | null>,
): Promise<Response | null> {
  const request = await openRequest(kernel, { ...at, raw, form: new Map(), client: 'page' })
  let answer: PageAnswer | null
  try {
    answer = await work(request)
  } catch (error) {
    return errorResponse(request, error, null)
  }
  if (answer !== null) return finishPage(request, answer, null)
  await request.session.save()
  return null
}

/** Redirects from the mount point to the email page, or to the login page if signed out. */
function redirectFromMountPoint(request: PageRequest): PageAnswer {
  const name = request.user !== null && request.kernel.has('account_email') ? 'account_email' : 'account_login'
  if (!isMountPoint(request.kernel.settings.pathPrefix, request.url.pathname) || !request.kernel.has(name))
    throw new AuthError('not_found')
  return { kind: 'redirect', to: request.kernel.url(name) }
}

/** @param isFirst Whether to count the request toward the rate limit: once, however often it's retried */
async function handle(request: PageRequest, { route, params }: Found, isFirst: boolean): Promise<PageAnswer> {
  const handler = findHandler(route, request.method)
  const isSafe = SAFE_METHODS.has(request.method)
  if (!isSafe && route.csrfExempt !== true) checkToken(request)
  const elsewhere = await guard(request, route)
  if (elsewhere !== null) return elsewhere
  if (!isSafe && isFirst && route.limit !== undefined)
    await takeVisitorSlot(request.kernel.limits, route.limit.action, request)
  try {
    return await handler(request, params)
  } catch (error) {
    if (error instanceof ImmediateResponse) return { kind: 'response', response: error.response }
    throw error
  }
}

function findHandler(route: PageRoute, method: string): PageHandler {
  const handler = method === 'HEAD' || method === 'GET' ? route.GET : method === 'POST' ? route.POST : undefined
  if (handler !== undefined) return handler
  const allow = [...(route.GET ? ['GET', 'HEAD'] : []), ...(route.POST ? ['POST'] : [])].join(', ')
  throw new AuthError('method_not_allowed', { headers: { allow } })
}

function checkToken(request: PageRequest): void {
  const given = request.form.get(CSRF_FIELD) || request.raw.headers.get(CSRF_HEADER)
  const own = [request.url.origin, ...request.kernel.settings.csrfTrustedOrigins]
  checkCsrf(request.raw, { own, secret: request.receivedCsrf, given })
}

/** Redirects a visitor who must sign in or reauthenticate first; `null` if the page is accessible. */
async function guard(request: PageRequest, route: PageRoute): Promise<PageAnswer | null> {
  if (route.access === 'anon') return null
  const here = `${request.url.pathname}${request.url.search}`
  if (request.user === null)
    return { kind: 'redirect', to: withNext(settingUrl(request.kernel, request.kernel.settings.loginUrl), here) }
  if (route.access === 'auth' || (await request.kernel.hooks.isRecent(request))) return null
  return request.kernel.hooks.demandReauthentication(request)
}

type Settings = AuthSettings

/** Redirects HTTP requests to HTTPS (301) if the settings require it; `null` if no redirect is needed. */
export function redirectToHttps(settings: Settings, request: Request, url: URL): Response | null {
  if (!settings.secureSslRedirect || !isPlainHttp(request, settings.trustedProxyCount)) return null
  const location = url.href.replace(/^http:/, 'https:')
  return bareResponse(new Response(null, { status: 301, headers: { location } }))
}

/**
 * Creates a check that logs one warning if requests come through a proxy that the settings don't mention: all visitors
 * then share the proxy's address.
 */
export function createProxyWarning({ settings, log }: Pick<Kernel, 'settings' | 'log'>): (request: Request) => void {
  let hasWarned = settings.trustedProxyCount > 0 || settings.trustedClientIpHeader !== null
  return (request) => {
    if (hasWarned || !request.headers.has('x-forwarded-for')) return
    hasWarned = true
    log.warn(
      "A request had an X-Forwarded-For header, which isn't trusted. If you run a proxy, set GATEPOST_TRUSTED_PROXY_COUNT; otherwise all visitors share the rate limits of its address.",
    )
  }
}

/**
 * Returns whether the visitor used HTTP, as reported by the proxy if one is trusted. Independent of the scheme in
 * generated URLs.
 */
function isPlainHttp(request: Request, trustedProxyCount: number): boolean {
  const forwarded = trustedProxyCount > 0 ? request.headers.get('x-forwarded-proto') : null
  const scheme = forwarded?.split(',').at(-1)?.trim().toLowerCase() ?? new URL(request.url).protocol.slice(0, -1)
  return scheme === 'http'
}
