import type { FastifyRequest } from 'fastify'
import type { Auth } from '../../auth.ts'
import type { CheckedToken } from '../clients.ts'
import type { TokenGuardOptions, TokenScope } from '../token-guards.ts'
import { type FastifyGuard, toFastifyVisit } from '../../bindings/fastify.ts'
import { toRequestHead } from '../../bindings/node-request.ts'
import { requireAccessToken } from './access-token.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `TokenAuthentication`. Its user is `null` if the client acts on its own behalf. */
    accessToken?: CheckedToken
  }
}

/**
 * Requires an access token of our OpenID Connect provider: `{ onRequest: TokenAuthentication(auth,
 * 'notes:read') }`. Other requests get 401 or 403 in JSON, with a challenge (RFC 6750).
 */
export function TokenAuthentication(auth: Auth, scope: TokenScope, options: TokenGuardOptions = {}): FastifyGuard {
  return async (request, reply) => {
    const head = toRequestHead(toFastifyVisit(request, reply))
    if (head instanceof Response) return reply.send(head)
    const outcome = await auth.module('oidc').guards.requireToken(head, scope, options)
    if (!outcome.ok) return reply.send(outcome.response)
    request.accessToken = outcome.token
    return undefined
  }
}

/**
 * Returns the token that `TokenAuthentication` accepted.
 * @throws {AuthError} `login_required` (401) if the route isn't guarded
 */
export const accessTokenOf = (request: Pick<FastifyRequest, 'accessToken'>): CheckedToken => requireAccessToken(request)
