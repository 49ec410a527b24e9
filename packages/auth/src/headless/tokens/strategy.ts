import type { WithHeaders } from '../../kernel/http/request-headers.ts'
import type { SessionReference } from '../../kernel/sessions/session.ts'
import type { UserId } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'

/** Tokens for a user who has just signed in. Additional members are sent in `meta` unchanged. */
export interface AccessTokens {
  readonly access_token?: string
  readonly refresh_token?: string
  readonly [name: string]: unknown
}

/** The user and claims of a valid access token. */
export interface CheckedAccess {
  readonly userId: UserId
  /** All claims, including the host's. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** The token strategy for apps (reference, section 4.2.8). A host can provide its own. */
export interface TokenStrategy {
  /**
   * Returns the session that an app's headers refer to, or `null` if they have no token or an invalid one. May refer to
   * a session that has ended: the API then responds with 410.
   */
  findSession(request: WithHeaders): Promise<SessionReference | null>
  /** Returns the `meta.session_token` for a new token of the session, which may be the token itself. */
  createSessionToken(request: Visit, token: string): string
  /**
   * Called after a login before the session is saved, so that data about tokens can be stored in it. The returned
   * function is called after the session is stored, and returns the tokens. `null` for no tokens.
   */
  createAccessTokens(request: Visit): (() => Promise<AccessTokens>) | null
  /**
   * Returns new tokens for a refresh token, or `null` if it's refused. If the result includes a refresh token, the
   * given one is used up.
   */
  refresh(request: Visit, refreshToken: string): Promise<AccessTokens | null>
  /**
   * Checks an access token. Returns `null` if it's invalid or has expired. Omit this if the strategy has no access
   * tokens.
   */
  checkAccessToken?(token: string): Promise<CheckedAccess | null>
  /** Returns JSON Schemas of additional members of `AccessTokens` by name, for the API description. */
  tokenSchemas?(): Readonly<Record<string, unknown>>
}

/** The header with an app's session token. */
export const SESSION_TOKEN_HEADER = 'x-session-token'

/** Returns the session in the header, or `null` if the header is missing or empty. */
export function sessionTokenReference({ headers }: WithHeaders): SessionReference | null {
  const token = headers.get(SESSION_TOKEN_HEADER)
  return token === null || token === '' ? null : { kind: 'token', token }
}

/** The strategy in which apps use only the session token. */
export const SESSION_STRATEGY: TokenStrategy = {
  findSession: async (request) => sessionTokenReference(request),
  createSessionToken: (_request, token) => token,
  createAccessTokens: () => null,
  refresh: async () => null,
}
