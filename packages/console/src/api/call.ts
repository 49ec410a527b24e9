import { accountClient } from './account-client.ts'
import { address } from './address.ts'
import { ApiError, errorOfAnswer } from './api-error.ts'
import { type Operations, PER_ACCOUNT, ROUTES } from './gateway-api.ts'
import { viewedAccount } from './viewed-account.ts'

/** Operations that answer once; the others are streams. */
export type CallName = {
  [N in keyof Operations]: Operations[N] extends { readonly answer: unknown } ? N : never
}[keyof Operations]
/** The name of an operation that streams events. */
export type StreamName = Exclude<keyof Operations, CallName>

/** What an operation is given. */
export type CallInput<N extends keyof Operations> = (Operations[N]['params'] extends Readonly<Record<never, never>>
  ? keyof Operations[N]['params'] extends never
    ? { readonly params?: undefined }
    : { readonly params: Operations[N]['params'] }
  : never) & { readonly query?: Operations[N]['query'] } & (undefined extends Operations[N]['body']
    ? { readonly body?: Operations[N]['body'] }
    : { readonly body: Operations[N]['body'] })

/** What an operation answers. */
export type Answer<N extends CallName> = Operations[N]['answer']

/** What an operation that needs nothing may leave out. */
export type MaybeInput<N extends keyof Operations> =
  Record<never, never> extends CallInput<N> ? readonly [input?: CallInput<N>] : readonly [input: CallInput<N>]

/** Headers that every call of the service carries: `method`, content, proof that a page of ours asks. */
async function requestOf(
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

/** The address of a call, the account that staff look at included. */
export function callAddress(name: keyof Operations, { params = {}, query = {} }: AnyInput): string {
  const [, path] = ROUTES[name]
  const url = new URL(address(path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key] ?? ''))))
  const account = PER_ACCOUNT.has(name) ? viewedAccount() : null
  for (const [key, value] of Object.entries({ ...(account !== null && { account }), ...query })) {
    if (value !== undefined && value !== '') url.searchParams.set(key, String(value))
  }
  return url.href
}

/** Sends a call and hands out its answer unread, for streams. @throws {ApiError} */
export async function send<N extends keyof Operations>(
  name: N,
  input: CallInput<N>,
  init: {
    readonly signal?: AbortSignal
    readonly headers?: Readonly<Record<string, string>>
    /** Goes on although the page ends. */
    readonly keepalive?: boolean
  } = {},
): Promise<Response> {
  const { params, query, body } = input as AnyInput // every operation's input is one
  let response: Response
  try {
    const request = await requestOf(name, body)
    response = await fetch(callAddress(name, { params, query }), {
      ...request,
      ...init,
      headers: { ...request.headers, ...init.headers },
    })
  } catch (cause) {
    if (init.signal?.aborted === true) throw cause
    throw new ApiError('no_answer', 'The service does not answer.', {}, { cause })
  }
  if (!response.ok) throw await errorOfAnswer(response)
  return response
}

/** Calls an operation of the service. @throws {ApiError} */
export async function call<N extends CallName>(name: N, input: CallInput<N>, signal?: AbortSignal): Promise<Answer<N>> {
  const response = await send(name, input, signal === undefined ? {} : { signal })
  try {
    return (await response.json()) as Answer<N> // the service answers by the schema that the type is made from
  } catch (cause) {
    throw new ApiError('unreadable', 'The answer cannot be read.', { status: response.status }, { cause })
  }
}

/** Whether the service answers at all. */
export async function isAnswering(signal: AbortSignal): Promise<boolean> {
  try {
    await call('getService', {}, signal)
    return true
  } catch (error) {
    return error instanceof ApiError && error.code !== 'unreadable' && error.status > 0 && error.status < 500
  }
}
