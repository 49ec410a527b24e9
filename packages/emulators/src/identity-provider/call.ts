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

/** Two steps at one address (Evernote): the second one names its token. */
function choose(route: Route, others: readonly Route[], request: Request, body: string): Route {
  const rest = others.find((other) => other.kind === 'token')
  if (rest === undefined || route.kind !== 'request_token') return route
  const said = `${request.headers.get('authorization') ?? ''} ${request.url} ${body}`
  return said.includes('oauth_verifier') ? rest : route
}

/** Reads a request that goes to `route`. */
export async function readCall(
  request: Request,
  route: Route,
  others: readonly Route[],
  url: URL,
  at: (real: string) => string,
): Promise<Call> {
  const body = await request.text()
  const type = request.headers.get('content-type') ?? ''
  const isJson = /^application\/json\b/i.test(type)
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type)
  const { provider, kind, template } = choose(route, others, request, body)
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
    at,
  }
}
