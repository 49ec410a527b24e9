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
