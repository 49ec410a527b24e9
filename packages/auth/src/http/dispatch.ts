import { withNext } from '../account/page-context.ts'
import { demandReauthentication } from '../account/reauthentication/suspended-post.ts'
import type { Core } from '../core.ts'
import { AuthError, ImmediateResponse } from '../errors.ts'
import { takeOrRefuse } from '../rate-limit/take.ts'
import type { AuthRequest } from '../request.ts'
import { checkCsrf, CSRF_FIELD, CSRF_HEADER } from './csrf.ts'
import type { PageAnswer } from './answer.ts'
import { readForm } from './form-body.ts'
import { type Arrived, openRequest, type PageRequest } from './page-request.ts'
import { errorResponse, finishResponse, pageResponse, redirect } from './page-response.ts'
import type { PageHandler, PageRoute } from './route.ts'
import type { Found, RouteTable } from './routes.ts'
import { visitorUrl } from './visitor-url.ts'

/** What answers requests for pages. */
export interface Dispatcher {
  /** Whether a path is one of the package's. */
  handles(pathname: string): boolean
  fetch(request: Request, from: { readonly remoteAddress: string | null }): Promise<Response>
  /** Runs `work` inside the frame of a request that is for a page of the host; `null`: it let the visitor through. */
  visit(
    request: Request,
    from: { readonly remoteAddress: string | null },
    work: (visit: AuthRequest) => Promise<PageAnswer | null>,
  ): Promise<Response | null>
  /**
   * Runs `work` inside the frame of a request, and again when its session was changed at the same time; errors pass
   * through. @returns its result, and the headers that belong on the answer
   */
  run<R>(
    request: Request,
    from: { readonly remoteAddress: string | null },
    work: (visit: AuthRequest) => Promise<R>,
  ): Promise<{ readonly result: R; readonly headers: Headers }>
}

/** How often a request is run again when its session was changed at the same time. */
const SESSION_ATTEMPTS = 5
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** @param origin Public origin, if configured. */
export function createDispatcher(core: Core, routes: RouteTable, origin: string | null): Dispatcher {
  const { settings } = core
  const reached = { origin, allowedHosts: settings.allowedHosts, protocol: settings.account.defaultHttpProtocol }
  return {
    handles: (pathname) => pathname.startsWith(settings.pathPrefix) || routes.find(pathname) !== null,
    async fetch(raw, { remoteAddress }) {
      const url = visitedUrl(raw, reached)
      if (url instanceof Response) return url
      const client = core.adapter.isAjax(raw) ? 'xhr' : 'page'
      const elsewhere = settings.secureSslRedirect && url.protocol === 'http:' ? httpsRedirect(url) : null
      if (elsewhere !== null) return elsewhere
      const found = routes.find(url.pathname)
      if (found === null && SAFE_METHODS.has(raw.method) && routes.find(`${url.pathname}/`) !== null) {
        return redirect(`${url.pathname}/${url.search}`)
      }
      let form: Arrived['form'] = new Map()
      try {
        if (!SAFE_METHODS.has(raw.method)) form = await readForm(raw)
      } catch (error) {
        const request = await openRequest(core, { raw, remoteAddress, url, form, client })
        return errorResponse(core, request, error)
      }
      return answerRepeatedly(core, { raw, remoteAddress, url, form, client }, found)
    },
    async visit(raw, { remoteAddress }, work) {
      const url = visitedUrl(raw, reached)
      if (url instanceof Response) return url
      const request = await openRequest(core, { raw, remoteAddress, url, form: new Map(), client: 'page' })
      try {
        const answer = await work(request)
        if (answer !== null) return await finishResponse(core, request, await pageResponse(core, request, answer))
        await request.session.save()
        return null
      } catch (error) {
        return await errorResponse(core, request, error)
      }
    },
    async run(raw, { remoteAddress }, work) {
      const arrived: Arrived = { raw, remoteAddress, url: visitorUrl(raw, reached), form: new Map(), client: 'page' }
      for (let attempt = 1; ; attempt++) {
        const request = await openRequest(core, arrived)
        try {
          const result = await work(request)
          const { headers } = await finishResponse(core, request, new Response(null))
          return { result, headers }
        } catch (error) {
          if (!isConflict(error) || attempt === SESSION_ATTEMPTS) throw error
        }
      }
    },
  }
}

const isConflict = (error: unknown): boolean => error instanceof AuthError && error.code === 'session_conflict'

function visitedUrl(raw: Request, reached: Parameters<typeof visitorUrl>[1]): URL | Response {
  try {
    return visitorUrl(raw, reached)
  } catch (error) {
    if (error instanceof AuthError) return new Response(error.message, { status: error.status })
    throw error
  }
}

function httpsRedirect(url: URL): Response {
  return new Response(null, { status: 301, headers: { location: url.href.replace(/^http:/, 'https:') } })
}

/** A handler whose session was changed by another request begins anew: until then it has had no effect. */
async function answerRepeatedly(core: Core, arrived: Arrived, found: Found | null): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const request = await openRequest(core, arrived)
    try {
      const answer = found === null ? nowhere(core, request) : await handle(core, request, found)
      return await finishResponse(core, request, await pageResponse(core, request, answer))
    } catch (error) {
      if (isConflict(error) && attempt < SESSION_ATTEMPTS) continue
      return await errorResponse(core, request, error)
    }
  }
}

/** The mount point itself leads to where a visitor wants to be. */
function nowhere(core: Core, request: PageRequest): PageAnswer {
  if (request.url.pathname !== core.settings.pathPrefix) throw new AuthError('not_found')
  const name = request.user !== null && core.has('account_email') ? 'account_email' : 'account_login'
  return { kind: 'redirect', to: core.url(name) }
}

async function handle(core: Core, request: PageRequest, { route, params }: Found): Promise<PageAnswer> {
  const handler = handlerOf(route, request.method)
  const isSafe = SAFE_METHODS.has(request.method)
  if (!isSafe && route.csrfExempt !== true) checkToken(core, request)
  const elsewhere = await guard(core, request, route)
  if (elsewhere !== null) return elsewhere
  if (!isSafe && route.limit !== undefined) await takeLimit(core, request, route.limit)
  try {
    return await handler(request, params)
  } catch (error) {
    if (error instanceof ImmediateResponse) return { kind: 'response', response: error.response }
    throw error
  }
}

function handlerOf(route: PageRoute, method: string): PageHandler {
  const handler = method === 'HEAD' || method === 'GET' ? route.GET : method === 'POST' ? route.POST : undefined
  if (handler !== undefined) return handler
  const allow = [...(route.GET ? ['GET', 'HEAD'] : []), ...(route.POST ? ['POST'] : [])].join(', ')
  throw new AuthError('method_not_allowed', { headers: { allow } })
}

function checkToken(core: Core, request: PageRequest): void {
  const given = request.form.get(CSRF_FIELD) ?? request.raw.headers.get(CSRF_HEADER)
  const own = [request.url.origin, ...core.settings.csrfTrustedOrigins]
  checkCsrf(request.raw, { own, secret: request.receivedCsrf, given })
}

/** Where a visitor must go first. */
async function guard(core: Core, request: PageRequest, route: PageRoute): Promise<PageAnswer | null> {
  if (route.access === 'anon') return null
  const here = `${request.url.pathname}${request.url.search}`
  if (request.user === null) return { kind: 'redirect', to: withNext(loginUrl(core), here) }
  if (route.access === 'auth' || (await core.login.isRecent(request))) return null
  return demandReauthentication(core, request)
}

const loginUrl = (core: Core): string =>
  core.has(core.settings.loginUrl) ? core.url(core.settings.loginUrl) : core.settings.loginUrl

async function takeLimit(core: Core, request: PageRequest, limit: NonNullable<PageRoute['limit']>): Promise<void> {
  const subject =
    limit.per === 'ip' ? { ip: request.clientIp } : request.user === null ? {} : { userId: request.user.id }
  await takeOrRefuse(core.limits, limit.action, subject, request.nowMs)
}
