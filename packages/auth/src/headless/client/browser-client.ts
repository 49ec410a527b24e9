import { type AuthenticationEvents, trackAuthentication } from './authentication.ts'
import type { OperationName, Operations } from './operations.ts'
import { type AnyAnswer, type Fetch, isReading, methods, send, type Transport } from './transport.ts'

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

/** Where a sign-in with a provider begins and comes back to. */
export interface ProviderRedirect {
  /** As of the client, e.g. `/_allauth`. */
  readonly baseUrl: string
  /** Id of the provider, of the flow `provider_redirect`. */
  readonly provider: string
  /** Page of the front end that the visitor comes back to; it then asks for the session. */
  readonly callbackUrl: string
  readonly process: 'login' | 'connect'
  /** Of `csrfToken()` of the client. */
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
