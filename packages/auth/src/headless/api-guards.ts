import type { Guarded } from '../account/guards.ts'
import { readCredential, type WithHeaders } from '../kernel/http/request-headers.ts'
import { SESSION_TOKEN_HEADER, type CheckedAccess, type TokenStrategy } from './tokens/strategy.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { jsonResponse } from '../kernel/http/responses.ts'
import type { User } from '../kernel/users/user.ts'

/** The caller by an access token, or the answer to give instead. */
export type GuardedAccess =
  | { readonly ok: true; readonly user: User; readonly claims: CheckedAccess['claims'] }
  | { readonly ok: false; readonly response: Response }

/** Guards for the host's own API. Respond 401 in JSON. */
export interface ApiGuards {
  /** An app that is signed in, by its `X-Session-Token`: one indexed read. A session that was ended is refused at once. */
  requireSessionToken(request: WithHeaders): Promise<Guarded>
  /**
   * An app by its access token in `Authorization`, whose user is read: unknown and inactive ones are refused. The
   * session may be over by now unless `jwtStatefulValidationEnabled`.
   */
  requireAccessToken(request: WithHeaders): Promise<GuardedAccess>
}

/** @see RFC 9110 section 11.6.1, RFC 6750 section 3 */
function unauthorized(challenge: string): { readonly ok: false; readonly response: Response } {
  const response = jsonResponse({ status: 401 }, 401)
  response.headers.set('www-authenticate', challenge)
  response.headers.set('cache-control', 'no-store')
  return { ok: false, response }
}

/** What guards use of the JSON API. */
export interface GuardedApi {
  readonly kernel: Kernel
  readonly tokens: Required<TokenStrategy>
}

/** Creates the guards for an API of the host's own. */
export function createApiGuards(headless: GuardedApi): ApiGuards {
  const { settings, clock, sessions, users, database } = headless.kernel
  const scheme = settings.headless.jwtAuthorizationHeaderScheme
  return {
    async requireSessionToken(request) {
      const isNamed = (request.headers.get(SESSION_TOKEN_HEADER) ?? '') !== ''
      const found = isNamed ? await headless.tokens.findSession(request) : null
      const identity =
        found === null
          ? null
          : await (found.kind === 'token'
              ? sessions.check(found.token, clock.now())
              : sessions.checkId(found.id, clock.now()))
      return identity === null ? unauthorized('X-Session-Token') : { ok: true, identity }
    },
    async requireAccessToken(request) {
      const token = readCredential(request, scheme)
      if (token === null) return unauthorized(scheme)
      const access = await headless.tokens.checkAccessToken(token)
      const user = access === null ? null : await users.byId(database.db, access.userId)
      if (access === null || user === null || !user.isActive) return unauthorized(`${scheme} error="invalid_token"`)
      return { ok: true, user, claims: access.claims }
    },
  }
}
