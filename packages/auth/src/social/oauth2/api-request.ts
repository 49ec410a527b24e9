import { readAppOption } from '../apps/app-options.ts'
import { type ExchangeCall, ProviderError } from '../exchange.ts'

/** What providers know us by; some refuse requests without a name. An app or the settings may have another. */
const USER_AGENT = 'gatepost'

/** What a request to a provider is made of. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly url: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
  readonly json?: unknown
}

/** A request with our name that asks for JSON. @throws {ProviderError} `unknown` for a header or address that cannot be */
export function apiRequest(call: ExchangeCall, parts: ApiRequest, what: string): Request {
  const agent = readAppOption(call.app, 'user_agent')
  const url = URL.parse(parts.url)
  if (url === null) throw new ProviderError('unknown', `${what} has no address`)
  // Appended as text: `url.searchParams` would re-encode the rest of the query.
  const query = new URLSearchParams(parts.query).toString()
  if (query !== '') url.search = [url.search.slice(1), query].filter((part) => part !== '').join('&')
  const body = parts.json === undefined ? parts.form && new URLSearchParams(parts.form) : JSON.stringify(parts.json)
  const made = attempt(
    () =>
      new Request(url, {
        method: parts.method,
        headers: {
          accept: 'application/json',
          'user-agent': typeof agent === 'string' && agent !== '' ? agent : USER_AGENT,
          ...(parts.json !== undefined && { 'content-type': 'application/json' }),
          ...parts.headers,
        },
        redirect: 'manual',
        ...(body !== undefined && { body }),
      }),
  )
  if (made === null) throw new ProviderError('unknown', `${what} cannot be made: a value is no header`)
  return made
}

/** `null`: it threw; the error would quote the token. */
function attempt<T>(make: () => T): T | null {
  try {
    return make()
  } catch {
    return null
  }
}
