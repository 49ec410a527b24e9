import { accountClient } from './account-client.ts'
import { serviceUrl } from './address.ts'
import { ApiError, toApiError } from './api-error.ts'
import { type Operations, PER_ACCOUNT, ROUTES } from './gateway-api.ts'
import { viewedAccount } from './viewed-account.ts'

/** Operations that return one response; the others are streams. */
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

/** Builds the parts every request has: method, headers with the CSRF token, and body. */
async function buildRequest(
  name: keyof Operations,
  body: unknown,
): Promise<{ method: string; headers: Record<string, string>; body?: string }> {
  const [method] = ROUTES[name]
  return {
    method,
    headers: {
      ...(method !== 'GET' && { 'x-csrftoken': await accountClient.csrfToken() }),
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
export function callAddress(name: keyof Operations, { params = {}, query = {} }: AnyInput): string {
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
    response = await fetch(callAddress(name, { params, query }), {
      ...request,
      ...init,
      headers: { ...request.headers, ...init.headers },
    })
  } catch (cause) {
    if (init.signal?.aborted === true) throw cause
    throw new ApiError('no_answer', 'The service does not answer.', {}, { cause })
  }
  if (!response.ok) throw await toApiError(response)
  return response
}

/** Calls an operation of the service. @throws {ApiError} */
export async function call<N extends CallName>(name: N, input: CallInput<N>, signal?: AbortSignal): Promise<Answer<N>> {
  const response = await sendRequest(name, input, signal === undefined ? {} : { signal })
  try {
    return (await response.json()) as Answer<N> // the type is generated from the service's schema
  } catch (cause) {
    throw new ApiError('unreadable', 'The answer cannot be read.', { status: response.status }, { cause })
  }
}

/** Reports whether the service responds. */
export async function isAnswering(signal: AbortSignal): Promise<boolean> {
  try {
    await call('getService', {}, signal)
    return true
  } catch (error) {
    return error instanceof ApiError && error.code !== 'unreadable' && error.status > 0 && error.status < 500
  }
}
