import { type AuthenticationEvents, trackAuthentication } from './authentication.ts'
import { methods } from './methods.ts'
import type { OperationName, Operations } from './operations.ts'
import { type AnyAnswer, type Fetch, isReading, send, type Transport } from './transport.ts'

/** The JSON API for a page of the same site: cookies hold the session. */
export interface BrowserClient extends Operations<'browser'>, AuthenticationEvents {
  /** What a state-changing request of the page's own sends as `X-CSRFToken`. Asks the server for a first one. */
  csrfToken(): Promise<string>
}

/** Where the API is. */
export interface BrowserClientOptions {
  /** E.g. `/_allauth`, or with the origin of another host of the same site. */
  readonly baseUrl: string
  readonly fetch?: Fetch
  /** Returns the value of `document.cookie`, for environments without a document. */
  readonly readCookies?: () => string
}

/** A client of a page. */
export function browserClient({ baseUrl, fetch, readCookies = documentCookies }: BrowserClientOptions): BrowserClient {
  const transport: Transport = { client: 'browser', baseUrl, fetch }
  const tracker = trackAuthentication()
  let asking: Promise<unknown> | null = null
  const csrfToken = async (): Promise<string> => {
    const known = csrfCookie(readCookies())
    if (known !== '') return known
    asking ??= send(transport, 'getConfig', undefined, {}).finally(() => {
      asking = null
    })
    await asking
    return csrfCookie(readCookies())
  }
  const call = async (name: OperationName, input?: Readonly<Record<string, unknown>>): Promise<AnyAnswer> => {
    const headers: Record<string, string> = isReading(name) ? {} : { 'X-CSRFToken': await csrfToken() }
    const heard = tracker.begin(name)
    const answer = await send(transport, name, input, headers)
    heard(answer)
    return answer
  }
  const { authentication, onChange } = tracker
  return { ...methods('browser', call), authentication, onChange, csrfToken }
}

const csrfCookie = (cookies: string): string => /(?:^|;\s*)csrftoken=([^;]*)/.exec(cookies)?.[1] ?? ''

/** A page's cookies: not all that run this have the types of a page. */
function documentCookies(): string {
  const { document } = globalThis as { readonly document?: { readonly cookie: string } } // the page's own, if there is one
  return document?.cookie ?? ''
}
