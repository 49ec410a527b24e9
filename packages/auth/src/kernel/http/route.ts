import type { BoundForm } from '../forms/form.ts'
import type { RepeatableHandler } from '../visit.ts'

/** The reverse name of a page, used in redirects, templates, and settings. */
type RouteName = string

/** Handles a request for a page. `params` are taken from the path. */
export type PageHandler = RepeatableHandler<[params: Readonly<Record<string, string>>], PageAnswer>

/** A page. HEAD is handled like GET. */
export interface PageRoute {
  readonly name: RouteName
  /** Relative to the mount point (`settings.pathPrefix`), e.g. `password/reset/key/{key}/`; absolute with a leading slash. */
  readonly path: string
  /** Other paths with the same handlers, e.g. `verify-email/`. */
  readonly aliases?: readonly string[]
  readonly GET?: PageHandler
  readonly POST?: PageHandler
  /**
   * `auth` redirects anonymous visitors to the login page, with `next`. `recent` also redirects users who haven't
   * authenticated recently.
   */
  readonly access: 'anon' | 'auth' | 'recent'
  /** The rate limit that each POST counts toward (429 if exceeded). */
  readonly limit?: { readonly action: string; readonly per: 'ip' | 'user' }
  /** Skips the CSRF check. Only for pages that are protected in another way. */
  readonly csrfExempt?: true
  /**
   * Also served if the front end has all pages (`HEADLESS_ONLY`), because other sites, such as identity providers, send
   * visitors here.
   */
  readonly withoutPages?: true
}

/**
 * The result of a page's handler, from which the dispatcher creates the response, also in XHR mode (reference, section
 * 4.1.2).
 */
export type PageAnswer =
  | {
      readonly kind: 'page'
      /** Template without extension, e.g. `account/login`. */
      readonly template: string
      readonly context: Readonly<Record<string, unknown>>
      /** The page's form, for XHR mode; also in `context` as `form`. */
      readonly form?: BoundForm
      /** Default 200. */
      readonly status?: number
      /** For XHR mode. */
      readonly data?: unknown
      /** Additional CSP sources for the page's forms and the redirects after them, e.g. `https:`. */
      readonly formTargets?: readonly string[]
    }
  /** 302. The target must be safe: one of the package's pages, a setting, or a URL that `isSafeUrl` accepted. */
  | { readonly kind: 'redirect'; readonly to: string; readonly data?: unknown }
  | { readonly kind: 'response'; readonly response: Response }

/** The page for a path, and the parameters in the path. */
export interface Found {
  readonly route: PageRoute
  readonly params: Readonly<Record<string, string>>
}

/** The pages under their mount point, by path and by reverse name. */
export interface RouteTable {
  /** Returns the page for a path, or `null`. */
  find(pathname: string): Found | null
  has(name: string): boolean
  /** Returns a page's path. @throws {Error} if the name is unknown, which is a bug in the code or a template */
  url(name: string, params?: Readonly<Record<string, string>>): string
}

interface Compiled {
  readonly route: PageRoute
  readonly pattern: RegExp
}

/**
 * Builds the table of pages. @param prefix Mount point, with a slash at both ends.
 * @param unmounted Pages that have a URL but aren't served.
 * @throws {Error} if two pages share a name
 */
export function routeTable(
  prefix: string,
  routes: readonly PageRoute[],
  unmounted: readonly PageRoute[] = [],
): RouteTable {
  const full = (path: string): string => (path.startsWith('/') ? path : `${prefix}${path}`)
  const fixed = new Map<string, Found>()
  const compiled: Compiled[] = []
  const byName = new Map<string, string>(unmounted.map(({ name, path }) => [name, full(path)]))
  const mounted = new Set<string>()
  for (const route of routes) {
    if (byName.has(route.name)) throw new Error(`two pages are named ${route.name}`)
    mounted.add(route.name)
    byName.set(route.name, full(route.path))
    for (const path of [route.path, ...(route.aliases ?? [])].map(full)) {
      if (path.includes('{')) compiled.push({ route, pattern: compileRoutePattern(path) })
      else fixed.set(path, { route, params: {} })
    }
  }
  return {
    find(pathname) {
      const known = fixed.get(pathname)
      if (known !== undefined) return known
      for (const { route, pattern } of compiled) {
        const groups = pattern.exec(pathname)?.groups
        if (groups !== undefined) return { route, params: decodeGroups(groups) }
      }
      return null
    },
    has: (name) => mounted.has(name),
    url(name, params = {}) {
      const path = byName.get(name)
      if (path === undefined) throw new Error(`no page is named ${name}`)
      return path.replaceAll(/\{(\w+)\}/g, (_whole, key: string) => encodeURIComponent(params[key] ?? ''))
    },
  }
}

const compileRoutePattern = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]{1,1000})')}$`)

function decodeGroups(groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodePathSegment(text)]))
}

/** Keeps malformed escapes as they are. No valid key contains one, so the key is rejected like any wrong key. */
function decodePathSegment(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
