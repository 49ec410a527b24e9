import type { Headless } from './headless.ts'
import type { InputError } from '../errors.ts'
import { jsonResponse } from '../kernel/http/json-response.ts'
import { BARE_HEADERS } from '../kernel/http/page-headers.ts'
import type { PageRequest } from '../kernel/http/page-request.ts'
import { finishSaved, saveSession } from '../kernel/http/page-response.ts'
import type { Visit } from '../kernel/visit.ts'
import type { UserId } from '../kernel/users/user.ts'
import { authenticationBody } from './authentication-answer.ts'
import type { ApiAnswer } from '../kernel/operations/operation.ts'

/** What is sent (4.2.2 of the reference). */
export interface Envelope {
  readonly status: number
  readonly data?: unknown
  readonly meta?: object
  readonly errors?: readonly object[]
  readonly headers?: Readonly<Record<string, string>>
}

/** Who is signed in, and since when: milliseconds since the Unix epoch. */
export interface SignIn {
  readonly userId: UserId | null
  readonly authenticatedAtMs: number | null
}

/** As it stands while a request runs. */
export const signInOf = ({ user, session }: Visit): SignIn => ({
  userId: user?.id ?? null,
  authenticatedAtMs: session.authenticatedAtMs,
})

/** The envelope of what an operation answers. */
export async function envelopeOf(headless: Headless, request: Visit, answer: ApiAnswer): Promise<Envelope> {
  if (answer.kind === 'authentication') return authenticationBody(headless, request, answer)
  if (answer.kind === 'errors') {
    return { status: answer.status, errors: answer.errors.map((error) => shownError(request, error)) }
  }
  const { status = 200, data, meta } = answer
  return { status, ...(data !== undefined && { data }), ...(meta !== undefined && { meta }) }
}

function shownError({ t }: Visit, { code, message, param, values }: InputError): object {
  return { message: t(message, values), code, ...(param !== undefined && { param }) }
}

/**
 * Stores the session and sends the envelope; apps are told of a new token, and of access tokens when somebody has just
 * signed in, or anew: with another password, which the tokens of before do not outlive.
 * @param before Who was signed in when the request came.
 * @param failed Whether what the request has changed of its session is forgotten.
 */
export async function sendEnvelope(
  headless: Headless,
  request: PageRequest,
  { headers = {}, ...envelope }: Envelope,
  before: SignIn,
  failed = false,
): Promise<Response> {
  const isApp = request.client === 'app'
  const now = signInOf(request)
  const isAnew = now.userId !== before.userId || now.authenticatedAtMs !== before.authenticatedAtMs
  const hasSignedIn = now.userId !== null && isAnew
  const tokensLater = isApp && hasSignedIn && !failed ? headless.tokens.createAccessTokens(request) : null
  const token = failed ? undefined : await saveSession(request)
  const shown = isApp && typeof token === 'string' ? headless.tokens.createSessionToken(request, token) : null
  const meta = {
    ...envelope.meta,
    ...(shown !== null && { session_token: shown }),
    ...(tokensLater !== null && (await tokensLater())),
  }
  const { status, data, errors } = envelope
  const body = {
    status,
    ...(data !== undefined && { data }),
    ...(Object.keys(meta).length > 0 && { meta }),
    ...(errors !== undefined && { errors }),
  }
  if (isApp) return appResponse(request, body, headers)
  const response = jsonResponse(body, status)
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return finishSaved(request, response, token)
}

const APP_HEADERS = { ...Object.fromEntries(BARE_HEADERS), 'content-type': 'application/json; charset=utf-8' }

/** Apps get no cookie, so nothing has to be put together: this is the answer that they ask for most. */
const appResponse = (
  { method }: Visit,
  body: { readonly status: number },
  headers: Readonly<Record<string, string>>,
): Response =>
  new Response(method === 'HEAD' ? null : JSON.stringify(body), {
    status: body.status,
    headers: { ...APP_HEADERS, ...headers },
  })
