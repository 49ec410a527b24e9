import type { Auth } from '../auth.ts'
import type { ApiClient, ApiMethod } from '../kernel/operations/declaration.ts'
import { cookieJar } from './cookie-jar.ts'

/** A response of the JSON API. */
export interface ApiAnswered {
  readonly status: number
  readonly headers: Headers
  /** The parsed body; the text itself if it isn't JSON; `null` if it's empty. */
  readonly body: unknown
}

/** A client of the JSON API that keeps its cookies, or its session token. Paths are below `{client}/v1/`. */
export interface ApiVisitor {
  readonly client: ApiClient
  readonly cookies: Map<string, string>
  /** An app's latest session token. Set it to send another one. */
  sessionToken: string | null
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<ApiAnswered>
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiAnswered>
  put(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiAnswered>
  patch(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiAnswered>
  delete(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiAnswered>
  /** Sends a request. A path with a leading slash isn't below `{client}/v1/`. A text body is sent as is. */
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiAnswered>
}

/** A function called with every response, e.g. to compare it with the API description. */
export type AnswerCheck = (answer: {
  readonly client: ApiClient
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body: unknown
}) => Promise<void> | void

/** Creates a client. @param check Called with every response to a path of the API. */
export function apiVisitor(
  auth: Auth,
  origin: string,
  client: ApiClient,
  as: { readonly ip?: string; readonly language?: string; readonly userAgent?: string } = {},
  check: AnswerCheck = () => {},
): ApiVisitor {
  const jar = cookieJar()
  const mount = `${auth.settings.headless.path}${client}/v1/`

  const send: ApiVisitor['send'] = async (method, path, body, extra = {}) => {
    if (client === 'browser' && method !== 'GET' && !jar.cookies.has('csrftoken')) await send('GET', 'config')
    const headers = new Headers({ 'user-agent': as.userAgent ?? 'TestApp/1.0', host: new URL(origin).host })
    if (as.language !== undefined) headers.set('accept-language', as.language)
    if (client === 'browser') {
      if (jar.cookies.size > 0) headers.set('cookie', jar.header())
      if (method !== 'GET') headers.set('x-csrftoken', jar.cookies.get('csrftoken') ?? '')
    } else if (visitor.sessionToken !== null) headers.set('x-session-token', visitor.sessionToken)
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    if (text !== undefined) headers.set('content-type', 'application/json')
    for (const [name, value] of Object.entries(extra)) headers.set(name, value)
    const url = new URL(path.startsWith('/') ? path : `${mount}${path}`, origin)
    const init = { method, headers, redirect: 'manual' as const, ...(text !== undefined && { body: text }) }
    const response = await auth.fetch(new Request(url, init), { remoteAddress: as.ip ?? '192.0.2.1' })
    jar.keep(response.headers)
    const answered = {
      status: response.status,
      headers: response.headers,
      body: parseResponseBody(await response.text()),
    }
    keepToken(visitor, answered.body)
    await check({ client, method, path, status: answered.status, body: answered.body })
    return answered
  }
  const sending =
    (method: ApiMethod): ApiVisitor['post'] =>
    (path, body, headers) =>
      send(method, path, body, headers)
  const visitor: ApiVisitor = {
    client,
    cookies: jar.cookies,
    sessionToken: null,
    get: (path, headers) => send('GET', path, undefined, headers),
    post: sending('POST'),
    put: sending('PUT'),
    patch: sending('PATCH'),
    delete: sending('DELETE'),
    send,
  }
  return visitor
}

/** Returns the value of JSON, `null` for an empty body, and any other text as it is. */
export function parseResponseBody(text: string): unknown {
  if (text === '') return null
  try {
    const parsed: unknown = JSON.parse(text)
    return parsed
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

function keepToken(visitor: ApiVisitor, body: unknown): void {
  if (typeof body !== 'object' || body === null || !('meta' in body)) return
  const { meta } = body
  if (typeof meta !== 'object' || meta === null || !('session_token' in meta)) return
  visitor.sessionToken = String(meta.session_token)
}
