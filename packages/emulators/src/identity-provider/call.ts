import { isRecord, parseJson } from '../kit/body.ts'
import { pathOf, type Route } from './routes.ts'
import type { Call } from './shape.ts'

/** Members of a JSON object as the texts they stand for. */
function jsonMembers(body: string): URLSearchParams {
  const value = parseJson(body)
  const form = new URLSearchParams()
  for (const [name, member] of Object.entries(isRecord(value) ? value : {})) {
    form.set(name, typeof member === 'string' ? member : JSON.stringify(member))
  }
  return form
}

/** Which of several a request means: two steps at one address (Evernote), or two protocols (Tumblr). */
function choose(routes: readonly [Route, ...Route[]], request: Request, body: string): Route {
  const authorization = request.headers.get('authorization') ?? ''
  const said = `${authorization} ${request.url} ${body}`
  const isSigned = /^OAuth .*oauth_consumer_key=/is.test(authorization)
  const isLastStep = said.includes('oauth_verifier')
  const fitting = routes.filter((route) => route.isSigned === isSigned)
  const [first = routes[0]] = fitting
  return first.kind === 'request_token' && isLastStep ? (fitting.find(({ kind }) => kind === 'token') ?? first) : first
}

/** Reads a request that goes to one of `routes`. */
export async function readCall(
  request: Request,
  routes: readonly [Route, ...Route[]],
  url: URL,
  atOf: (provider: string) => (real: string) => string,
): Promise<Call> {
  const body = await request.text()
  const type = request.headers.get('content-type') ?? ''
  const isJson = /^application\/json\b/i.test(type)
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type)
  const route = choose(routes, request, body)
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
    path: pathOf(route, url),
    address: template,
    at: atOf(provider),
  }
}
