import type { Guarded } from '../account/guards.ts'
import { readCredential, type WithHeaders } from '../kernel/http/request-headers.ts'
import { SESSION_TOKEN_HEADER, type CheckedAccess, type TokenStrategy } from './tokens/strategy.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { jsonResponse } from '../kernel/http/responses.ts'
import type { User } from '../kernel/users/user.ts'

/** The result of a guard: the caller, or the response to send instead. */
export type GuardedAccess =
  | { readonly ok: true; readonly user: User; readonly claims: CheckedAccess['claims'] }
  | { readonly ok: false; readonly response: Response }

/** Guards for the host's own APIs. They reject requests with a 401 response in JSON. */
export interface ApiGuards {
  /**
   * Requires a signed-in app with `X-Session-Token`. Takes one indexed read. Rejects a session immediately after it has
   * ended.
   */
  requireSessionToken(request: WithHeaders): Promise<Guarded>
  /**
   * Requires an access token in `Authorization`, and reads its user, who must exist and be active. The session may have
   * ended already, unless `jwtStatefulValidationEnabled` is on.
   */
  requireAccessToken(request: WithHeaders): Promise<GuardedAccess>
}

/** Returns the refusal with a challenge. @see RFC 9110 section 11.6.1, RFC 6750 section 3 */
function unauthorized(challenge: string): { readonly ok: false; readonly response: Response } {
  const response = jsonResponse({ status: 401 }, 401)
  response.headers.set('www-authenticate', challenge)
  response.headers.set('cache-control', 'no-store')
  return { ok: false, response }
}

/** The parts of the JSON API that guards use. */
export interface GuardedApi {
  readonly kernel: Kernel
  readonly tokens: Required<TokenStrategy>
}

/** Creates the guards for the host's own APIs. */
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
