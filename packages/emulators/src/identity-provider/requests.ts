import { isRecord, parseJson } from '../kit/http.ts'
import { answerCall, type Ask } from './answer.ts'
import { tokenError } from './oauth2-token.ts'
import { jsonReply, textReply } from './reply.ts'
import { matchRoutes, matchPathParameters, type Route, createRoutes } from './routes.ts'
import type { CallKind, Shape, Call } from './shape.ts'
import { SHAPES } from './shapes.ts'
import { type Fault, faultAt, type State } from './state.ts'

/** A received request, for assertions in tests. */
export interface SeenRequest {
  readonly provider: string
  readonly kind: CallKind
  readonly method: string
  /** The real address, even for requests to the served one. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Returns the shape of a provider. @throws {Error} when it doesn't exist */
export function requireShape(provider: string): Shape {
  const shape = Object.hasOwn(SHAPES, provider) ? SHAPES[provider] : undefined
  if (shape === undefined) throw new Error(`no provider ${provider}`)
  return shape
}

const ROUTES = createRoutes(SHAPES)

/** Returns the served form of a real address. */
export const addressAt = (servedAt: string | null, provider: string, real: string): string =>
  servedAt === null ? real : `${servedAt}/${provider}/${real.replace(/^https:\/\//, '')}`

/** Returns the provider and real address of a request: the inverse of `addressAt`. */
function realAddress(sentTo: string, servedAt: string | null): readonly [provider: string | null, real: URL | null] {
  if (servedAt === null || !sentTo.startsWith(`${servedAt}/`)) return [null, new URL(sentTo)]
  const [provider = '', ...rest] = sentTo.slice(servedAt.length + 1).split('/')
  return [provider, URL.parse(`https://${rest.join('/')}`)]
}

/** Records and handles a request. */
export async function answerRequest(
  state: State,
  seen: SeenRequest[],
  request: Request,
  ask: Ask = () => Promise.resolve(state.person),
): Promise<Response> {
  const [provider, real] = realAddress(request.url, state.servedAt)
  const [route, ...others] = real === null ? [] : matchRoutes(ROUTES, real, provider)
  if (real === null || route === undefined) return textReply(404, 'Not found')
  const servedAt = provider === null ? null : state.servedAt
  const createAddressMapper =
    (id: string): ((address: string) => string) =>
    (address) =>
      addressAt(servedAt, id, address)
  const call = await readCall(request, [route, ...others], real, createAddressMapper)
  seen.push({
    provider: call.provider,
    kind: call.kind,
    method: call.method,
    url: real.href,
    headers: Object.fromEntries(request.headers),
    body: call.body,
  })
  const shape = requireShape(call.provider)
  const fault = faultAt(state, call.provider, call.kind)
  const broken = await faultReply(fault, shape, call, request.signal)
  if (broken !== null) return broken
  return answerCall(state, shape, call, fault === 'denied' ? () => Promise.resolve(null) : ask)
}

/** Returns the members of a JSON object as texts. */
function jsonMembers(body: string): URLSearchParams {
  const value = parseJson(body)
  const form = new URLSearchParams()
  for (const [name, member] of Object.entries(isRecord(value) ? value : {})) {
    form.set(name, typeof member === 'string' ? member : JSON.stringify(member))
  }
  return form
}

/** Picks a route when several match: two steps at one address (Evernote), or two protocols (Tumblr). */
function chooseRoute(routes: readonly [Route, ...Route[]], request: Request, body: string): Route {
  const authorization = request.headers.get('authorization') ?? ''
  const said = `${authorization} ${request.url} ${body}`
  const isSigned = /^OAuth .*oauth_consumer_key=/is.test(authorization)
  const isLastStep = said.includes('oauth_verifier')
  const fitting = routes.filter((route) => route.isSigned === isSigned)
  const [first = routes[0]] = fitting
  return first.kind === 'request_token' && isLastStep ? (fitting.find(({ kind }) => kind === 'token') ?? first) : first
}

/** Parses a request to one of `routes`. */
async function readCall(
  request: Request,
  routes: readonly [Route, ...Route[]],
  url: URL,
  createAddressMapper: (provider: string) => (real: string) => string,
): Promise<Call> {
  const body = await request.text()
  const type = request.headers.get('content-type') ?? ''
  const isJson = /^application\/json\b/i.test(type)
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type)
  const route = chooseRoute(routes, request, body)
  const { provider, kind, template } = route
  return {
    provider,
    kind,
    method: request.method,
    url,
    sentTo: request.url,
    headers: request.headers,
    body,
    form: isJson ? jsonMembers(body) : new URLSearchParams(isForm ? body : ''),
    isJson,
    path: matchPathParameters(route, url),
    address: template,
    at: createAddressMapper(provider),
  }
}

/** Never responds; rejects when the client disconnects. */
const hang = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const stop = (): void => reject(new DOMException('The operation was aborted.', 'AbortError'))
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop)
  })

function errorReply(shape: Shape, call: Call): Response {
  if (call.kind === 'token' && shape.protocol === 'oauth2') return tokenError(shape, call, 'invalid_grant')
  if (shape.protocol === 'oauth1') return textReply(401, 'Could not authenticate you.')
  return jsonReply(call.kind === 'token' ? 400 : 403, {
    error: 'temporarily_unavailable',
    error_description: 'Emulated.',
  })
}

/** Returns the response of a fault that replaces the call; `null` when it only modifies the response. */
async function faultReply(
  fault: Fault | null,
  shape: Shape,
  call: Call,
  signal: AbortSignal,
): Promise<Response | null> {
  switch (fault) {
    case 'hang':
      return hang(signal)
    case 'reset':
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
      })
    case 'status_500':
      return new Response('<html><body>Internal Server Error</body></html>', {
        status: 500,
        headers: { 'content-type': 'text/html' },
      })
    case 'malformed':
      return new Response('{"access_token": "cut o', { status: 200, headers: { 'content-type': 'application/json' } })
    case 'error':
      return call.kind === 'authorize' ? null : errorReply(shape, call)
    default:
      return null
  }
}
