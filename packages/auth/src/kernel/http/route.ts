import type { BoundForm } from '../forms/form.ts'
import type { RepeatableHandler } from '../visit.ts'

/** Reverse names of pages, as redirects, templates and settings use them. */
type RouteName = string

/** Handles a request for a page; `params` come from its path. */
export type PageHandler = RepeatableHandler<[params: Readonly<Record<string, string>>], PageAnswer>

/** A page. HEAD is answered as GET. */
export interface PageRoute {
  readonly name: RouteName
  /** Relative to the mount point (`settings.pathPrefix`), e.g. `password/reset/key/{key}/`; absolute with a leading slash. */
  readonly path: string
  /** Other paths with the same handlers, e.g. the contract's `verify-email/`. */
  readonly aliases?: readonly string[]
  readonly GET?: PageHandler
  readonly POST?: PageHandler
  /** `auth`: the frame sends anonymous visitors to sign in, with `next`. `recent`: besides, confirmed lately. */
  readonly access: 'anon' | 'auth' | 'recent'
  /** The frame takes this limit before a POST (429). */
  readonly limit?: { readonly action: string; readonly per: 'ip' | 'user' }
  /** Without CSRF check: only where something else protects. */
  readonly csrfExempt?: true
  /** There too where the front end has all pages (`HEADLESS_ONLY`): others lead visitors there, as providers do. */
  readonly withoutPages?: true
}

/** What a page's handler answers; the frame makes the response of it, also in XHR mode (4.1.2 of the reference). */
export type PageAnswer =
  | {
      readonly kind: 'page'
      /** Template without extension, e.g. `account/login`. */
      readonly template: string
      readonly context: Readonly<Record<string, unknown>>
      /** The form of the page, for XHR mode; in `context` as `form` too. */
      readonly form?: BoundForm
      /** Default 200. */
      readonly status?: number
      /** For XHR mode. */
      readonly data?: unknown
      /** Sources (CSP Level 3) besides our own where the forms of the page may lead in the end, e.g. `https:`. */
      readonly formTargets?: readonly string[]
    }
  /** 302. Only checked targets: a route of ours, a setting, or what `safeNext` let through. */
  | { readonly kind: 'redirect'; readonly to: string; readonly data?: unknown }
  | { readonly kind: 'response'; readonly response: Response }

/** A route that a path leads to. */
export interface Found {
  readonly route: PageRoute
  readonly params: Readonly<Record<string, string>>
}

/** The pages under their mount point, found by path and by reverse name. */
export interface RouteTable {
  /** `null`: no page is there. */
  find(pathname: string): Found | null
  has(name: string): boolean
  /** @throws {Error} for an unknown name: a fault of the code or of a template */
  url(name: string, params?: Readonly<Record<string, string>>): string
}

interface Compiled {
  readonly route: PageRoute
  readonly pattern: RegExp
}

/**
 * @param prefix Mount point, with a slash at both ends.
 * @param unmounted Pages that have an address and are not there.
 * @throws {Error} when two pages share a name
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

/** A malformed escape stands for itself: no key of ours has one, so it is refused as any wrong key. */
function decodePathSegment(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
