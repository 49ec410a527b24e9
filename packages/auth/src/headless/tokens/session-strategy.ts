import type { WithHeaders } from '../../kernel/http/with-headers.ts'
import type { SessionReference } from '../../kernel/sessions/session.ts'
import type { TokenStrategy } from './strategy.ts'

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
