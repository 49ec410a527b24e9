import { type ApiError as Refusal, ClientError, type Flow } from '@gatepost/auth/client'
import { type QueryClient, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { accountClient, ApiError } from '../../api/client.ts'

/** Queries of the account pages. None returns secrets: those come from actions only and are never cached. */
const QUERIES = {
  config: async () => (await callAccountApi(() => accountClient().getConfig())).data,
  /** The session with the methods used to sign in. */
  session: async () => (await callAccountApi(() => accountClient().getSession())).data,
  /** `null`: this service has no email addresses, since people only use social login. */
  emails: () => nullIfNotFound(async () => (await callAccountApi(() => accountClient().listEmails())).data),
  factors: async () => (await callAccountApi(() => accountClient().listAuthenticators())).data,
  sessions: async () => (await callAccountApi(() => accountClient().listSessions())).data,
  providers: async () => (await callAccountApi(() => accountClient().listProviders())).data,
} as const

type AccountQueryName = keyof typeof QUERIES
/** The data of a query. */
export type AccountData<N extends AccountQueryName> = Awaited<ReturnType<(typeof QUERIES)[N]>>

async function nullIfNotFound<D>(read: () => Promise<D>): Promise<D | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

const accountQueryKey = (name: AccountQueryName): readonly unknown[] => ['account', name]
/** Data that a link opened from an email changes in another tab, so it is refetched on focus. */
const FRESH: ReadonlySet<AccountQueryName> = new Set<AccountQueryName>(['emails', 'session'])

/** Returns data of the account, cached and shared within the page. */
export function useAccountQuery<N extends AccountQueryName>(name: N, when = true): UseQueryResult<AccountData<N>> {
  return useQuery({
    queryKey: accountQueryKey(name),
    queryFn: QUERIES[name] as () => Promise<AccountData<N>>, // the query of this name
    enabled: when,
    ...(FRESH.has(name) && { staleTime: 0 }),
  })
}

/** Stores the data an action returned. */
export const setAccountQuery = <N extends AccountQueryName>(
  client: QueryClient,
  name: N,
  answer: AccountData<N>,
): void => void client.setQueryData(accountQueryKey(name), answer)

/** Refetches the data an action has changed. */
export const refreshAccountQueries = (client: QueryClient, ...names: readonly AccountQueryName[]): Promise<unknown> =>
  Promise.all(names.map((name) => client.invalidateQueries({ queryKey: accountQueryKey(name) })))

/** Thrown when the service rejects the input. Has a reason for each field. */
export class InputRejected extends Error {
  override readonly name = 'InputRejected'
  readonly refusals: readonly Refusal[]
  constructor(refusals: readonly Refusal[]) {
    super(refusals.map(({ code }) => code).join(', '))
    this.refusals = refusals
  }
}

/** Thrown when the person must reauthenticate in one of these flows before the request can be repeated. */
export class ReauthenticationRequired extends Error {
  override readonly name = 'ReauthenticationRequired'
  readonly flows: readonly Flow[]
  constructor(flows: readonly Flow[]) {
    super('Reauthentication is required.')
    this.flows = flows
  }
}

/** Thrown when the person cancels the reauthentication. Nothing was changed. */
export class ConfirmationCanceled extends Error {
  override readonly name = 'ConfirmationCanceled'
}

/** The parts of a response that describe a failure. */
interface AnyResponse {
  readonly status: number
  readonly errors?: readonly Refusal[]
  readonly data?: unknown
  readonly meta?: { readonly is_authenticated?: boolean }
  readonly retryAfterSeconds?: number | null
}

/**
 * Returns the response of an operation if its status is 200 or one of `also`.
 * @throws {InputRejected} @throws {ReauthenticationRequired} @throws {ApiError} for everything else
 */
export async function callAccountApi<A extends { readonly status: number }, S extends A['status'] = never>(
  work: () => Promise<A>,
  also: readonly S[] = [],
): Promise<Extract<A, { readonly status: 200 | S }>> {
  let answer: A
  try {
    answer = await work()
  } catch (error) {
    throw error instanceof ClientError ? toClientApiError(error) : error
  }
  const expected: readonly number[] = [200, ...also]
  if (!expected.includes(answer.status)) throw toProblem(answer)
  return answer as Extract<A, { readonly status: 200 | S }> // its status is one of these
}

function toProblem(answer: AnyResponse): Error {
  const { status, errors = [] } = answer
  if (errors.length > 0) return new InputRejected(errors)
  switch (status) {
    case 401:
      return answer.meta?.is_authenticated === true
        ? new ReauthenticationRequired((answer.data as { readonly flows: readonly Flow[] }).flows) // every 401 has them
        : new ApiError('unauthorized', 'Signed out.', { status })
    case 404:
      return new ApiError('not_found', 'Not found.', { status })
    case 409:
      // completed in another tab, or out of attempts
      return new InputRejected([
        { code: 'step_over', message: 'This step has expired or was already completed. Start over.' },
      ])
    case 429:
      return new ApiError('rate_limited', 'Too many requests.', {
        status,
        retryAfter: answer.retryAfterSeconds ?? null,
      })
    default:
      return new ApiError('scope_missing', "You don't have permission to do this.", { status })
  }
}

function toClientApiError(cause: ClientError): ApiError {
  const { status } = cause
  if (status === null) return new ApiError('no_answer', cause.message, {}, { cause })
  if (status === 403) return new ApiError('csrf_failed', cause.message, { status }, { cause })
  if (status >= 500)
    return new ApiError('internal_error', 'Something went wrong in Gatepost. Try again.', { status }, { cause })
  return new ApiError('unreadable', cause.message, { status }, { cause })
}

/** Codes by the browser's error name. @see W3C, "Web Authentication" Level 3, 5.1.3 and 5.1.4 */
const PASSKEY_CODES: Readonly<Record<string, string>> = {
  NotAllowedError: 'passkey_given_up',
  AbortError: 'passkey_given_up',
  InvalidStateError: 'passkey_known',
  SecurityError: 'passkey_wrong_host',
  NotSupportedError: 'passkey_unsupported',
  TypeError: 'passkey_unsupported',
}

/** Requests a passkey from the browser. @throws {InputRejected} with one of the codes above */
export async function requestPasskey<C>(request: () => Promise<C>): Promise<C> {
  try {
    return await request()
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    const code = PASSKEY_CODES[name] ?? 'passkey_failed'
    throw new InputRejected([{ code, message: name }])
  }
}

/** Returns why passkeys don't work at a host, or `null` if they do. */
export function findPasskeyObstacle(hostname: string, isSecure: boolean): 'ip_address' | 'insecure' | null {
  // passkeys are bound to domain names, not IP addresses
  if (/^[\d.]+$/.test(hostname) || hostname.startsWith('[')) return 'ip_address'
  return isSecure ? null : 'insecure'
}

/** Returns the URL with `localhost` instead of a loopback address; `null` for other hosts. */
export function toLocalhostUrl(href: string): string | null {
  const url = new URL(href)
  if (!/^127\.|^\[::1\]$/.test(url.hostname)) return null
  url.hostname = 'localhost'
  return url.href
}
