import { percentDecode } from './reply.ts'
import type { CallKind, Shape, Shapes } from './shape.ts'

/** An address of a provider. */
export interface Route {
  readonly provider: string
  /** Whether requests are signed as RFC 5849 says. */
  readonly isSigned: boolean
  readonly kind: CallKind
  /** As in the data: braces stand for a part of the path. */
  readonly template: string
  readonly pattern: RegExp
  readonly names: readonly string[]
  /** Parameters that the query must hold. */
  readonly query: readonly (readonly [string, string])[]
}

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

function routeOf(
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

/** All addresses of a provider, by kind. */
export function addressesOf(shape: Shape): readonly (readonly [CallKind, string])[] {
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

/** Where each request goes, the addresses of all providers together. */
export const routesOf = (shapes: Shapes): readonly Route[] =>
  Object.entries(shapes).flatMap((entry) =>
    addressesOf(entry[1]).flatMap(([kind, template]) => [
      routeOf(entry, kind, template, template),
      ...(entry[1].alsoAt ?? [])
        .filter(([part]) => template.includes(part))
        .map(([part, other]) => routeOf(entry, kind, template, template.replace(part, other))),
    ]),
  )

/** An address as a client must know it: usual values stand for what is in braces. */
export const filled = (shape: Shape, address: string): string =>
  address.replaceAll(/\{(\w+)\}/g, (braces, name: string) => shape.fill?.[name] ?? braces)

/** The routes that a request may mean; with a provider only those of that one. */
export function matching(routes: readonly Route[], url: URL, provider: string | null): readonly Route[] {
  const place = `${url.host}${url.pathname}`
  return routes.filter(
    (route) =>
      (provider === null || route.provider === provider) &&
      route.pattern.test(place) &&
      route.query.every(([name, value]) => url.searchParams.get(name) === value),
  )
}

/** What the braces stand for. */
export function pathOf(route: Route, url: URL): Readonly<Record<string, string>> {
  const found = route.pattern.exec(`${url.host}${url.pathname}`)?.slice(1) ?? []
  return Object.fromEntries(route.names.map((name, index) => [name, percentDecode(found[index] ?? '')]))
}
