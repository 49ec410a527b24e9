import type { ClientName, OperationName, Operations } from './operations.ts'
import { type Route, ROUTES } from './routes.ts'

/** The platform's `fetch` or a compatible function. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** An API response of any operation. */
export interface AnyAnswer {
  readonly status: number
  readonly data?: unknown
  readonly meta?: Readonly<Record<string, unknown>>
}

/** How operations are sent. */
export interface Transport {
  readonly client: ClientName
  /** URL of the API, e.g. `https://id.example.org/_allauth`. */
  readonly baseUrl: string
  readonly fetch: Fetch | undefined
}

/** Returns whether an operation changes nothing and so may be sent twice. */
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

/** The statuses that the API uses. Any other comes from a failed server or a proxy. */
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
    return undefined // not JSON, such as an HTML page
  }
}

const isAnswer = (body: unknown): body is AnyAnswer => typeof body === 'object' && body !== null && 'status' in body

type Input = Readonly<Record<string, unknown>> | undefined

/** Returns the headers of an operation. Replaces invalid characters, which no valid key has. */
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

/** Returns the operations of a kind of client as methods, which invoke `call`. */
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
  return all as Operations<Client> // these types describe the responses
}

/**
 * There was no response from the API. `unreachable`: the request failed, and may or may not have taken effect.
 * `unexpected_answer`: the response isn't the API's, but an HTML page or one from a failed server or a proxy; in a
 * browser, 403 means that the CSRF token is missing.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly code: 'unreachable' | 'unexpected_answer'
  /** The HTTP status, or `null` if there was no response. */
  readonly status: number | null
  constructor(code: 'unreachable' | 'unexpected_answer', status: number | null, options?: ErrorOptions) {
    super(
      status === null ? "Couldn't reach the server." : `The server's response wasn't from its API (status ${status}).`,
      options,
    )
    this.code = code
    this.status = status
  }
}
