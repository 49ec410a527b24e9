import type { Kernel } from './kernel.ts'
import { readCookie } from './http/cookies.ts'
import type { WithHeaders } from './http/request-headers.ts'
import type { SessionUser } from './sessions/session.ts'

/** The caller of a request. */
export type Identity = SessionUser

/**
 * Returns a function that looks up the caller by session cookie, in one indexed read; `null` if signed out. A session
 * that has ended is refused immediately.
 */
export function createIdentifier(
  core: Pick<Kernel, 'settings' | 'sessions' | 'clock'>,
): (request: WithHeaders) => Promise<Identity | null> {
  const name = core.settings.sessionCookieName
  const { sessions, clock } = core
  return async (request) => {
    const token = readCookie(request.headers.get('cookie'), name)
    return token === null || token === '' ? null : sessions.check(token, clock.now())
  }
}
