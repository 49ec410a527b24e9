import type { WithHeaders } from '../../kernel/http/request-headers.ts'
import type { SessionReference } from '../../kernel/sessions/session.ts'
import type { UserId } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'

/** Tokens for a user who has just signed in; extra members are sent in `meta` unchanged. */
export interface AccessTokens {
  readonly access_token?: string
  readonly refresh_token?: string
  readonly [name: string]: unknown
}

/** Claims of a valid access token. */
export interface CheckedAccess {
  readonly userId: UserId
  /** All claims, those of the host too. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** The token strategy for apps (4.2.8 of the reference). A host can provide its own. */
export interface TokenStrategy {
  /**
   * Returns the session referenced by an app's headers, or `null` if there is none or the token is foreign. A
   * reference to an ended session is returned too: the API responds with 410.
   */
  findSession(request: WithHeaders): Promise<SessionReference | null>
  /** What an app gets as `meta.session_token` for a new token of its session. Default: the token itself. */
  createSessionToken(request: Visit, token: string): string
  /**
   * Called before the session of a new sign-in is saved, so that token data can be written with it; the returned
   * function is called once the session is stored. `null`: no tokens.
   */
  createAccessTokens(request: Visit): (() => Promise<AccessTokens>) | null
  /** New tokens for a refresh token, which is used up when another one comes with it; `null`: refused. */
  refresh(request: Visit, refreshToken: string): Promise<AccessTokens | null>
  /** Checks the token without a session; `null` if it is foreign or expired. Omit if the strategy has no access tokens. */
  checkAccessToken?(token: string): Promise<CheckedAccess | null>
  /** JSON Schemas of the members that `AccessTokens` have besides, by name, for the description of the API. */
  tokenSchemas?(): Readonly<Record<string, unknown>>
}

/** The header by which an app names its session. */
export const SESSION_TOKEN_HEADER = 'x-session-token'

/** `null`: the header is not there, or empty. */
export function sessionTokenReference({ headers }: WithHeaders): SessionReference | null {
  const token = headers.get(SESSION_TOKEN_HEADER)
  return token === null || token === '' ? null : { kind: 'token', token }
}

/** An app has the token of its session, and nothing else. */
export const SESSION_STRATEGY: TokenStrategy = {
  findSession: async (request) => sessionTokenReference(request),
  createSessionToken: (_request, token) => token,
  createAccessTokens: () => null,
  refresh: async () => null,
}
