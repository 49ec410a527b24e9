import type { Auth } from '../auth.ts'
import { cookieJar } from './cookie-jar.ts'

/** A response that a visitor received. */
export interface Visited {
  readonly status: number
  /** The requested path and query. */
  readonly at: string
  /** The redirect target; only the path and query if it's on this site. */
  readonly location: string | null
  readonly headers: Headers
  readonly html: string
  /** The page's text, without tags. */
  readonly text: string
}

/** A browser that stores cookies and submits forms. It doesn't follow redirects by itself. */
export interface Visitor {
  readonly cookies: Map<string, string>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Visited>
  /** Posts a form with the CSRF token in the visitor's cookie. Opens the login page first if there is none. */
  post(
    path: string,
    fields?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Visited>
  /** Follows redirects from `from` to the first page that isn't one. */
  follow(from: Visited): Promise<Visited>
  /** Signs in on the login page. */
  login(login: string, password: string, fields?: Readonly<Record<string, string>>): Promise<Visited>
  /** Resolves to the display name of the signed-in user, or `null`. */
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
        if (step === 10) throw new Error(`too many redirects: ${page.location}`)
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
