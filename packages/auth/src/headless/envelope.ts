import { listReauthenticationFlows } from '../account/reauthentication/reauthentication.ts'
import type { Account } from '../account/account.ts'
import type { InputError } from '../errors.ts'
import { jsonResponse, BARE_HEADERS } from '../kernel/http/responses.ts'
import type { PageRequest } from '../kernel/http/page-request.ts'
import { finishWithToken, saveSession } from '../kernel/http/page-response.ts'
import type { ApiAnswer, ApiFlow } from '../kernel/operations/operation.ts'
import { userData } from '../kernel/operations/user-data.ts'
import type { UserId, User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import type { Headless } from './headless.ts'

/** A response's envelope (reference, section 4.2.2). */
export interface Envelope {
  readonly status: number
  readonly data?: unknown
  readonly meta?: object
  readonly errors?: readonly object[]
  readonly headers?: Readonly<Record<string, string>>
}

/** The signed-in user and the login time in milliseconds since the Unix epoch. */
export interface SignIn {
  readonly userId: UserId | null
  readonly authenticatedAtMs: number | null
}

/** Returns the visit's current login. */
export const captureSignIn = ({ user, session }: Visit): SignIn => ({
  userId: user?.id ?? null,
  authenticatedAtMs: session.authenticatedAtMs,
})

/** Builds the envelope for an operation's answer. */
export async function buildEnvelope(headless: Headless, request: Visit, answer: ApiAnswer): Promise<Envelope> {
  if (answer.kind === 'authentication') return authenticationBody(headless, request, answer)
  if (answer.kind === 'errors') {
    return { status: answer.status, errors: answer.errors.map((error) => toErrorJson(request, error)) }
  }
  const { status = 200, data, meta } = answer
  return { status, ...(data !== undefined && { data }), ...(meta !== undefined && { meta }) }
}

function toErrorJson({ t }: Visit, { code, message, param, values }: InputError): object {
  return { message: t(message, values), code, ...(param !== undefined && { param }) }
}

/**
 * Saves the session and sends the envelope. Apps get a session token whenever it changes, and new access tokens after a
 * login or a password change, which invalidate the earlier ones.
 * @param before The signed-in user at the start of the request.
 * @param failed Discards the request's changes to the session.
 */
export async function sendEnvelope(
  headless: Headless,
  request: PageRequest,
  { headers = {}, ...envelope }: Envelope,
  before: SignIn,
  failed = false,
): Promise<Response> {
  const isApp = request.client === 'app'
  const now = captureSignIn(request)
  const hasChanged = now.userId !== before.userId || now.authenticatedAtMs !== before.authenticatedAtMs
  const hasSignedIn = now.userId !== null && hasChanged
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
  return finishWithToken(request, response, token)
}

const APP_HEADERS = { ...Object.fromEntries(BARE_HEADERS), 'content-type': 'application/json; charset=utf-8' }

/** Creates a response for an app. Apps get no cookies, so it needs no `finishWithToken`; this is a hot path. */
const appResponse = (
  { method }: Visit,
  body: { readonly status: number },
  headers: Readonly<Record<string, string>>,
): Response =>
  new Response(method === 'HEAD' ? null : JSON.stringify(body), {
    status: body.status,
    headers: { ...APP_HEADERS, ...headers },
  })

/** The envelope with the visitor's authentication state. */
interface AuthenticationBody {
  readonly status: 200 | 401
  readonly data: object
  readonly meta: { readonly is_authenticated: boolean }
}

/** Returns the visitor's authentication state: the user and methods, or the flows to sign in or reauthenticate. */
async function authenticationBody(
  { account }: Headless,
  visit: Visit,
  { as }: Extract<ApiAnswer, { kind: 'authentication' }>,
): Promise<AuthenticationBody> {
  const user = as === 'anonymous' ? null : visit.user
  const meta = { is_authenticated: user !== null }
  if (user === null) return { status: 401, data: { flows: await listFlows(account, visit, null) }, meta }
  const data = { user: await userData(account.kernel, visit, user), methods: account.login.records(visit) }
  if (as === undefined) return { status: 200, data, meta }
  return { status: 401, data: { ...data, flows: await listFlows(account, visit, user) }, meta }
}

async function listFlows(account: Account, visit: Visit, user: User | null): Promise<readonly ApiFlow[]> {
  const { modules } = account.kernel
  const flows: ApiFlow[] = []
  if (user === null) {
    for (const module of modules) flows.push(...((await module.entranceFlows?.(visit)) ?? []))
  } else {
    flows.push(...(await listReauthenticationFlows(account, visit, user)))
  }
  const pending = visit.user === null ? await pendingFlow(account, visit) : null
  const merged = pending === null ? flows : markPending(flows, pending)
  return [...merged, ...modules.flatMap((module) => module.closingFlows?.(visit) ?? [])]
}

/** Returns the flow of the pending login stage, or `null`. */
async function pendingFlow(account: Account, visit: Visit): Promise<ApiFlow | null> {
  const login = await account.login.pending(visit)
  const id = login?.state.current ?? null
  if (login === null || id === null) return null
  let flow: ApiFlow = { id, is_pending: true }
  for (const module of account.kernel.modules) flow = { ...flow, ...(await module.pendingFlowData?.(visit, login)) }
  return flow
}

const markPending = (flows: readonly ApiFlow[], pending: ApiFlow): readonly ApiFlow[] =>
  flows.some(({ id }) => id === pending.id)
    ? flows.map((flow) => (flow.id === pending.id ? { ...flow, ...pending } : flow))
    : [...flows, pending]
