import { type AuthenticationEvents, trackAuthentication } from './authentication.ts'
import type { OperationName, Operations } from './operations.ts'
import { type AnyAnswer, type Fetch, isReading, methods, send, type Transport } from './transport.ts'

/** A client of the JSON API for pages of the same site, which uses cookies. */
export interface BrowserClient extends Operations<'browser'>, AuthenticationEvents {
  /**
   * Returns the token to send as `X-CSRFToken` with the page's own state-changing requests. Requests one from the
   * server if there's none.
   */
  csrfToken(): Promise<string>
}

/** Options of `browserClient`. */
export interface BrowserClientOptions {
  /** URL of the API, e.g. `/_allauth`, or an absolute URL on another host of the same site. */
  readonly baseUrl: string
  readonly fetch?: Fetch
  /** Returns the value of `document.cookie`, for environments without a document. */
  readonly readCookies?: () => string
}

/** Creates a client of the JSON API for pages. */
export function browserClient({ baseUrl, fetch, readCookies = documentCookies }: BrowserClientOptions): BrowserClient {
  const transport: Transport = { client: 'browser', baseUrl, fetch }
  const tracker = trackAuthentication()
  let fetching: Promise<unknown> | null = null
  const csrfToken = async (): Promise<string> => {
    const known = csrfCookie(readCookies())
    if (known !== '') return known
    fetching ??= send(transport, 'getConfig', undefined, {}).finally(() => {
      fetching = null
    })
    await fetching
    return csrfCookie(readCookies())
  }
  const call = async (name: OperationName, input?: Readonly<Record<string, unknown>>): Promise<AnyAnswer> => {
    const headers: Record<string, string> = isReading(name) ? {} : { 'X-CSRFToken': await csrfToken() }
    const report = tracker.begin(name)
    const answer = await send(transport, name, input, headers)
    report(answer)
    return answer
  }
  const { authentication, onChange } = tracker
  return { ...methods('browser', call), authentication, onChange, csrfToken }
}

const csrfCookie = (cookies: string): string => /(?:^|;\s*)csrftoken=([^;]*)/.exec(cookies)?.[1] ?? ''

/** Returns the page's cookies. Avoids DOM types, which not every environment has. */
function documentCookies(): string {
  const { document } = globalThis as { readonly document?: { readonly cookie: string } } // exists in pages
  return document?.cookie ?? ''
}

/** The input of `redirectToProvider`. */
export interface ProviderRedirect {
  /** The client's `baseUrl`, e.g. `/_allauth`. */
  readonly baseUrl: string
  /** A provider ID from the flow `provider_redirect`. */
  readonly provider: string
  /** Front-end page that the visitor returns to, which should call `getSession`. */
  readonly callbackUrl: string
  readonly process: 'login' | 'connect'
  /** The result of the client's `csrfToken()`. */
  readonly csrfToken: string
}

interface Element {
  append(child: Element): void
  submit(): void
}
interface Page {
  readonly body: Element
  createElement(name: string): Element
}

/** Navigates to a provider. Submits a form, since the response is a redirect. */
export function redirectToProvider({ baseUrl, provider, callbackUrl, process, csrfToken }: ProviderRedirect): void {
  const { document } = globalThis as unknown as { readonly document: Page } // called in a page
  const action = `${baseUrl.replace(/\/+$/, '')}/browser/v1/auth/provider/redirect`
  const form = Object.assign(document.createElement('form'), { method: 'post', action, hidden: true })
  const fields = { provider, callback_url: callbackUrl, process, csrfmiddlewaretoken: csrfToken }
  for (const [name, value] of Object.entries(fields)) {
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
  }
  document.body.append(form)
  form.submit()
}
