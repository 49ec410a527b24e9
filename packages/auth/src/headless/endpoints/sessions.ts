import { signedIn } from '../../account/signed-in.ts'
import { InvalidInput } from '../../errors.ts'
import type { User } from '../../kernel/users/user.ts'
import type { UserSession } from '../../sessions/user-session.ts'
import { type ApiAnswer, type ApiCall, type ApiModule, type ApiResource, operation } from '../endpoint.ts'

/** Where one is signed in. */
export const sessionsResources: ApiModule = (core) => (core.settings.usersessions.enabled ? [resource] : [])

const resource: ApiResource = {
  path: 'auth/sessions',
  tag: 'Sessions',
  access: 'auth',
  limit: { action: 'list_sessions', per: 'user', alsoGet: true },
  operations: {
    GET: operation({
      summary: 'Where you are signed in',
      answers: { 200: 'Sessions' },
      handle: (call) => listed(call, signedIn(call.request)),
    }),
    DELETE: operation({
      summary: 'End sessions',
      input: [{ name: 'sessions', kind: 'ids', required: true, about: 'Ids of the list.' }],
      answers: { 200: 'Sessions' },
      async handle(call, { sessions: ids }) {
        const { core, request } = call
        const user = signedIn(request)
        const chosen = await core.userSessions.find(request, user, ids)
        const known = new Set(chosen.map(({ id }) => id))
        if (ids.some((id) => !known.has(id))) {
          throw new InvalidInput([core.adapter.validationError('invalid_choice', { param: 'sessions' })])
        }
        await core.userSessions.end(request, user, chosen)
        return request.user === null ? { kind: 'authentication' } : listed(call, user)
      },
    }),
  },
}

async function listed({ core, request }: ApiCall, user: User): Promise<ApiAnswer> {
  const { trackActivity } = core.settings.usersessions
  const sessions = await core.userSessions.list(request, user)
  return { kind: 'data', data: sessions.map((session) => shown(session, trackActivity)) }
}

/** Times are seconds since the Unix epoch. */
const shown = (session: UserSession, trackActivity: boolean): object => ({
  id: session.id,
  user_agent: session.userAgent,
  ip: session.ip,
  created_at: session.createdAtMs / 1000,
  is_current: session.isCurrent,
  ...(trackActivity ? { last_seen_at: session.lastSeenAtMs / 1000 } : {}),
})
