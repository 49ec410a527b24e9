import type { MiddlewareHandler } from 'hono'
import type { Auth } from '../../auth.ts'
import type { CheckedToken } from '../clients.ts'
import type { TokenGuardOptions, TokenScope } from '../token-guards.ts'

/** The variables set by `TokenAuth`. The token's user is `null` if the client acts on its own behalf. */
export interface TokenEnv {
  Variables: { accessToken: CheckedToken }
}

/**
 * Requires an access token of our OpenID Connect provider: `app.get('/notes', TokenAuth(auth, 'notes:read'), …)`.
 * Other requests get 401 or 403 in JSON, with a challenge (RFC 6750).
 */
export function TokenAuth(auth: Auth, scope: TokenScope, options: TokenGuardOptions = {}): MiddlewareHandler<TokenEnv> {
  return async (c, next) => {
    const outcome = await auth.module('oidc').guards.requireToken(c.req.raw, scope, options)
    if (!outcome.ok) return outcome.response
    c.set('accessToken', outcome.token)
    return next()
  }
}
