import type { Kernel } from './kernel.ts'
import { cookieOf } from './http/cookies.ts'
import type { WithHeaders } from './http/with-headers.ts'
import type { SessionUser } from './sessions/session.ts'

/** The caller of a request. */
export type Identity = SessionUser

/** The caller by the session cookie: one indexed read; `null`: nobody. A session that was ended is refused at once. */
export function identifier(
  core: Pick<Kernel, 'settings' | 'sessions' | 'clock'>,
): (request: WithHeaders) => Promise<Identity | null> {
  const name = core.settings.sessionCookieName
  const { sessions, clock } = core
  return async (request) => {
    const token = cookieOf(request.headers.get('cookie'), name)
    return token === null || token === '' ? null : sessions.check(token, clock.now())
  }
}
