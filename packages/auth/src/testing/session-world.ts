import type { testDatabases } from '@gatepost/sql/testing'
import type { AuthTables } from '../kernel/schema/tables.ts'
import type { OpenSession, SessionUser } from '../kernel/sessions/session.ts'
import type { AuthDb, User } from '../kernel/users/user.ts'
import { type StoreWorld, storeWorld } from './stores.ts'

export const NOW_MS = Date.UTC(2026, 0, 15, 12)

/** Sessions of two users, on one database for all tests of a file. */
export interface SessionWorld extends StoreWorld {
  readonly ada: User
  readonly grace: User
  db(): AuthDb
  rows(): Promise<readonly Pick<AuthTables['gatepost_session'], keyof AuthTables['gatepost_session']>[]>
  open(token: string | null, nowMs?: number): Promise<OpenSession>
  check(token: string | null | undefined, nowMs?: number): Promise<SessionUser | null>
  /** Saves a session and returns the token for the client. @throws {Error} if there is none */
  kept(session: OpenSession): Promise<string>
  /** Returns the token of a new session. */
  signedIn(user?: User, nowMs?: number): Promise<string>
  withValues(values: Record<string, unknown>, user?: User): Promise<string>
  /** Adds the two users. */
  begin(): Promise<void>
  /** Removes everything and returns what was logged. */
  end(): Promise<readonly string[]>
}

export async function sessionWorld(openDatabase: (typeof testDatabases)[number][1]): Promise<SessionWorld> {
  const stores = await storeWorld(openDatabase)
  const people = new Map<string, User>()
  const person = (name: string): User => {
    const user = people.get(name)
    if (user === undefined) throw new Error(`no user ${name}`)
    return user
  }
  const world: SessionWorld = {
    ...stores,
    get ada() {
      return person('ada')
    },
    get grace() {
      return person('grace')
    },
    db: () => stores.test.database.db,
    rows: async () => world.db().selectFrom('gatepost_session').selectAll().orderBy('id').execute(),
    open: async (token, nowMs = NOW_MS) =>
      stores.sessions.open(token === null ? null : { kind: 'token', token }, {
        nowMs,
        ip: '192.0.2.1',
        userAgent: 'a browser',
      }),
    check: async (token, nowMs = NOW_MS) => stores.sessions.check(token ?? '', nowMs),
    async kept(session) {
      const told = await session.save()
      if (typeof told !== 'string') throw new Error('no token to send')
      return told
    },
    async signedIn(user = world.ada, nowMs = NOW_MS) {
      const session = await world.open(null, nowMs)
      await session.signIn(user)
      return world.kept(session)
    },
    async withValues(values, user) {
      const session = await world.open(null)
      for (const [key, value] of Object.entries(values)) session.set(key, value)
      if (user !== undefined) await session.signIn(user)
      return world.kept(session)
    },
    async begin() {
      for (const username of ['ada', 'grace']) {
        people.set(username, await stores.users.insert(world.db(), { username }, `hash of ${username}`, NOW_MS))
      }
    },
    async end() {
      await stores.sessions.settle()
      await stores.empty()
      return stores.logged.splice(0)
    },
  }
  return world
}
