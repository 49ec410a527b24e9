import type { ClientName, OperationName, Operations } from './operations.ts'
import { type Route, ROUTES } from './routes.ts'

/** `fetch` of the platform, or one that does as it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** An answer of the API, not looked into. */
export interface AnyAnswer {
  readonly status: number
  readonly data?: unknown
  readonly meta?: Readonly<Record<string, unknown>>
}

/** Where operations are sent, and how. */
export interface Transport {
  readonly client: ClientName
  /** Where the API is mounted, e.g. `https://id.example.org/_allauth`. */
  readonly baseUrl: string
  readonly fetch: Fetch | undefined
}

/** Whether an operation changes nothing, and may so be sent twice. */
export const isReading = (name: OperationName): boolean => ROUTES[name].method === 'GET'

/** Sends one operation. @throws {ClientError} */
export async function send(
  transport: Transport,
  name: OperationName,
  input: Readonly<Record<string, unknown>> | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<AnyAnswer> {
  const route: Route = ROUTES[name]
  const { method, path } = route
  const url = `${transport.baseUrl.replace(/\/+$/, '')}/${transport.client}/v1/${path}`
  const doFetch = transport.fetch ?? ((to, init) => globalThis.fetch(to, init))
  let response: Response
  let text: string
  try {
    response = await doFetch(`${url}${toQuery(route, input)}`, {
      method,
      credentials: transport.client === 'browser' ? 'include' : 'omit',
      headers: {
        accept: 'application/json',
        ...(method === 'GET' ? toHeaders(route, input) : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify(input ?? {}) }),
    })
    text = await response.text()
  } catch (cause) {
    throw new ClientError('unreachable', null, { cause })
  }
  return parseApiResponse(response, text)
}

/** Statuses that the API answers of itself; any other one is a fault of the server or on the way. */
const STATUSES: ReadonlySet<number> = new Set([200, 202, 400, 401, 403, 404, 409, 410, 429])

function parseApiResponse(response: Response, text: string): AnyAnswer {
  const { status } = response
  const body = STATUSES.has(status) ? tryParseJson(text) : undefined
  if (!isAnswer(body) || body.status !== status) throw new ClientError('unexpected_answer', status)
  if (status !== 429) return body
  const after = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Object.assign(body, { retryAfterSeconds: Number.isFinite(after) ? after : null })
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // a page: told by its status
  }
}

const isAnswer = (body: unknown): body is AnyAnswer => typeof body === 'object' && body !== null && 'status' in body

type Input = Readonly<Record<string, unknown>> | undefined

/** What a header cannot hold is no key, and is refused as any wrong one. */
const toHeaders = ({ headers = {} }: Route, input: Input): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, header]) => {
      const value = input?.[name]
      return typeof value === 'string' ? [[header, value.replace(/[^!-~]/g, '?')]] : []
    }),
  )

function toQuery({ query = [] }: Route, input: Input): string {
  const present = query.filter((name) => input?.[name] === true)
  return present.length > 0 ? `?${present.join('&')}` : ''
}

/** Returns every operation that a kind of client has as a method, all of which `call` does. */
export function methods<Client extends ClientName>(
  client: Client,
  call: (name: OperationName, input?: Readonly<Record<string, unknown>>) => Promise<AnyAnswer>,
): Operations<Client> {
  const names = Object.entries<Route>(ROUTES).flatMap(
    ([name, route]) => (route.client === undefined || route.client === client ? [name as OperationName] : []), // the table has these names
  )
  const all: unknown = Object.fromEntries(
    names.map((name) => [name, (input?: Readonly<Record<string, unknown>>) => call(name, input)]),
  )
  return all as Operations<Client> // what answers is described by these types
}

/**
 * No answer of the API came. `unreachable`: the request failed on its way, and may or may not have had its effect.
 * `unexpected_answer`: something else answered (a page, an error of the server, a proxy) with this `status`; 403 in a
 * browser is a missing CSRF token.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly code: 'unreachable' | 'unexpected_answer'
  /** Status of HTTP; `null`: there was no answer. */
  readonly status: number | null
  constructor(code: 'unreachable' | 'unexpected_answer', status: number | null, options?: ErrorOptions) {
    super(status === null ? 'The server cannot be reached.' : `The server answered ${status}, not as its API.`, options)
    this.code = code
    this.status = status
  }
}
