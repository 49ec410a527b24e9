import type { Account } from '../account/account.ts'
import { requireSignedIn } from '../account/refusals.ts'
import { bindHooks } from '../kernel/hooks.ts'
import { deviceName } from '../kernel/http/request-headers.ts'
import type { PageAnswer, PageRoute } from '../kernel/http/route.ts'
import { takeSlot } from '../kernel/limits/take.ts'
import type { ConnectedKernel, Contributions, Module } from '../kernel/module.ts'
import type { SessionSummary } from '../kernel/sessions/session.ts'
import type { Signals } from '../kernel/signals.ts'
import { createTimeFormatter } from '../kernel/templates/time-text.ts'
import type { AuthDb, User, UserId } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import {
  type LastSeen,
  type StoredUserSession,
  truncateUserAgent,
  userSessionRows,
  type UserSessionRows,
} from './user-session-rows.sql.ts'
import type {
  SessionSignals,
  UserSession,
  UserSessions,
  UserSessionsAdapter,
  UserSessionsAdapterInput,
} from './user-session.ts'

/** Minimum time between two writes for a session whose client hasn't changed. */
const MIN_WRITE_INTERVAL_MS = 60_000

/** Dependencies of every call. */
interface Context {
  readonly kernel: ConnectedKernel
  readonly signals: Signals<SessionSignals>
  readonly rows: UserSessionRows
}

/** Creates the session lists of one instance. */
export function createUserSessions(account: Account, input: UserSessionsAdapterInput | undefined): UserSessions {
  const { kernel } = account
  const context: Context = {
    kernel,
    signals: kernel.signals.typed(),
    rows: userSessionRows(kernel.database, kernel.settings.userTable),
  }
  const defaults: UserSessionsAdapter = {
    endSessions: (visit, sessions) => endUserSessions(context, visit, sessions),
  }
  const overrides = typeof input === 'function' ? input(defaults) : (input ?? {})
  const adapter = { ...defaults, ...bindHooks(overrides, Object.keys(defaults)) }
  return {
    kernel,
    signals: context.signals,
    account,
    adapter,
    async list(visit, user) {
      await track(context, visit) // so that this session is shown as it is now
      const found = await listCurrentSessions(context, visit.db, user.id, visit.nowMs)
      return found.map((session) => toUserSession(visit, session))
    },
    async find(visit, user, ids) {
      const found = await context.rows.byIds(visit.db, user.id, ids)
      return found.map((session) => toUserSession(visit, session))
    },
    end: (visit, user, sessions) => endUserSession(account, adapter, visit, user, sessions),
    record: (visit, user) => recordSession(context, visit, user),
    track: (visit) => track(context, visit),
    ofUser: (db, userId, nowMs) => listCurrentSessions(context, db, userId, nowMs),
  }
}

/** Returns the contributions of the session list module. */
export const sessionContributions = (sessions: UserSessions): Contributions => ({
  pages: userSessionPages(sessions),
  operations: async () => (await import('./operations/sessions.ts')).sessionsResources(sessions),
  apiConfig: async () => ({ usersessions: { track_activity: sessions.kernel.settings.usersessions.trackActivity } }),
  sessionSaved: (visit, user) =>
    visit.session.authenticatedAtMs === visit.nowMs ? sessions.record(visit, user) : sessions.track(visit),
})

const toUserSession = (request: Visit, session: StoredUserSession): UserSession => ({
  ...session,
  isCurrent: session.sessionKey === request.session.id,
})

/** A user's active sessions and their rows. */
interface ActiveSessions {
  readonly sessions: ReadonlyMap<string, SessionSummary>
  readonly rows: readonly StoredUserSession[]
}

async function purgeUserSessions(
  { kernel, rows }: Context,
  db: AuthDb,
  userId: UserId,
  nowMs: number,
): Promise<ActiveSessions> {
  // Reads the rows before the sessions, so that a row without a session isn't that of a session that has just started.
  const found = await rows.ofUser(db, userId)
  const sessions = new Map((await kernel.sessions.ofUser(db, userId, nowMs)).map((session) => [session.id, session]))
  const isActive = ({ sessionKey }: StoredUserSession): boolean => sessions.has(sessionKey)
  // An old site's keys are letters and digits, ours are UUIDs.
  const mayRemove = ({ sessionKey }: StoredUserSession): boolean => !kernel.oldSite.isInUse || sessionKey.includes('-')
  const expired = found.filter((row) => !isActive(row) && mayRemove(row)).map(({ id }) => id)
  await rows.remove(db, expired)
  return { sessions, rows: found.filter(isActive) }
}

/** Returns the user's sessions. Adds missing rows for sessions that started while the module was off. */
async function listCurrentSessions(
  context: Context,
  db: AuthDb,
  userId: UserId,
  nowMs: number,
): Promise<readonly StoredUserSession[]> {
  const { sessions, rows } = await purgeUserSessions(context, db, userId, nowMs)
  const known = new Set(rows.map(({ sessionKey }) => sessionKey))
  const missing = [...sessions.values()].filter(({ id }) => !known.has(id))
  await context.rows.add(
    db,
    missing.map(({ id, ip, ...session }) => ({ ...session, sessionKey: id, ip: ip ?? '' })),
  )
  return (missing.length === 0 ? rows : await context.rows.ofUser(db, userId))
    .map((row) => ({
      ...row,
      lastSeenAtMs: Math.max(row.lastSeenAtMs, sessions.get(row.sessionKey)?.lastSeenAtMs ?? 0),
    }))
    .toSorted((a, b) => b.lastSeenAtMs - a.lastSeenAtMs || b.id - a.id)
}

async function endUserSession(
  account: Account,
  adapter: UserSessionsAdapter,
  request: Visit,
  user: User,
  sessions: readonly UserSession[],
): Promise<void> {
  const own = sessions.filter(({ userId }) => userId === user.id)
  if (own.length === 0) return
  await adapter.endSessions(request, own)
  const isSignedIn = request.user?.id === user.id
  if (isSignedIn && own.some(({ sessionKey }) => sessionKey === request.session.id)) await account.login.logout(request)
}

/** Ends all of the sessions, or none. */
async function endUserSessions(
  { kernel, rows }: Context,
  request: Visit,
  sessions: readonly UserSession[],
): Promise<void> {
  const keys = new Map<UserId, string[]>()
  for (const { userId, sessionKey } of sessions) keys.set(userId, [...(keys.get(userId) ?? []), sessionKey])
  await request.transaction(async () => {
    for (const [userId, ids] of keys) await kernel.sessions.end(request.db, userId, ids)
    await rows.remove(
      request.db,
      sessions.map(({ id }) => id),
    )
  })
}

async function recordSession(context: Context, request: Visit, user: User): Promise<void> {
  const { kernel, rows } = context
  const { db, nowMs, session } = request
  if (!kernel.settings.usersessions.enabled || session.id === null) return
  const { id: sessionKey } = session
  const before = (await purgeUserSessions(context, db, user.id, nowMs)).rows.find(
    (row) => row.sessionKey === sessionKey,
  )
  const seen = lastSeen(request, before)
  await rows.put(db, { userId: user.id, sessionKey, createdAtMs: nowMs, ...seen })
  if (before !== undefined) await emitClientChanged(context.signals, request, before, { ...seen, createdAtMs: nowMs })
}

async function track({ kernel, signals, rows }: Context, request: Visit): Promise<void> {
  const { db, nowMs, session, user } = request
  const { enabled, trackActivity } = kernel.settings.usersessions
  if (!enabled || !trackActivity || user === null || session.id === null) return
  const before = await rows.byKey(session.id)
  if (before === null) {
    const createdAtMs = session.authenticatedAtMs ?? nowMs
    await rows.put(db, { userId: user.id, sessionKey: session.id, createdAtMs, ...lastSeen(request) })
    return
  }
  const seen = lastSeen(request, before)
  if (!isOtherClient(before, seen) && nowMs - before.lastSeenAtMs < MIN_WRITE_INTERVAL_MS) return
  // Of concurrent requests, only one emits the change.
  if (await rows.updateLastSeen(db, before, seen)) await emitClientChanged(signals, request, before, seen)
}

/** Returns the client's last-seen data of this request; an unknown IP address is left out. */
const lastSeen = ({ clientIp, userAgent, nowMs }: Visit, before?: LastSeen): LastSeen => ({
  ip: clientIp ?? before?.ip ?? '',
  userAgent: truncateUserAgent(userAgent),
  lastSeenAtMs: nowMs,
})

const isOtherClient = (before: LastSeen, seen: LastSeen): boolean =>
  before.ip !== seen.ip || before.userAgent !== seen.userAgent

async function emitClientChanged(
  signals: Signals<SessionSignals>,
  request: Visit,
  before: StoredUserSession,
  changes: LastSeen & { readonly createdAtMs?: number },
): Promise<void> {
  if (!request.kernel.settings.usersessions.trackActivity || !isOtherClient(before, changes)) return
  const from = toUserSession(request, before)
  const event = { request, from_session: from, to_session: { ...from, ...changes } }
  await signals.emit('session_client_changed', 'UserSession', event)
}

/** Creates the session list module. @param adapter The host's hooks. */
export function createModule(account: Account, adapter: UserSessionsAdapterInput | undefined): Module<UserSessions> {
  const service = createUserSessions(account, adapter)
  return { service, contributions: sessionContributions(service) }
}

/** The page that lists the user's sessions. */
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

/** Ends the session in the field `session` or, without it, all others. */
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
