import type { AuthSettings } from '../settings/settings.ts'
import { ImmediateResponse } from '../../errors.ts'
import type { PageAnswer } from './route.ts'
import { type CookieAttributes, expireCookie, setCookie } from './cookies.ts'
import { CSRF_COOKIE, csrfToken } from './csrf.ts'
import {
  toFailure,
  jsonResponse,
  readOwnBody,
  ownResponse,
  BARE_HEADERS,
  pageHeaders,
  pagePolicy,
  POLICY,
} from './responses.ts'
import { MESSAGES_COOKIE, writeMessages, type PageRequest } from './page-request.ts'
import type { User } from '../users/user.ts'

/**
 * Returns a 302 response. Percent-encodes characters other than printable ASCII, which a header can't contain (RFC 9110
 * section 5.5).
 */
export const redirect = (to: string): Response =>
  ownResponse(null, {
    status: 302,
    headers: { location: to.toWellFormed().replaceAll(/[^!-~]/gu, encodeURIComponent) },
  })

/** Returns the response for a handler's answer, before `finishResponse` adds cookies and headers. */
export async function pageResponse(request: PageRequest, answer: PageAnswer): Promise<Response> {
  if (answer.kind === 'response') return answer.response
  if (request.client === 'xhr') return xhrResponse(request, answer)
  if (answer.kind === 'redirect') return redirect(answer.to)
  const page = html(await renderPage(request, answer), answer.status ?? 200)
  if (answer.formTargets !== undefined)
    page.headers.set(POLICY, pagePolicy(request.kernel.settings, answer.formTargets))
  return page
}

async function renderPage(request: PageRequest, answer: Extract<PageAnswer, { kind: 'page' }>): Promise<string> {
  return request.kernel.templates.page(answer.template, pageContext(request, answer.context), request.t)
}

const html = (text: string, status: number): Response =>
  ownResponse(text, { status, headers: { 'content-type': 'text/html; charset=utf-8' } })

/** Returns the context of every template: values, and the functions that tags call. */
function pageContext(request: PageRequest, context: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return {
    request: { path: request.url.pathname, method: request.method, language: request.language },
    user: request.user,
    site: request.site,
    messages: [...request.receivedMessages, ...request.newMessages],
    csrf_token: csrfToken(request.csrfSecret(), request.kernel.random),
    /** The site's home page. */
    home: `${request.kernel.mount}/`,
    has: (name: string) => request.kernel.has(name),
    url: (name: string, params?: Readonly<Record<string, string>>) => request.kernel.url(name, params),
    asset: (name: string) => `${request.kernel.settings.pathPrefix}assets/${name}`,
    user_display: (user: User | null) => (user === null ? '' : request.kernel.hooks.userDisplay(user)),
    ...Object.fromEntries(
      request.kernel.modules.flatMap((module) => Object.entries(module.templateContext?.(request) ?? {})),
    ),
    ...context,
  }
}

/** Returns a page's content as JSON, for legacy XHR mode (reference, section 4.1.2). */
async function xhrResponse(request: PageRequest, answer: Exclude<PageAnswer, { kind: 'response' }>): Promise<Response> {
  const data = answer.data === undefined ? {} : { data: answer.data }
  if (answer.kind === 'redirect') {
    return request.kernel.hooks.ajaxResponse(request, { status: 200, redirectTo: answer.to, ...data })
  }
  const invalid = request.method === 'POST' || (answer.status ?? 200) >= 400
  return request.kernel.hooks.ajaxResponse(request, {
    status: invalid ? Math.max(400, answer.status ?? 400) : 200,
    html: await renderPage(request, answer),
    ...(answer.form === undefined ? {} : { form: answer.form }),
    ...data,
  })
}

/**
 * Renders an error page. Unexpected errors are logged, and their details aren't shown.
 * @param page Reverse name of the page that failed, for the log. The path is not logged, because it may contain a key.
 */
export async function errorResponse(request: PageRequest, error: unknown, page: string | null): Promise<Response> {
  if (error instanceof ImmediateResponse) return finishResponse(request, error.response)
  const { status, code, message, headers, isLogged, keepsSession } = toFailure(error)
  if (isLogged) request.kernel.log.error('A page failed', { page, error })
  const context = pageContext(request, { status, error: { code, message: request.t(message) } })
  const text =
    (await request.kernel.templates.optionalPage(String(status), context, request.t)) ??
    (await request.kernel.templates.page('error', context, request.t))
  const response = request.client === 'xhr' ? jsonResponse({ html: text }, status) : html(text, status)
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return finishResponse(request, response, !keepsSession)
}

/** Saves the session, and adds cookies and the headers that forbid caching, framing, and foreign scripts. */
export async function finishResponse(request: PageRequest, response: Response, failed = false): Promise<Response> {
  return finishWithToken(request, response, failed ? undefined : await saveSession(request))
}

/**
 * Saves the session and runs the modules' `sessionSaved`.
 * @returns the token to send to the client, as `OpenSession.save` does
 */
export async function saveSession(request: PageRequest): Promise<string | null | undefined> {
  const { session, user } = request
  const tokenToSend = await session.save()
  if (user === null) return tokenToSend
  try {
    for (const module of request.kernel.modules) await module.sessionSaved?.(request, user)
  } catch (error) {
    // The session itself is stored. It will be listed when its user opens the list, if not before.
    request.kernel.log.warn("A session could not be recorded in its user's list of sessions", { error })
  }
  return tokenToSend
}

/** @param token Result of saving the session; apps receive it differently */
export function finishWithToken(request: PageRequest, response: Response, token: string | null | undefined): Response {
  const headers = new Headers(response.headers)
  if (request.client !== 'app') sendCookies(request, response, headers, token)
  const isPage = request.client === 'page' || request.client === 'xhr' || isHtml(headers)
  for (const [name, value] of isPage ? pageHeaders(request.kernel.settings) : BARE_HEADERS) {
    if (!headers.has(name)) headers.set(name, value)
  }
  const body = request.method === 'HEAD' ? null : readOwnBody(response)
  return new Response(body, { status: response.status, headers })
}

function sendCookies(
  request: PageRequest,
  response: Response,
  headers: Headers,
  token: string | null | undefined,
): void {
  const { settings } = request.kernel
  const attributes = sessionCookie(settings, request.session.persistent)
  if (token === null) headers.append('set-cookie', expireCookie(settings.sessionCookieName, attributes))
  else if (token !== undefined) headers.append('set-cookie', setCookie(settings.sessionCookieName, token, attributes))
  // Scripts that use the JSON API read the secret from the cookie of any response.
  if (request.client === 'browser' || request.csrfChanged())
    headers.append('set-cookie', setCookie(CSRF_COOKIE, request.csrfSecret(), csrfCookie(settings)))
  sendMessages(request, response, headers)
  for (const cookie of request.setCookies) headers.append('set-cookie', cookie)
}

const isHtml = (headers: Headers): boolean => (headers.get('content-type') ?? '').startsWith('text/html')

/** Updates the cookie with the messages: a page has shown them, a redirect keeps them for the next page. */
function sendMessages(request: PageRequest, response: Response, headers: Headers): void {
  const shown = isHtml(response.headers) && request.client === 'page' && request.method !== 'HEAD'
  const waiting = shown ? [] : [...request.receivedMessages, ...request.newMessages]
  const attributes: CookieAttributes = { ...sessionCookie(request.kernel.settings, false), maxAge: null }
  if (waiting.length > 0 && request.newMessages.length > 0) {
    headers.append(
      'set-cookie',
      setCookie(MESSAGES_COOKIE, writeMessages(waiting, request.kernel.signer, request.nowMs), attributes),
    )
  } else if (shown && request.receivedMessages.length > 0) {
    headers.append('set-cookie', expireCookie(MESSAGES_COOKIE, attributes))
  }
}

function sessionCookie(settings: AuthSettings, persistent: boolean): CookieAttributes {
  return {
    path: settings.sessionCookiePath,
    domain: settings.sessionCookieDomain,
    secure: settings.sessionCookieSecure,
    httpOnly: settings.sessionCookieHttponly,
    sameSite: settings.sessionCookieSamesite,
    maxAge: persistent ? settings.account.sessionCookieAge : null,
  }
}

const csrfCookie = (settings: AuthSettings): CookieAttributes => ({
  path: settings.sessionCookiePath,
  domain: null,
  secure: settings.csrfCookieSecure,
  httpOnly: false,
  sameSite: 'Lax',
  maxAge: settings.csrfCookieAge,
})
