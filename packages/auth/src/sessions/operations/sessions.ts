import type { UserSession, UserSessions } from '../user-session.ts'
import type { Visit } from '../../kernel/visit.ts'
import { requireSignedIn } from '../../account/refusals.ts'
import { InvalidInput } from '../../errors.ts'
import type { User } from '../../kernel/users/user.ts'
import { type ApiAnswer, type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import { SESSION_OPERATIONS } from './table.ts'

/** Returns the operations on the user's sessions. */
export const sessionsResources = (sessions: UserSessions): readonly ApiResource[] =>
  sessions.kernel.settings.usersessions.enabled ? [sessionsResource(sessions)] : []

const sessionsResource = (sessions: UserSessions): ApiResource =>
  createResource(
    [
      implement(SESSION_OPERATIONS.listSessions, (visit) =>
        respondWithSessions(sessions, visit, requireSignedIn(visit)),
      ),
      implement(SESSION_OPERATIONS.endSessions, async (visit, { sessions: ids }) => {
        const user = requireSignedIn(visit)
        const chosen = await sessions.find(visit, user, ids)
        const known = new Set(chosen.map(({ id }) => id))
        if (ids.some((id) => !known.has(id))) {
          throw new InvalidInput([sessions.account.adapter.validationError('invalid_choice', { param: 'sessions' })])
        }
        await sessions.end(visit, user, chosen)
        return visit.user === null ? { kind: 'authentication' } : respondWithSessions(sessions, visit, user)
      }),
    ],
    { limit: { action: 'list_sessions', per: 'user', alsoGet: true } },
  )

async function respondWithSessions(sessions: UserSessions, visit: Visit, user: User): Promise<ApiAnswer> {
  const { trackActivity } = sessions.kernel.settings.usersessions
  const found = await sessions.list(visit, user)
  return { kind: 'data', data: found.map((session) => toSessionJson(session, trackActivity)) }
}

/** Times are seconds since the Unix epoch. */
const toSessionJson = (session: UserSession, trackActivity: boolean): object => ({
  id: session.id,
  user_agent: session.userAgent,
  ip: session.ip,
  created_at: session.createdAtMs / 1000,
  is_current: session.isCurrent,
  ...(trackActivity ? { last_seen_at: session.lastSeenAtMs / 1000 } : {}),
})
