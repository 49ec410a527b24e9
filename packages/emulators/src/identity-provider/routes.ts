import { percentDecode } from './reply.ts'
import type { CallKind, Shape, Shapes } from './shape.ts'

/** A route: an address of a provider. */
export interface Route {
  readonly provider: string
  /** Whether requests are signed. RFC 5849 */
  readonly isSigned: boolean
  readonly kind: CallKind
  /** Address as in the data; braces mark parts of the path. */
  readonly template: string
  readonly pattern: RegExp
  readonly names: readonly string[]
  /** Required query parameters. */
  readonly query: readonly (readonly [string, string])[]
}

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

function createRoute(
  [provider, shape]: readonly [string, Shape],
  kind: CallKind,
  template: string,
  address: string,
): Route {
  const [place = '', query = ''] = address.replace(/^https:\/\//, '').split('?')
  const names = [...place.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const parts = place.split(/\{\w+\}/).map(escapePattern)
  return {
    provider,
    isSigned: shape.protocol === 'oauth1',
    kind,
    template,
    pattern: new RegExp(`^${parts.join('([^/]+)')}$`),
    names,
    query: [...new URLSearchParams(query)],
  }
}

/** Returns all addresses of a provider, with their kind. */
export function listAddresses(shape: Shape): readonly (readonly [CallKind, string])[] {
  const all: readonly (readonly [CallKind, string | null | undefined])[] = [
    ['authorize', shape.authorize],
    ['authorize', shape.secondAuthorize],
    ['request_token', 'requestToken' in shape ? shape.requestToken : null],
    ['token', shape.token],
    ['profile', shape.profile],
    ['profile', shape.secondProfile],
    ['email', shape.email],
    ['jwks', 'jwks' in shape ? shape.jwks : null],
    ['discovery', 'discovery' in shape ? shape.discovery : null],
    ['debug_token', 'debugToken' in shape ? shape.debugToken : null],
    ['app_token', 'appToken' in shape ? shape.appToken : null],
  ]
  return all.filter((each): each is readonly [CallKind, string] => Boolean(each[1]))
}

/** Returns the routes of all providers. */
export const createRoutes = (shapes: Shapes): readonly Route[] =>
  Object.entries(shapes).flatMap((entry) =>
    listAddresses(entry[1]).flatMap(([kind, template]) => [
      createRoute(entry, kind, template, template),
      ...(entry[1].alsoAt ?? [])
        .filter(([part]) => template.includes(part))
        .map(([part, other]) => createRoute(entry, kind, template, template.replace(part, other))),
    ]),
  )

/** Replaces the braces in an address with their usual values. */
export const fillTemplate = (shape: Shape, address: string): string =>
  address.replaceAll(/\{(\w+)\}/g, (braces, name: string) => shape.fill?.[name] ?? braces)

/** Returns the routes that match a request, optionally of one provider. */
export function matchRoutes(routes: readonly Route[], url: URL, provider: string | null): readonly Route[] {
  const place = `${url.host}${url.pathname}`
  return routes.filter(
    (route) =>
      (provider === null || route.provider === provider) &&
      route.pattern.test(place) &&
      route.query.every(([name, value]) => url.searchParams.get(name) === value),
  )
}

/** Returns the values of the braces in a route's address. */
export function matchPathParameters(route: Route, url: URL): Readonly<Record<string, string>> {
  const found = route.pattern.exec(`${url.host}${url.pathname}`)?.slice(1) ?? []
  return Object.fromEntries(route.names.map((name, index) => [name, percentDecode(found[index] ?? '')]))
}
