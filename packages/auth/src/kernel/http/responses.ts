import { isUnavailable, SQL_ERRORS } from '@gatepost/sql'
import { AuthError, ImmediateResponse } from '../../errors.ts'
import type { ConnectedKernel } from '../module.ts'
import type { AuthSettings } from '../settings/settings.ts'
import { redirectSettings } from './redirects.ts'

const BODY = Symbol('body')

/** A response that keeps its body. (A `WeakMap` would hold both until the next full garbage collection.) */
interface OwnResponse extends Response {
  [BODY]?: string | null
}

/** Creates a response whose body can be read synchronously. */
export function ownResponse(body: string | null, init: ResponseInit): Response {
  const response: OwnResponse = new Response(body, init)
  response[BODY] = body
  return response
}

/**
 * Returns the body for a copy of the response. Reading `Response.body` would create a stream, which takes longer than
 * rendering a page.
 */
export function readOwnBody(response: OwnResponse): ReadableStream<Uint8Array> | string | null {
  const own = response[BODY]
  return own === undefined ? response.body : own
}

/** Returns a JSON response, without members that are `undefined`. */
export const jsonResponse = (value: unknown, status: number): Response =>
  ownResponse(JSON.stringify(value), { status, headers: { 'content-type': 'application/json; charset=utf-8' } })

/** Returns the response with the default headers, which forbid caching. For responses without a visit. */
export function bareResponse(response: Response): Response {
  const headers = new Headers(response.headers)
  for (const [name, value] of BARE_HEADERS) if (!headers.has(name)) headers.set(name, value)
  return new Response(readOwnBody(response), { status: response.status, headers })
}

/**
 * Returns an error as a line of plain text, if no error page can be rendered because the session, a hook, or the error
 * page itself failed.
 */
export async function bareError(kernel: ConnectedKernel, raw: Request, error: unknown): Promise<Response> {
  if (error instanceof ImmediateResponse) return bareResponse(error.response)
  const { status, message, headers, isLogged } = toFailure(error)
  if (isLogged) kernel.log.error('No page could be rendered', { error })
  const language = kernel.translations.negotiate(raw.headers.get('accept-language'))
  await kernel.translations.load(language)
  const body = raw.method === 'HEAD' ? null : kernel.translations.translator(language)(message)
  return bareResponse(
    ownResponse(body, { status, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } }),
  )
}

/** Default headers of a response, as `name` and `value`. */
type Headers = readonly (readonly [name: string, value: string])[]

const NEVER_STORED = 'max-age=0, no-cache, no-store, must-revalidate, private'

/** The default headers of responses that aren't pages. They forbid caching and content sniffing. */
export const BARE_HEADERS: Headers = [
  ['cache-control', NEVER_STORED],
  ['vary', 'Cookie, Accept-Language'],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'same-origin'],
]

/**
 * Returns the default headers of pages. They forbid caching, framing, and foreign scripts.
 * @see W3C, "Content Security Policy Level 3"
 */
export const pageHeaders = (settings: AuthSettings): Headers => [
  ...BARE_HEADERS,
  ['x-frame-options', 'DENY'],
  ['cross-origin-opener-policy', 'same-origin'],
  [POLICY, pagePolicy(settings)],
]

/** The header with the content security policy. */
export const POLICY = 'content-security-policy'

/** Returns the content security policy of a page. @param targets Additional targets for the page's forms */
export const pagePolicy = (settings: AuthSettings, targets: readonly string[] = []): string =>
  `default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action ${[...formTargets(settings), ...targets].join(' ')}`

/** Returns the sources for `form-action`, which browsers also apply to redirects after a form is posted. */
function formTargets(settings: AuthSettings): readonly string[] {
  return [
    ...new Set([
      "'self'",
      ...settings.csrfTrustedOrigins,
      ...settings.allowedHosts.filter((host) => host !== '*').map(toCspSource),
      ...redirectSettings(settings).flatMap(([, url]) =>
        url !== null && URL.canParse(url) ? [new URL(url).origin] : [],
      ),
    ]),
  ]
}

const toCspSource = (host: string): string => (host.startsWith('.') ? `*${host}` : host)

/** The response to an error. */
interface Failure {
  readonly status: number
  readonly code: string
  /** In English, a key of the translation catalogs. Contains no details of unexpected errors. */
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
  /** Whether the error is unexpected or the operator needs to know. */
  readonly isLogged: boolean
  /** Whether the request's changes to its session are kept. */
  readonly keepsSession: boolean
}

/** Texts for errors with status 500, whose own messages aren't shown. */
const MESSAGES = { unexpected: 'Something went wrong. Try again later.' } as const

const UNEXPECTED: Failure = {
  status: 500,
  code: 'internal_error',
  message: MESSAGES.unexpected,
  headers: {},
  isLogged: true,
  keepsSession: false,
}

/** Returns the status, code and message that a visitor sees for an error. */
export function toFailure(error: unknown): Failure {
  if (error instanceof AuthError && error.status !== 500) {
    const { status, code, message, headers } = error
    // After a conflict, the session can't be saved.
    return { status, code, message, headers, isLogged: false, keepsSession: code !== 'session_conflict' }
  }
  if (isUnavailable(error)) {
    const { status } = SQL_ERRORS.database_unavailable
    return { ...UNEXPECTED, status, code: 'database_unavailable', headers: { 'retry-after': '1' } }
  }
  return UNEXPECTED
}
