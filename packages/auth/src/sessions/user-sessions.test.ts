import { testDatabases } from '@gatepost/sql/testing'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import type { From } from '../account/guards.ts'
import type { Visit } from '../kernel/visit.ts'
import { parseTime, timeText } from '../kernel/schema/values.ts'
import type { AuthSettingsInput } from '../kernel/settings/settings.ts'
import type { AuthSignals } from '../compose.ts'
import { type AuthWorld, authWorld, ORIGIN } from '../testing/auth-world.ts'
import type { Visitor } from '../testing/visitor.ts'
import type { User } from '../kernel/users/user.ts'
import { createUserSessions } from './module.ts'
import type { UserSession, UserSessionsAdapterInput } from './user-session.ts'

const PASSWORD = 'a made-up pass phrase'
const MINUTE = 60_000
const ON: AuthSettingsInput = { usersessions: { enabled: true } }
const TRACKED: AuthSettingsInput = { usersessions: { enabled: true, trackActivity: true } }
const HOME: From = { remoteAddress: '192.0.2.1' }

describe.each(testDatabases)('sessions of users on %s', (_name, open) => {
  let world: AuthWorld
  let ada: User
  let changes: AuthSignals['session_client_changed'][]
  afterEach(() => world.close())

  async function begin(settings: AuthSettingsInput, usersessions?: UserSessionsAdapterInput): Promise<void> {
    world = await authWorld(
      { settings, ...(usersessions === undefined ? {} : { adapters: { sessions: usersessions } }) },
      open,
    )
    ada = await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD })
    changes = []
    world.auth.signals.on('session_client_changed', (event) => void changes.push(event))
  }
  async function signedIn(as: { ip?: string; userAgent?: string } = {}): Promise<Visitor> {
    const visitor = world.visitor(as)
    expect(await visitor.login('ada', PASSWORD)).toMatchObject({ status: 302 })
    return visitor
  }
  /** Runs `work` in the frame of a request with the cookies of `visitor`. */
  async function as<R>(
    { cookies }: Visitor,
    work: (request: Visit) => Promise<R>,
    from: From = HOME,
    userAgent = 'TestBrowser/1.0',
  ): Promise<R> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, host: new URL(ORIGIN).host, 'user-agent': userAgent }
    return (await world.auth.visit(new Request(ORIGIN, { headers }), from, work)).result
  }
  const list = (visitor: Visitor): Promise<readonly UserSession[]> =>
    as(visitor, (request) => world.auth.module('sessions').list(request, ada))
  const rows = () =>
    world.auth.kernel.database.db.selectFrom('usersessions_usersession').selectAll().orderBy('id').execute()

  it('records a sign-in, and distinguishes sessions', async () => {
    await begin(ON)
    const laptop = await signedIn({ ip: '2001:DB8::1', userAgent: 'Laptop/1.0' })
    world.clock.advance(MINUTE)
    const phone = await signedIn({ userAgent: 'Phone/1.0' })
    const now = world.clock.now()
    const later = { userId: ada.id, ip: '192.0.2.1', userAgent: 'Phone/1.0', createdAtMs: now, lastSeenAtMs: now }
    const first = { ip: '2001:db8::1', userAgent: 'Laptop/1.0', createdAtMs: now - MINUTE, lastSeenAtMs: now - MINUTE }
    expect(await list(phone)).toMatchObject([
      { ...later, isCurrent: true },
      { ...first, isCurrent: false },
    ])
    expect((await list(laptop)).map(({ isCurrent }) => isCurrent)).toEqual([false, true])
    const sessions = await world.auth.kernel.database.db.selectFrom('gatepost_session').select('id').execute()
    expect((await rows()).map((row) => row.session_key).toSorted()).toEqual(sessions.map(({ id }) => id).toSorted())
  })

  it('starts over after a password change, which ends the others', async () => {
    await begin(ON)
    const visitor = await signedIn()
    await signedIn()
    world.clock.advance(MINUTE)
    const fields = { oldpassword: PASSWORD, password1: 'another made-up phrase', password2: 'another made-up phrase' }
    expect(await visitor.post('/accounts/password/change/', fields)).toMatchObject({ status: 302 })
    const now = world.clock.now()
    const [only] = await rows()
    const expected = { id: only?.id, createdAtMs: now, lastSeenAtMs: now, isCurrent: true }
    expect([await list(visitor), await rows()]).toMatchObject([[expected], [{ session_key: only?.session_key }]])
  })

  it('writes nothing while it is off', async () => {
    await begin({})
    const visitor = await signedIn()
    await visitor.get('/accounts/email/')
    expect(await rows()).toEqual([])
  })

  it('lists sessions that began when it was off, and knows them from then on', async () => {
    await begin({ usersessions: { enabled: false } })
    const visitor = await signedIn({ ip: '192.0.2.7', userAgent: `Browser/${'1'.repeat(300)}` })
    // The module as an instance has it that was switched on later.
    const sessions = createUserSessions(world.auth.account, undefined)
    const listLater = (): Promise<readonly UserSession[]> => as(visitor, (request) => sessions.list(request, ada))
    const [first] = await listLater()
    expect(first).toMatchObject({ ip: '192.0.2.7', isCurrent: true, createdAtMs: world.clock.now() })
    expect(first?.userAgent).toHaveLength(200)
    expect(await listLater()).toEqual([first])
  })

  it.each([
    ['this application or another', false],
    ['this application, not of an old site that is in use', true],
  ])('removes rows of ended sessions, of %s', async (_why, isInUse) => {
    await begin(ON)
    if (isInUse) {
      await sql`create table django_migrations (id integer primary key)`.execute(world.auth.kernel.database.db)
      await world.auth.kernel.oldSite.load()
    }
    const old = isInUse ? 1 : 0
    const kept = await signedIn()
    const ended = await signedIn()
    const [row] = await rows()
    const { dialect, db } = world.auth.kernel.database
    const at = timeText(world.clock.now(), dialect)
    const foreign = { ip: '192.0.2.1', user_agent: 'Old/1.0', data: '{}', created_at: at, last_seen_at: at }
    await db
      .insertInto('usersessions_usersession')
      .values({ ...foreign, session_key: 'x'.repeat(32), user_id: row?.user_id ?? 0 })
      .execute()
    await ended.post('/accounts/logout/')
    expect(await rows()).toHaveLength(3)
    expect(await list(kept)).toHaveLength(1)
    expect(await rows()).toHaveLength(1 + old)
    world.clock.advance(8 * 24 * 60 * MINUTE)
    const nobody = await world.auth.module('sessions').ofUser(world.auth.kernel.database.db, ada.id, world.clock.now())
    expect(nobody).toEqual([])
    expect((await rows()).map((left) => left.session_key)).toEqual(isInUse ? ['x'.repeat(32)] : [])
  })

  it('shows the later last request of the row and the session', async () => {
    await begin(ON)
    const visitor = await signedIn()
    world.clock.advance(5 * MINUTE)
    await visitor.get('/accounts/email/')
    await world.auth.kernel.sessions.settle()
    expect(await list(visitor)).toMatchObject([{ lastSeenAtMs: world.clock.now() }])
  })

  it('does not know an address as 0.0.0.0', async () => {
    await begin(ON)
    const visitor = await signedIn({ ip: 'nowhere' }).catch(() => null)
    expect(visitor).toBeNull()
    const known = await signedIn()
    await as(known, (request) => world.auth.module('sessions').record({ ...request, clientIp: null }, ada))
    expect((await list(known)).map(({ ip }) => ip)).toEqual(['192.0.2.1'])
    await world.auth.kernel.database.db.updateTable('usersessions_usersession').set({ ip: '0.0.0.0' }).execute()
    expect((await list(known)).map(({ ip }) => ip)).toEqual([''])
  })

  describe('ending', () => {
    it('ends the other sessions, and keeps this one', async () => {
      await begin(ON)
      const [own, other] = [await signedIn(), await signedIn()]
      const sessions = await list(own)
      await as(own, (request) =>
        world.auth.module('sessions').end(
          request,
          ada,
          sessions.filter(({ isCurrent }) => !isCurrent),
        ),
      )
      expect([await own.whoami(), await other.whoami()]).toEqual(['ada', null])
      expect(await rows()).toHaveLength(1)
    })

    it('signs out with the current one', async () => {
      await begin(ON)
      const visitor = await signedIn()
      const sessions = await list(visitor)
      const out: string[] = []
      world.auth.signals.on('user_logged_out', ({ user }) => void out.push(user.username))
      const after = await as(visitor, async (request) => {
        await world.auth.module('sessions').end(request, ada, sessions)
        return request.user
      })
      expect([after, await visitor.whoami(), await rows(), out]).toEqual([null, null, [], ['ada']])
    })

    it("never ends another user's sessions", async () => {
      await begin(ON)
      const visitor = await signedIn()
      const grace = await world.addUser({ username: 'grace', email: 'grace@example.org', password: PASSWORD })
      const hers = world.visitor()
      await hers.login('grace', PASSWORD)
      const foreign = await as(hers, (request) => world.auth.module('sessions').list(request, grace))
      const ids = foreign.map(({ id }) => id)
      const found = await as(visitor, async (request) => {
        await world.auth.module('sessions').end(request, ada, foreign)
        return world.auth.module('sessions').find(request, ada, ids)
      })
      expect([found, ids.length, await hers.whoami()]).toEqual([[], 1, 'grace'])
    })

    it('asks the hook of the host', async () => {
      const asked: string[] = []
      await begin(ON, (defaults) => ({
        async endSessions(request, sessions) {
          asked.push(...sessions.map(({ userAgent }) => userAgent))
          await defaults.endSessions(request, sessions.slice(1))
        },
      }))
      const [first, second] = [await signedIn({ userAgent: 'A/1' }), await signedIn({ userAgent: 'B/1' })]
      const own = await signedIn({ userAgent: 'C/1' })
      const others = (await list(own)).filter(({ isCurrent }) => !isCurrent).toSorted((a, b) => a.id - b.id)
      await as(own, (request) => world.auth.module('sessions').end(request, ada, others))
      expect([asked, await first.whoami(), await second.whoami()]).toEqual([['A/1', 'B/1'], 'ada', null])
    })
  })

  describe('activity', () => {
    it('writes the time once a minute', async () => {
      await begin(TRACKED)
      const visitor = await signedIn()
      const begun = world.clock.now()
      const seen = async (): Promise<number> => {
        await visitor.get('/accounts/email/')
        const row = await world.auth.kernel.database.db
          .selectFrom('usersessions_usersession')
          .select('last_seen_at')
          .executeTakeFirstOrThrow()
        return parseTime(row.last_seen_at)
      }
      world.clock.advance(MINUTE - 1)
      expect(await seen()).toBe(begun)
      world.clock.advance(1)
      expect(await seen()).toBe(begun + MINUTE)
      expect(changes).toEqual([])
    })

    it('signals another IP address or browser once, and stores it', async () => {
      await begin(TRACKED)
      const visitor = await signedIn()
      const [before] = await list(visitor)
      world.clock.advance(1_000)
      const elsewhere = (ip: string, userAgent: string): Promise<void> =>
        as(visitor, (request) => world.auth.module('sessions').track(request), { remoteAddress: ip }, userAgent)
      await Promise.all([elsewhere('2001:db8::2', 'Other/1.0'), elsewhere('2001:db8::2', 'Other/1.0')])
      expect(changes).toHaveLength(1)
      const seen = { ip: '2001:db8::2', userAgent: 'Other/1.0', lastSeenAtMs: world.clock.now() }
      expect(changes[0]).toMatchObject({
        sender: 'UserSession',
        from_session: { ...before, isCurrent: true },
        to_session: { ...before, ...seen, isCurrent: true },
      })
      expect(await rows()).toMatchObject([{ ip: '2001:db8::2', user_agent: 'Other/1.0' }])
    })

    it('shows the address and the browser of the request that asks for the list', async () => {
      await begin({ ...TRACKED, headless: { enabled: true } })
      await signedIn()
      const app = world.api('app', { userAgent: 'App/2.0', ip: '192.0.2.7' })
      await app.post('auth/login', { username: 'ada', password: PASSWORD })
      const moved = world.api('app', { userAgent: 'App/3.0', ip: '192.0.2.8' })
      moved.sessionToken = app.sessionToken
      expect((await moved.get('auth/sessions')).body).toMatchObject({
        data: [{ ip: '192.0.2.8', user_agent: 'App/3.0' }, { user_agent: 'TestBrowser/1.0' }],
      })
      expect(changes).toHaveLength(1)
    })

    it('takes no notice of strangers, of an address that is not known, nor without the setting', async () => {
      await begin(TRACKED)
      const visitor = await signedIn()
      world.clock.advance(1)
      await world.visitor({ ip: '192.0.2.9' }).get('/accounts/login/')
      await as(visitor, (request) => world.auth.module('sessions').track(request), { remoteAddress: null })
      expect([changes, (await rows()).length]).toEqual([[], 1])
      await world.close()
      await begin(ON)
      const other = await signedIn()
      world.clock.advance(1)
      await as(other, (request) => world.auth.module('sessions').track(request), { remoteAddress: '192.0.2.9' })
      expect([changes, await rows()]).toMatchObject([[], [{ ip: '192.0.2.1' }]])
    })

    it('notes a session that has no row yet', async () => {
      await begin(TRACKED)
      const visitor = await signedIn()
      await world.auth.kernel.database.db.deleteFrom('usersessions_usersession').execute()
      await visitor.get('/accounts/email/')
      expect(await rows()).toMatchObject([{ ip: '192.0.2.1', user_agent: 'TestBrowser/1.0' }])
    })
  })

  it.each(['::1.2.3.4', '2001:DB8::1', '::ffff:192.0.2.1'])('stay those of the address %s', async (ip) => {
    await begin(TRACKED)
    const visitor = await signedIn({ ip })
    for (let time = 0; time < 2; time++) expect((await visitor.get('/accounts/email/')).status).toBe(200)
    expect(changes).toEqual([])
  })
})
