import { jsonResponse } from '../../kernel/http/json-response.ts'
import { OAuthError } from './oauth-error.ts'
import type { Call, EngineParts } from './parts.ts'

/**
 * What a client may know of its user. @see OpenID Connect Core 1.0 section 5.3, RFC 6750
 * @throws {OAuthError} `invalid_token` (401), `insufficient_scope` (403), `invalid_request`
 */
export async function userinfo(parts: EngineParts, call: Call): Promise<Response> {
  const live = await parts.tokens.live(bearerOf(call))
  call.met.client = live?.client ?? null
  // A token for a resource is nobody else's (RFC 8707): who got it there must not learn here whose it is.
  if (live === null || live.user === null || live.audience !== null) throw invalidToken()
  const { client, user, scopes, row } = live
  if (!scopes.includes('openid')) throw bearerError('insufficient_scope', 'The token lacks the scope openid.', 'openid')
  const { adapter } = parts.oidc
  const claims = await adapter.getClaims('userinfo', user, client, scopes, ...(row.email === null ? [] : [row.email]))
  return jsonResponse({ ...claims, sub: adapter.getUserSub(client, user) }, 200)
}

/** The header, or a field of a posted form; never both, and never the address, which ends up in logs. */
function bearerOf({ raw, url, form }: Call): string {
  const header = raw.headers.get('authorization')
  const field = raw.method === 'POST' ? form.get('access_token') : null
  if (url.searchParams.has('access_token')) throw bearerError('invalid_request', 'A token must not be in the address.')
  if (header !== null && field !== null) throw bearerError('invalid_request', 'There are two tokens.')
  const token = header === null ? field : /^bearer +(\S+)$/i.exec(header)?.[1]
  if (token === null || token === undefined) throw invalidToken()
  return token
}

const invalidToken = (): OAuthError => bearerError('invalid_token', 'The token is not known, or over.')

const bearerError = (code: string, description: string, scope?: string): OAuthError =>
  new OAuthError(code, description, {
    'www-authenticate': `Bearer error="${code}", error_description="${description}"${scope === undefined ? '' : `, scope="${scope}"`}`,
  })
