import type { Core } from '../core.ts'
import { AuthError, ImmediateResponse } from '../errors.ts'
import type { PageAnswer } from './answer.ts'
import { type CookieAttributes, forgetCookie, setCookie } from './cookies.ts'
import { CSRF_COOKIE, csrfToken } from './csrf.ts'
import { xhrForm } from './form-view.ts'
import { MESSAGES_COOKIE, writeMessages } from './messages.ts'
import type { PageRequest } from './page-request.ts'
import type { User, UserId } from '../users/user.ts'

/** 302. A header holds ASCII only (RFC 9110 section 5.5): what else a checked target has, is escaped. */
export const redirect = (to: string): Response =>
  new Response(null, {
    status: 302,
    headers: { location: to.toWellFormed().replaceAll(/[^!-~]/gu, encodeURIComponent) },
  })

/** The response of an answer, without what the frame adds at the end. */
export async function pageResponse(core: Core, request: PageRequest, answer: PageAnswer): Promise<Response> {
  if (answer.kind === 'response') return answer.response
  if (request.client === 'xhr') return xhrResponse(core, request, answer)
  if (answer.kind === 'redirect') return redirect(answer.to)
  return html(await rendered(core, request, answer), answer.status ?? 200)
}

async function rendered(
  core: Core,
  request: PageRequest,
  answer: Extract<PageAnswer, { kind: 'page' }>,
): Promise<string> {
  return core.templates.page(answer.template, pageContext(core, request, answer.context), request.t)
}

const html = (text: string, status: number): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/html; charset=utf-8' } })

/** What every template sees: values, and the functions that its tags call. */
export function pageContext(
  core: Core,
  request: PageRequest,
  context: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return {
    request: { path: request.url.pathname, method: request.method, language: request.language },
    user: request.user,
    site: request.site,
    messages: [...request.receivedMessages, ...request.newMessages],
    csrf_token: csrfToken(request.csrfSecret(), core.random),
    has: (name: string) => core.has(name),
    url: (name: string, params?: Readonly<Record<string, string>>) => core.url(name, params),
    asset: (name: string) => `${core.settings.pathPrefix}assets/${name}`,
    user_display: (user: User | null) => (user === null ? '' : core.adapter.userDisplay(user)),
    user_verified: (user: User | null) => (user === null ? false : hasVerified(core, request, user.id)),
    ...context,
  }
}

async function hasVerified(core: Core, request: PageRequest, id: UserId): Promise<boolean> {
  const addresses = await core.emails.ofUser(request.db, id)
  return addresses.some(({ verified }) => verified)
}

/** Legacy XHR mode (4.1.2 of the reference): what a page would have shown, as JSON. */
async function xhrResponse(
  core: Core,
  request: PageRequest,
  answer: Exclude<PageAnswer, { kind: 'response' }>,
): Promise<Response> {
  const data = answer.data === undefined ? {} : { data: answer.data }
  if (answer.kind === 'redirect') return json({ location: answer.to, ...data }, 200)
  const invalid = request.method === 'POST' || (answer.status ?? 200) >= 400
  const form = answer.form === undefined ? {} : { form: xhrForm(answer.form, request.t) }
  return json(
    { ...form, html: await rendered(core, request, answer), ...data },
    invalid ? Math.max(400, answer.status ?? 400) : 200,
  )
}

const json = (value: unknown, status: number): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json; charset=utf-8' } })

/** An error as a page. What nobody expected is logged, and says nothing of itself. */
export async function errorResponse(core: Core, request: PageRequest, error: unknown): Promise<Response> {
  if (error instanceof ImmediateResponse) return finishResponse(core, request, error.response)
  const known = error instanceof AuthError && error.status !== 500 ? error : null
  if (known === null) core.log.error('A page failed', { path: request.url.pathname, error })
  const status = known?.status ?? 500
  const context = pageContext(core, request, {
    status,
    error: { code: known?.code ?? 'internal_error', message: errorText(request, known) },
  })
  const text =
    (await core.templates.optionalPage(String(status), context, request.t)) ??
    (await core.templates.page('error', context, request.t))
  const response = request.client === 'xhr' ? json({ html: text }, status) : html(text, status)
  for (const [name, value] of Object.entries(known?.headers ?? {})) response.headers.set(name, value)
  return finishResponse(core, request, response, known === null)
}

const errorText = (request: PageRequest, error: AuthError | null): string =>
  request.t(error?.message ?? 'Something went wrong here. Try again later.')

/** Saves the session, sends cookies, and closes the page to caches, frames and scripts of others. */
export async function finishResponse(
  core: Core,
  request: PageRequest,
  response: Response,
  failed = false,
): Promise<Response> {
  const headers = new Headers(response.headers)
  const { settings } = core
  if (!failed) {
    const { persistent } = request.session
    const token = await request.session.save()
    const attributes = sessionCookie(settings, persistent)
    if (token === null) headers.append('set-cookie', forgetCookie(settings.sessionCookieName, attributes))
    else if (token !== undefined) headers.append('set-cookie', setCookie(settings.sessionCookieName, token, attributes))
  }
  if (request.csrfChanged())
    headers.append('set-cookie', setCookie(CSRF_COOKIE, request.csrfSecret(), csrfCookie(settings)))
  sendMessages(core, request, response, headers)
  for (const cookie of request.setCookies) headers.append('set-cookie', cookie)
  for (const [name, value] of pageHeaders(settings)) if (!headers.has(name)) headers.set(name, value)
  const body = request.method === 'HEAD' ? null : response.body
  return new Response(body, { status: response.status, headers })
}

/** Those that a page has shown are gone; those of a redirect wait for the next page. */
function sendMessages(core: Core, request: PageRequest, response: Response, headers: Headers): void {
  const shown = (response.headers.get('content-type') ?? '').startsWith('text/html') && request.client === 'page'
  const waiting = shown ? [] : [...request.receivedMessages, ...request.newMessages]
  const attributes: CookieAttributes = { ...sessionCookie(core.settings, false), maxAge: null }
  if (waiting.length > 0 && request.newMessages.length > 0) {
    headers.append(
      'set-cookie',
      setCookie(MESSAGES_COOKIE, writeMessages(waiting, core.signer, request.nowMs), attributes),
    )
  } else if (shown && request.receivedMessages.length > 0) {
    headers.append('set-cookie', forgetCookie(MESSAGES_COOKIE, attributes))
  }
}

export function sessionCookie(settings: Core['settings'], persistent: boolean): CookieAttributes {
  return {
    path: settings.sessionCookiePath,
    domain: settings.sessionCookieDomain,
    secure: settings.sessionCookieSecure,
    httpOnly: settings.sessionCookieHttponly,
    sameSite: settings.sessionCookieSamesite,
    maxAge: persistent ? settings.account.sessionCookieAge : null,
  }
}

const csrfCookie = (settings: Core['settings']): CookieAttributes => ({
  path: '/',
  domain: null,
  secure: settings.csrfCookieSecure,
  httpOnly: false,
  sameSite: 'Lax',
  maxAge: settings.csrfCookieAge,
})

function pageHeaders(settings: Core['settings']): readonly (readonly [string, string])[] {
  const targets = [
    "'self'",
    ...settings.csrfTrustedOrigins,
    ...settings.allowedHosts.filter((host) => host !== '*').map(asSource),
  ]
  return [
    ['cache-control', 'max-age=0, no-cache, no-store, must-revalidate, private'],
    ['vary', 'Cookie, Accept-Language'],
    ['x-frame-options', 'DENY'],
    ['x-content-type-options', 'nosniff'],
    ['referrer-policy', 'same-origin'],
    ['cross-origin-opener-policy', 'same-origin'],
    [
      'content-security-policy',
      `default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action ${targets.join(' ')}`,
    ],
  ]
}

const asSource = (host: string): string => (host.startsWith('.') ? `*${host}` : host)
