import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Auth } from '../../auth.ts'
import type { CheckedToken } from '../clients.ts'
import type { TokenGuardOptions, TokenScope } from '../token-guards.ts'
import { sendResponse, toExpressVisit } from '../../bindings/express.ts'
import { toRequestHead } from '../../bindings/node-request.ts'
import { requireAccessToken } from './access-token.ts'

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- Express's way to extend its request type
  namespace Express {
    interface Request {
      /** Set by `TokenAuthentication`. Its user is `null` if the client acts on its own behalf. */
      accessToken?: CheckedToken
    }
  }
}

/** A handler for `app.use`, `app.get`, and the like. */
export type ExpressTokenHandler = (
  req: IncomingMessage & Pick<Express.Request, 'accessToken'> & { readonly originalUrl: string },
  res: ServerResponse,
  next: (error?: unknown) => void,
) => Promise<void>

/**
 * Requires an access token of our OpenID Connect provider: `app.get('/notes', TokenAuthentication(auth,
 * 'notes:read'), …)`. Other requests get 401 or 403 in JSON, with a challenge (RFC 6750).
 */
export function TokenAuthentication(
  auth: Auth,
  scope: TokenScope,
  options: TokenGuardOptions = {},
): ExpressTokenHandler {
  return async (req, res, next) => {
    const head = toRequestHead(toExpressVisit(req, res))
    if (head instanceof Response) return sendResponse(head, res)
    const outcome = await auth.module('oidc').guards.requireToken(head, scope, options)
    if (!outcome.ok) return sendResponse(outcome.response, res)
    req.accessToken = outcome.token
    return next()
  }
}

/**
 * Returns the token that `TokenAuthentication` accepted.
 * @throws {AuthError} `login_required` (401) if the route isn't guarded
 */
export const accessTokenOf = (req: Pick<Express.Request, 'accessToken'>): CheckedToken => requireAccessToken(req)
