import { isUnavailable, SQL_ERRORS } from '@gatepost/sql'
import { AuthError, ImmediateResponse } from '../../errors.ts'
import type { ConnectedKernel } from '../module.ts'
import type { AuthSettings } from '../settings/settings.ts'
import { redirectSettings } from './redirects.ts'

const BODY = Symbol('body')

/** A response that is made here. (A `WeakMap` would keep both until the next full garbage collection.) */
interface OwnResponse extends Response {
  [BODY]?: string | null
}

/** Creates a response whose body can be read synchronously. */
export function ownResponse(body: string | null, init: ResponseInit): Response {
  const response: OwnResponse = new Response(body, init)
  response[BODY] = body
  return response
}

/** For a copy of the response. `Response.body` would make a stream of a text, which costs more than a whole page. */
export function readOwnBody(response: OwnResponse): ReadableStream<Uint8Array> | string | null {
  const own = response[BODY]
  return own === undefined ? response.body : own
}

/** A JSON answer; members that are `undefined` are left out. */
export const jsonResponse = (value: unknown, status: number): Response =>
  ownResponse(JSON.stringify(value), { status, headers: { 'content-type': 'application/json; charset=utf-8' } })

/** An answer outside the frame of a page, closed to caches. */
export function bareResponse(response: Response): Response {
  const headers = new Headers(response.headers)
  for (const [name, value] of BARE_HEADERS) if (!headers.has(name)) headers.set(name, value)
  return new Response(readOwnBody(response), { status: response.status, headers })
}

/** One line of text for an error where no page can be made: the session, a hook, or the page of an error has failed. */
export async function bareError(kernel: ConnectedKernel, raw: Request, error: unknown): Promise<Response> {
  if (error instanceof ImmediateResponse) return bareResponse(error.response)
  const { status, message, headers, isLogged } = toFailure(error)
  if (isLogged) kernel.log.error('No page could be made', { error })
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

/** Of an answer without a page: no cache keeps it, and no browser takes it for something else. */
export const BARE_HEADERS: Headers = [
  ['cache-control', NEVER_STORED],
  ['vary', 'Cookie, Accept-Language'],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'same-origin'],
]

/** Of every page: closed to caches, frames and scripts of others. @see W3C, "Content Security Policy Level 3" */
export const pageHeaders = (settings: AuthSettings): Headers => [
  ...BARE_HEADERS,
  ['x-frame-options', 'DENY'],
  ['cross-origin-opener-policy', 'same-origin'],
  [POLICY, pagePolicy(settings)],
]

/** The name of the header with the content security policy. */
export const POLICY = 'content-security-policy'

/** @param targets Extra form targets of this page */
export const pagePolicy = (settings: AuthSettings, targets: readonly string[] = []): string =>
  `default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action ${[...formTargets(settings), ...targets].join(' ')}`

/** Where a form may lead: browsers refuse what a redirect behind it leads to as well. */
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

/** How an error is answered. */
interface Failure {
  readonly status: number
  readonly code: string
  /** English, a key of the catalogues: nothing of an error that nobody foresaw. */
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
  /** Nobody foresaw it, or the operator must know of it. */
  readonly isLogged: boolean
  /** Whether what the request has changed of its session is kept. */
  readonly keepsSession: boolean
}

/** Unlike the other texts of a 500 these are shown. */
const MESSAGES = { unforeseen: 'Something went wrong. Try again later.' } as const

const UNFORESEEN: Failure = {
  status: 500,
  code: 'internal_error',
  message: MESSAGES.unforeseen,
  headers: {},
  isLogged: true,
  keepsSession: false,
}

/** Returns the status, code and message that a visitor sees for an error. */
export function toFailure(error: unknown): Failure {
  if (error instanceof AuthError && error.status !== 500) {
    const { status, code, message, headers } = error
    // What could not be written a moment ago is not tried once more.
    return { status, code, message, headers, isLogged: false, keepsSession: code !== 'session_conflict' }
  }
  if (isUnavailable(error)) {
    const { status } = SQL_ERRORS.database_unavailable
    return { ...UNFORESEEN, status, code: 'database_unavailable', headers: { 'retry-after': '1' } }
  }
  return UNFORESEEN
}
