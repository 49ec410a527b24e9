import type { OidcClient, Operations } from '../../../api/gateway-api.ts'

type Body = Operations['createClient']['body']
/** How a client is used. */
export type Grant = OidcClient['grant_types'][number]

/** In the order in which they are offered. */
export const GRANTS = [
  'authorization_code',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code',
  'client_credentials',
] as const satisfies readonly Grant[]

/** What is typed about a client; lists of addresses have one on each line. */
export interface ClientValues {
  readonly name: string
  readonly type: OidcClient['type']
  readonly grants: readonly Grant[]
  readonly scopes: readonly string[]
  readonly redirects: string
  readonly logout: string
  readonly cors: string
  readonly wildcards: boolean
  readonly skip: boolean
}

/** What a form begins with. @param client `null`: a new one. */
export const initialClient = (client: OidcClient | null): ClientValues => ({
  name: client?.name ?? '',
  type: client?.type ?? 'confidential',
  grants: client?.grant_types ?? ['authorization_code', 'refresh_token'],
  scopes: client?.scopes ?? ['openid', 'profile', 'email'],
  redirects: (client?.redirect_uris ?? []).join('\n'),
  logout: (client?.post_logout_redirect_uris ?? []).join('\n'),
  cors: (client?.cors_origins ?? []).join('\n'),
  wildcards: client?.allow_uri_wildcards ?? false,
  skip: client?.skip_consent ?? false,
})

/** Without a secret nobody calls in their own name; what has one is a server with a browser before it. */
export const mayUse = (type: OidcClient['type'], grant: Grant): boolean =>
  grant !== (type === 'public' ? 'client_credentials' : 'urn:ietf:params:oauth:grant-type:device_code')

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Whether people would be sent back to nowhere. */
export const lacksRedirect = ({ grants, redirects }: ClientValues): boolean =>
  grants.includes('authorization_code') && linesOf(redirects).length === 0

/** As the API takes it. */
export function clientBody(values: ClientValues, before: OidcClient | null): Body {
  const grants = values.grants.filter((grant) => mayUse(values.type, grant))
  const inBrowser = grants.includes('authorization_code')
  return {
    name: values.name.trim(),
    type: values.type,
    grant_types: grants,
    scopes: values.scopes,
    ...(before !== null && { default_scopes: before.default_scopes.filter((scope) => values.scopes.includes(scope)) }),
    redirect_uris: linesOf(values.redirects),
    post_logout_redirect_uris: linesOf(values.logout),
    cors_origins: linesOf(values.cors),
    allow_uri_wildcards: values.wildcards,
    skip_consent: values.skip,
    ...responseTypes(inBrowser, before),
  }
}

/** Those of an older client stay while it is used in a browser. */
function responseTypes(inBrowser: boolean, before: OidcClient | null): Pick<Body, 'response_types'> {
  if (!inBrowser) return { response_types: [] }
  return before === null || before.response_types.length === 0 ? { response_types: ['code'] } : {}
}
