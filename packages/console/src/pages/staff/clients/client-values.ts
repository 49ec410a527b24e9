import type { OidcClient, Operations } from '../../../api/gateway-api.ts'

type Body = Operations['createClient']['body']
/** A grant type. */
export type Grant = OidcClient['grant_types'][number]

/** The grant types, in display order. */
export const GRANTS = [
  'authorization_code',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code',
  'client_credentials',
] as const satisfies readonly Grant[]

/** The values of the form; lists of URLs have one per line. */
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

/** Returns the form's initial values. @param client `null` for a new client. */
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

/**
 * Reports whether a type of client may use a grant: client credentials need a secret, device codes are for clients
 * without one.
 */
export const mayUse = (type: OidcClient['type'], grant: Grant): boolean =>
  grant !== (type === 'public' ? 'client_credentials' : 'urn:ietf:params:oauth:grant-type:device_code')

const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Reports whether a redirect URI is missing. */
export const lacksRedirect = ({ grants, redirects }: ClientValues): boolean =>
  grants.includes('authorization_code') && splitLines(redirects).length === 0

/** Returns the request body. */
export function toClientBody(values: ClientValues, before: OidcClient | null): Body {
  const grants = values.grants.filter((grant) => mayUse(values.type, grant))
  const inBrowser = grants.includes('authorization_code')
  return {
    name: values.name.trim(),
    type: values.type,
    grant_types: grants,
    scopes: values.scopes,
    ...(before !== null && { default_scopes: before.default_scopes.filter((scope) => values.scopes.includes(scope)) }),
    redirect_uris: splitLines(values.redirects),
    post_logout_redirect_uris: splitLines(values.logout),
    cors_origins: splitLines(values.cors),
    allow_uri_wildcards: values.wildcards,
    skip_consent: values.skip,
    ...responseTypes(inBrowser, before),
  }
}

/** Keeps an existing client's response types while it uses authorization codes. */
function responseTypes(inBrowser: boolean, before: OidcClient | null): Pick<Body, 'response_types'> {
  if (!inBrowser) return { response_types: [] }
  return before === null || before.response_types.length === 0 ? { response_types: ['code'] } : {}
}
