/** What a server answered. */
export interface Got {
  readonly status: number
  /** Path and query when a redirect stays here. */
  readonly location: string | null
  readonly headers: Headers
  readonly text: string
}

/** A browser over real sockets: it keeps cookies and sends forms; it does not follow redirects by itself. */
export interface HttpVisitor {
  readonly cookies: Map<string, string>
  request(path: string, init?: RequestInit & { readonly duplex?: 'half' }): Promise<Got>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Got>
  /** With the CSRF token of the cookie, which a page of ours has set before. */
  post(path: string, fields: Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>): Promise<Got>
}

/** @param accounts Where the pages are. */
export function httpVisitor(origin: string, accounts = '/accounts/'): HttpVisitor {
  const cookies = new Map<string, string>()
  const request: HttpVisitor['request'] = async (path, init = {}) => {
    const headers = new Headers(init.headers)
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(new URL(path, origin), { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) keep(cookies, line)
    const location = response.headers.get('location')
    return {
      status: response.status,
      location: location?.startsWith(`${origin}/`) === true ? location.slice(origin.length) : location,
      headers: response.headers,
      text: await response.text(),
    }
  }
  const get: HttpVisitor['get'] = (path, headers = {}) => request(path, { headers })
  return {
    cookies,
    request,
    get,
    async post(path, fields, headers = {}) {
      if (!cookies.has('csrftoken')) await get(`${accounts}login/`)
      const body = new URLSearchParams({ csrfmiddlewaretoken: cookies.get('csrftoken') ?? '', ...fields })
      return request(path, { method: 'POST', body, headers })
    },
  }
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';', 1)
  const at = pair.indexOf('=')
  if (/;\s*max-age=0/i.test(line)) cookies.delete(pair.slice(0, at))
  else cookies.set(pair.slice(0, at), pair.slice(at + 1))
}
