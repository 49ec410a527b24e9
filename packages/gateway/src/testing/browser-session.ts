/** A page, or an answer of the API, as a browser got it. */
export interface Visited {
  readonly status: number
  readonly headers: Headers
  /** Where a redirect leads, as it was written. */
  readonly location: string | null
  readonly text: string
  /** Parsed. */
  json(): unknown
}

/** Sends requests as a browser does: it keeps cookies, and follows no redirect by itself. */
export interface BrowserSession {
  readonly cookies: Map<string, string>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Visited>
  /** A form of a page, with the CSRF token that the page would hold. */
  submit(path: string, fields?: Readonly<Record<string, string>>): Promise<Visited>
  /** What a script of a page does: JSON, with the CSRF header. */
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Visited>
}

/** @param base Address of the server; paths may also be whole addresses. */
export function browserSession(base: string): BrowserSession {
  const cookies = new Map<string, string>()
  async function visit(path: string, init: RequestInit): Promise<Visited> {
    const headers = new Headers(init.headers)
    if (cookies.size > 0) headers.set('cookie', [...cookies].map((pair) => pair.join('=')).join('; '))
    const response = await fetch(new URL(path, base), { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) keep(cookies, line)
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get('location'),
      text,
      json: (): unknown => JSON.parse(text),
    }
  }
  const csrf = async (): Promise<string> => {
    if (!cookies.has('csrftoken')) await visit('/accounts/login/', {})
    return cookies.get('csrftoken') ?? ''
  }
  return {
    cookies,
    get: (path, headers = {}) => visit(path, { headers }),
    async submit(path, fields = {}) {
      const body = new URLSearchParams({ csrfmiddlewaretoken: await csrf(), ...fields })
      return visit(path, { method: 'POST', body })
    },
    async call(method, path, body, headers = {}) {
      const sent = { 'content-type': 'application/json', 'x-csrftoken': await csrf(), ...headers }
      return visit(path, { method, headers: sent, ...(body !== undefined && { body: JSON.stringify(body) }) })
    },
  }
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split('; ')
  const at = pair.indexOf('=')
  if (attributes.includes('Max-Age=0')) cookies.delete(pair.slice(0, at))
  else cookies.set(pair.slice(0, at), pair.slice(at + 1))
}
