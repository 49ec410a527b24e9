import type { Auth } from '../auth.ts'
import { cookieJar } from './cookie-jar.ts'

/** A page as a visitor got it. */
export interface Visited {
  readonly status: number
  /** Path and query that was asked for. */
  readonly at: string
  /** Where a redirect leads: path and query when it stays here. */
  readonly location: string | null
  readonly headers: Headers
  readonly html: string
  /** The page without its tags. */
  readonly text: string
}

/** A browser that keeps cookies and sends forms; it does not follow redirects by itself. */
export interface Visitor {
  readonly cookies: Map<string, string>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Visited>
  /** With the CSRF token of the visitor's cookie, which a page has set before (the login page is asked for, if not). */
  post(
    path: string,
    fields?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Visited>
  /** Asks for the page that `from` leads to, until there is one that leads nowhere. */
  follow(from: Visited): Promise<Visited>
  /** Signs in by the login page. */
  login(login: string, password: string, fields?: Readonly<Record<string, string>>): Promise<Visited>
  /** Name of the user who is signed in by this visitor's cookies. */
  whoami(): Promise<string | null>
}

export function visitor(
  auth: Auth,
  origin: string,
  as: { readonly ip?: string; readonly language?: string; readonly userAgent?: string },
): Visitor {
  const jar = cookieJar()
  const { cookies } = jar
  const prefix = auth.settings.pathPrefix

  async function visit(path: string, init: RequestInit): Promise<Visited> {
    const headers = new Headers(init.headers)
    if (cookies.size > 0) headers.set('cookie', jar.header())
    headers.set('host', new URL(origin).host)
    if (!headers.has('user-agent')) headers.set('user-agent', as.userAgent ?? 'TestBrowser/1.0')
    if (as.language !== undefined) headers.set('accept-language', as.language)
    const response = await auth.fetch(new Request(new URL(path, origin), { ...init, headers, redirect: 'manual' }), {
      remoteAddress: as.ip ?? '192.0.2.1',
    })
    jar.keep(response.headers)
    const location = response.headers.get('location')
    const html = await response.text()
    return {
      status: response.status,
      at: path,
      location: location?.startsWith(origin) ? location.slice(origin.length) : location,
      headers: response.headers,
      html,
      text: htmlToText(html),
    }
  }

  const get: Visitor['get'] = (path, headers = {}) => visit(path, { headers })
  const post: Visitor['post'] = async (path, fields = {}, headers = {}) => {
    if (!cookies.has('csrftoken')) await get(`${prefix}login/`)
    const body = new URLSearchParams({ csrfmiddlewaretoken: cookies.get('csrftoken') ?? '', ...fields })
    return visit(path, { method: 'POST', body, headers })
  }
  return {
    cookies,
    get,
    post,
    async follow(from) {
      let page = from
      for (let step = 0; page.location !== null; step++) {
        if (step === 10) throw new Error(`the redirects do not end: ${page.location}`)
        page = await get(page.location)
      }
      return page
    },
    login: (login, password, fields = {}) => post(`${prefix}login/`, { login, password, ...fields }),
    async whoami() {
      const identity = await auth.identify({ headers: new Headers({ cookie: jar.header() }) })
      return identity === null ? null : identity.user.username || identity.user.email
    },
  }
}

const htmlToText = (html: string): string =>
  html
    .replaceAll(/<(script|style|head)[\s\S]*?<\/\1>/g, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()
