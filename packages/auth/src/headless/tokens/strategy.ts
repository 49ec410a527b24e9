import type { WithHeaders } from '../../kernel/http/with-headers.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { SessionReference } from '../../kernel/sessions/session.ts'
import type { UserId } from '../../kernel/users/user.ts'

/** Tokens for somebody who has just signed in; more members are sent in `meta` as they are. */
export interface AccessTokens {
  readonly access_token?: string
  readonly refresh_token?: string
  readonly [name: string]: unknown
}

/** What a valid access token says. */
export interface CheckedAccess {
  readonly userId: UserId
  /** All claims, those of the host too. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** What apps are given to be known by (4.2.8 of the reference). A host may bring its own. */
export interface TokenStrategy {
  /**
   * The session that the headers of an app name; `null`: they name none, or by a token that is none of ours. A
   * reference to a session that is over is answered all the same: the frame finds out and answers 410.
   */
  findSession(request: WithHeaders): Promise<SessionReference | null>
  /** What an app gets as `meta.session_token` for a new token of its session. Default: the token itself. */
  createSessionToken(request: Visit, token: string): string
  /**
   * Called before the session of somebody who has just signed in is stored, so that what must be known of the tokens
   * can be written with it; what it answers is called once the session has its row. `null`: no tokens.
   */
  createAccessTokens(request: Visit): (() => Promise<AccessTokens>) | null
  /** New tokens for a refresh token, which is used up when another one comes with it; `null`: refused. */
  refresh(request: Visit, refreshToken: string): Promise<AccessTokens | null>
  /** Of the token alone, without a session; `null`: it is none of ours, or over. Absent: there are no such tokens. */
  checkAccessToken?(token: string): Promise<CheckedAccess | null>
  /** JSON Schemas of the members that `AccessTokens` have besides, by name, for the description of the API. */
  tokenSchemas?(): Readonly<Record<string, unknown>>
}
