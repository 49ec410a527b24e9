import { browserClient, type BrowserClient, type Flow } from '@gatepost/auth/client'
import { type ErrorCode, type Operations, PER_ACCOUNT, ROUTES } from './gateway-api.ts'
import { viewedAccount } from './viewed-account.ts'

/** Returns the absolute URL of a path of the service, e.g. `api/channels`. Works under any prefix a proxy adds. */
export const serviceUrl = (path: string): string => new URL(path, document.baseURI).href

/** Returns the path of the console's pages, without a trailing slash. */
export const consolePath = (): string => new URL('console', document.baseURI).pathname

/** Returns the URL of the JSON API of accounts. */
export const accountsUrl = (): string => serviceUrl('_allauth')

let createdClient: BrowserClient | undefined

/** Returns the client of the JSON API of accounts. Cookies carry the session; messages come in the page's language. */
export function accountClient(): BrowserClient {
  createdClient ??= browserClient({
    baseUrl: accountsUrl(),
    fetch: (url, init) =>
      fetch(url, {
        ...init,
        headers: [...new Headers(init.headers), ['accept-language', document.documentElement.lang]],
      }),
  })
  return createdClient
}

/**
 * Why a call failed.
 * `no_answer`: the service can't be reached. `unreadable`: something other than the service responded.
 * `rate_limited`: too many requests to the API of accounts.
 */
export type FailureCode = ErrorCode | 'no_answer' | 'unreadable' | 'rate_limited'

/** An error response of the service, or the failure to get a response. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** Stable. After an update of the service it may be one this page doesn't know. */
  readonly code: FailureCode
  /** HTTP status; 0 if there was no response. */
  readonly status: number
  /** Identifies the request in the service's log. */
  readonly requestId: string | null
  /** Seconds to wait before retrying. */
  readonly retryAfter: number | null
  /** The API name of the field that caused the error. */
  readonly field: string | null
  /** With `reauthentication_required`: the ways to confirm who the person is. */
  readonly flows: readonly Flow[]

  /** @param message The service's message, in English. */
  constructor(
    code: FailureCode,
    message: string,
    details: {
      readonly status?: number
      readonly requestId?: string | null
      readonly retryAfter?: number | null
      readonly field?: string | null
      readonly flows?: readonly Flow[]
    } = {},
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.code = code
    this.status = details.status ?? 0
    this.requestId = details.requestId ?? null
    this.retryAfter = details.retryAfter ?? null
    this.field = details.field ?? null
    this.flows = details.flows ?? []
  }
}

/** Converts an unsuccessful response to an error. */
async function toApiError(response: Response): Promise<ApiError> {
  const { status, headers } = response
  const retry = Number(headers.get('retry-after') ?? Number.NaN)
  const details = { status, requestId: headers.get('x-request-id'), retryAfter: Number.isFinite(retry) ? retry : null }
  const body: unknown = await response.json().catch(() => null) // a proxy may return anything; handled below
  const isServiceError = typeof body === 'object' && body !== null && 'code' in body && 'error' in body
  if (!isServiceError) return new ApiError('unreadable', `Unexpected response (HTTP ${status}).`, details)
  const field = 'field' in body && typeof body.field === 'string' ? body.field : null
  const flows = 'flows' in body && Array.isArray(body.flows) ? (body.flows as readonly Flow[]) : [] // as in the API of accounts
  return new ApiError(body.code as ErrorCode, String(body.error), { ...details, field, flows }) // the service's codes are those of the type
}

/** The name of an operation that returns a single response rather than a stream. */
export type CallName = {
  [N in keyof Operations]: Operations[N] extends { readonly answer: unknown } ? N : never
}[keyof Operations]
/** The name of an operation that streams events. */
export type StreamName = Exclude<keyof Operations, CallName>

/** The input of an operation. */
export type CallInput<N extends keyof Operations> = (Operations[N]['params'] extends Readonly<Record<never, never>>
  ? keyof Operations[N]['params'] extends never
    ? { readonly params?: undefined }
    : { readonly params: Operations[N]['params'] }
  : never) & { readonly query?: Operations[N]['query'] } & (undefined extends Operations[N]['body']
    ? { readonly body?: Operations[N]['body'] }
    : { readonly body: Operations[N]['body'] })

/** The response of an operation. */
export type Answer<N extends CallName> = Operations[N]['answer']

/** The input as an argument, optional where the operation needs none. */
export type OptionalInput<N extends keyof Operations> =
  Record<never, never> extends CallInput<N> ? readonly [input?: CallInput<N>] : readonly [input: CallInput<N>]

/** Builds a request's method, headers (with the CSRF token), and body. */
async function buildRequest(
  name: keyof Operations,
  body: unknown,
): Promise<{ method: string; headers: Record<string, string>; body?: string }> {
  const [method] = ROUTES[name]
  return {
    method,
    headers: {
      ...(method !== 'GET' && { 'x-csrftoken': await accountClient().csrfToken() }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }
}

interface AnyInput {
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly body?: unknown
}

/** Returns the URL of a call, including the account that staff are viewing. */
export function callUrl(name: keyof Operations, { params = {}, query = {} }: AnyInput): string {
  const [, path] = ROUTES[name]
  const url = new URL(
    serviceUrl(path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key] ?? ''))),
  )
  const account = PER_ACCOUNT.has(name) ? viewedAccount() : null
  for (const [key, value] of Object.entries({ ...(account !== null && { account }), ...query })) {
    if (value !== undefined && value !== '') url.searchParams.set(key, String(value))
  }
  return url.href
}

/** Sends a request and returns the response with its body unread, for streams. @throws {ApiError} */
export async function sendRequest<N extends keyof Operations>(
  name: N,
  input: CallInput<N>,
  init: {
    readonly signal?: AbortSignal
    readonly headers?: Readonly<Record<string, string>>
    /** Completes even if the page is closed. */
    readonly keepalive?: boolean
  } = {},
): Promise<Response> {
  const { params, query, body } = input as AnyInput // every operation's input has this shape
  let response: Response
  try {
    const request = await buildRequest(name, body)
    response = await fetch(callUrl(name, { params, query }), {
      ...request,
      ...init,
      headers: { ...request.headers, ...init.headers },
    })
  } catch (cause) {
    if (init.signal?.aborted === true) throw cause
    throw new ApiError('no_answer', "Couldn't reach the service.", {}, { cause })
  }
  if (!response.ok) throw await toApiError(response)
  return response
}

/** Asks the person to confirm who they are in one of these flows. @returns whether they did */
export type Reauthenticate = (flows: readonly Flow[]) => Promise<boolean>

let askToReauthenticate: Reauthenticate | null = null

/** Sets what `call` does when the service requires recent sign-in. @returns a function that undoes it */
export function onReauthenticationRequired(ask: Reauthenticate): () => void {
  askToReauthenticate = ask
  return () => {
    if (askToReauthenticate === ask) askToReauthenticate = null
  }
}

/** Returns whether a failed call may be repeated, because the person has confirmed who they are meanwhile. */
const hasReauthenticated = async (error: unknown): Promise<boolean> =>
  error instanceof ApiError &&
  error.code === 'reauthentication_required' &&
  (await askToReauthenticate?.(error.flows)) === true

/** Calls an operation of the service, again after a reauthentication if it requires one. @throws {ApiError} */
export async function call<N extends CallName>(name: N, input: CallInput<N>, signal?: AbortSignal): Promise<Answer<N>> {
  let response: Response
  try {
    response = await sendRequest(name, input, signal === undefined ? {} : { signal })
  } catch (error) {
    if (await hasReauthenticated(error)) return call(name, input, signal)
    throw error
  }
  try {
    return (await response.json()) as Answer<N> // the type is generated from the service's schema
  } catch (cause) {
    throw new ApiError('unreadable', "Couldn't read the response.", { status: response.status }, { cause })
  }
}

/** Reports whether the service is reachable. */
export async function isReachable(signal: AbortSignal): Promise<boolean> {
  try {
    await call('getService', {}, signal)
    return true
  } catch (error) {
    return error instanceof ApiError && error.code !== 'unreadable' && error.status > 0 && error.status < 500
  }
}

/** The events of a stream. */
type StreamEvent<N extends StreamName> = Operations[N] extends { readonly event: infer E } ? E : never

/**
 * Yields the events of a streamed response, each as soon as it is complete. Skips comments and empty events.
 * @throws {ApiError} `no_answer` when the connection breaks
 */
export async function* readEvents<N extends StreamName>(_name: N, response: Response): AsyncGenerator<StreamEvent<N>> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of readChunks(response)) {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = parseData(block)
      if (data !== '') yield JSON.parse(data) as StreamEvent<N> // the type is generated from the service's schema
    }
  }
}

const parseData = (block: string): string =>
  block
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n')

async function* readChunks({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
        throw new ApiError('no_answer', 'The connection was lost.', {}, { cause })
      })
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined) // already ended
  }
}
