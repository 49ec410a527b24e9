import type { UserSession, UserSessions } from './user-session.ts'
import { requireSignedIn } from '../account/signed-in.ts'
import type { PageAnswer } from '../kernel/http/answer.ts'
import type { PageRoute } from '../kernel/http/route.ts'
import { takeSlot } from '../kernel/limits/take.ts'
import type { Visit } from '../kernel/visit.ts'
import { createTimeFormatter } from '../kernel/templates/time-text.ts'
import { deviceName } from '../kernel/http/device-name.ts'

/** The page of one's sessions. */
export const userSessionPages = (sessions: UserSessions): readonly PageRoute[] =>
  sessions.kernel.settings.usersessions.enabled
    ? [
        {
          name: 'usersessions_list',
          path: 'sessions/',
          access: 'auth',
          limit: { action: 'list_sessions', per: 'user' },
          GET: (request) => show(sessions, request),
          POST: (request) => end(sessions, request),
        },
      ]
    : []

async function show(sessions: UserSessions, request: Visit): Promise<PageAnswer> {
  const user = requireSignedIn(request)
  await takeSlot(sessions.kernel.limits, 'list_sessions', { ip: request.clientIp, userId: user.id }, request.nowMs)
  const listed = await sessions.list(request, user)
  const shown = createTimeFormatter(request.language, request.nowMs)
  return {
    kind: 'page',
    template: 'usersessions/usersession_list',
    context: {
      sessions: [...listed.filter(({ isCurrent }) => isCurrent), ...listed.filter(({ isCurrent }) => !isCurrent)].map(
        ({ id, ip, userAgent, createdAtMs, lastSeenAtMs, isCurrent }) => ({
          id,
          ip,
          user_agent: userAgent,
          device: deviceName(userAgent, request.t),
          created_at: shown(createdAtMs),
          last_seen_at: shown(lastSeenAtMs),
          is_current: isCurrent,
        }),
      ),
      session_count: listed.length,
      show_last_seen_at: true,
    },
  }
}

/** The one that the field `session` names, or without it all but this one. */
async function end(sessions: UserSessions, request: Visit): Promise<PageAnswer> {
  const user = requireSignedIn(request)
  const named = request.form.get('session') ?? ''
  const isMeant = ({ id, isCurrent }: UserSession): boolean => (named === '' ? !isCurrent : String(id) === named)
  const chosen = (await sessions.list(request, user)).filter(isMeant)
  if (chosen.length > 0) {
    await sessions.end(request, user, chosen)
    const context = { ended_count: named === '' ? null : 1 }
    await sessions.account.adapter.addMessage(request, 'info', 'usersessions/messages/sessions_logged_out', context)
  }
  return { kind: 'redirect', to: sessions.kernel.url('usersessions_list') }
}
