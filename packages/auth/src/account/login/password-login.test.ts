import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import { observableVisit } from '../../testing/same-visit.ts'

const LOGIN = '/accounts/login/'
const HOME = '/accounts/profile/'
const PASSWORD = 'a made-up pass phrase'
const ADA = { username: 'Ada', email: 'ada@example.org', password: PASSWORD }
const EITHER = { account: { loginMethods: ['username', 'email'], emailVerification: 'none' } } as const

let world: AuthWorld
const open = async (options: Parameters<typeof authWorld>[0] = { settings: EITHER }): Promise<AuthWorld> => {
  world = await authWorld(options)
  return world
}
afterEach(() => world.close())

describe('signing in by password', () => {
  it.each([
    ['the address', 'ada@example.org'],
    ['the address in other letters', 'ADA@Example.ORG'],
    ['the user name', 'Ada'],
    ['the user name in other letters', 'aDA'],
    ['blanks around it', '  Ada '],
  ])('takes %s', async (_why, login) => {
    await open()
    await world.addUser(ADA)
    const ada = world.visitor()
    const signedIn = await ada.login(login, PASSWORD)
    expect([signedIn.status, signedIn.location]).toEqual([302, HOME])
    expect(await ada.whoami()).toBe('Ada')
  })

  it("accepts a username that looks like another user's address", async () => {
    await open()
    await world.addUser(ADA)
    await world.addUser({ username: 'ada@example.org', email: 'eve@example.org', password: 'another made-up phrase' })
    const eve = world.visitor()
    await eve.login('ada@example.org', 'another made-up phrase')
    expect(await eve.whoami()).toBe('ada@example.org')
  })

  it('issues a new session token and CSRF secret, and records the time', async () => {
    await open()
    const { id } = await world.addUser(ADA)
    const ada = world.visitor()
    await ada.get('/accounts/login/?next=/x')
    ada.cookies.set('sessionid', 'planted-by-somebody-else')
    const csrf = ada.cookies.get('csrftoken')
    await ada.login('Ada', PASSWORD)
    expect(ada.cookies.get('sessionid')).not.toBe('planted-by-somebody-else')
    expect(ada.cookies.get('csrftoken')).not.toBe(csrf)
    const stored = await world.auth.kernel.users.byId(world.auth.kernel.database.db, id)
    expect(stored?.lastLoginMs).toBe(world.clock.now())
  })

  it('responds the same to an unknown user, a wrong password, an account without one and a disabled one', async () => {
    await open()
    await world.addUser(ADA)
    await world.addUser({ username: 'none', email: 'none@example.org' })
    await world.addUser({ username: 'off', email: 'off@example.org', password: PASSWORD, isActive: false })
    const answers: unknown[] = []
    for (const login of ['ada@example.org', 'none@example.org', 'off@example.org', 'nobody@example.org']) {
      const visitor = world.visitor()
      await visitor.get(LOGIN)
      const answer = await visitor.login(login, 'wrong')
      expect(answer.text).toContain('Incorrect email address or password.')
      answers.push(JSON.parse(JSON.stringify(observableVisit(answer)).replaceAll(login, 'X')))
    }
    expect(answers.slice(1)).toEqual(Array.from({ length: 3 }, () => answers[0]))
  })

  it('computes one hash for an unknown user and for an account without a password, as for a wrong one', async () => {
    await open()
    await world.addUser(ADA)
    await world.addUser({ username: 'none', email: 'none@example.org' })
    const { passwords } = world.auth.kernel
    const count: string[] = []
    const { verify, verifyDummy } = passwords
    Object.assign(passwords, {
      verify: (...args: Parameters<typeof verify>) => (count.push('hash'), verify(...args)),
      verifyDummy: (...args: Parameters<typeof verifyDummy>) => (count.push('hash'), verifyDummy(...args)),
    })
    for (const login of ['ada@example.org', 'none@example.org', 'nobody@example.org', 'Ada', 'nobody']) {
      count.length = 0
      await world.visitor().login(login, 'wrong')
      expect([login, count]).toEqual([login, ['hash']])
    }
  })

  it('never shows the typed password, and names the error after the identifier', async () => {
    await open()
    const visitor = world.visitor()
    const byName = await visitor.login('nobody', 'typed-in-secret')
    expect(byName.text).toContain('Incorrect username or password.')
    expect(byName.html).not.toContain('typed-in-secret')
    expect((await visitor.login('', '')).text).toContain('This field is required.')
    expect((await visitor.login('no\0body', 'x')).status).toBe(200)
    expect((await visitor.login('n'.repeat(400), 'x'.repeat(5000))).status).toBe(200)
  })

  it('shows a deactivated account its page, only for the correct password', async () => {
    await open()
    await world.addUser({ ...ADA, isActive: false })
    const ada = world.visitor()
    const answer = await ada.login('Ada', PASSWORD)
    expect(answer.location).toBe('/accounts/inactive/')
    expect((await ada.follow(answer)).status).toBe(200)
    expect(await ada.whoami()).toBeNull()
  })

  it('requires a CSRF token', async () => {
    await open()
    await world.addUser(ADA)
    const answer = await world.visitor().post(LOGIN, { login: 'Ada', password: PASSWORD, csrfmiddlewaretoken: 'x' })
    expect(answer.status).toBe(403)
  })

  it('keeps a session as long as the visitor chose, or the site did', async () => {
    await open()
    await world.addUser(ADA)
    const lives = async (fields: Record<string, string>): Promise<boolean> => {
      const answer = await world.visitor().login('Ada', PASSWORD, fields)
      const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('sessionid='))
      return /max-age/i.test(cookie ?? '')
    }
    expect([await lives({}), await lives({ remember: 'on' })]).toEqual([false, true])
    await world.close()
    await open({ settings: { account: { ...EITHER.account, sessionRemember: true } } })
    await world.addUser(ADA)
    expect(await lives({})).toBe(true)
    expect((await world.visitor().get(LOGIN)).html).not.toContain('name="remember"')
  })

  it('emits the signals in order', async () => {
    await open()
    await world.addUser(ADA)
    const told: unknown[] = []
    world.auth.signals.on('authentication_step_completed', ({ signal, sender, user, method, ...rest }) => {
      told.push([signal, sender, user.username, method, rest['email']])
    })
    world.auth.signals.on('user_logged_in', ({ signal, sender, user, response }) => {
      told.push([signal, sender, user.username, response.redirectTo])
    })
    const ada = world.visitor()
    const answer = await ada.login('ada@example.org', PASSWORD)
    expect(told).toEqual([
      ['authentication_step_completed', 'User', 'Ada', 'password', 'ada@example.org'],
      ['user_logged_in', 'User', 'Ada', HOME],
    ])
    expect((await ada.get(LOGIN)).location).toBe(HOME)
    expect(answer.headers.get('cache-control')).toContain('no-store')
  })

  it('signs no one in when a receiver fails', async () => {
    await open()
    await world.addUser(ADA)
    world.auth.signals.on('user_logged_in', () => {
      throw new Error('a receiver of the host')
    })
    const ada = world.visitor()
    expect((await ada.login('Ada', PASSWORD)).status).toBe(500)
    expect(await ada.whoami()).toBeNull()
  })
})

describe('old password hashes', () => {
  it.each([
    ['md5', 'md5$seasalt$1e9bf2bf5606aa5c39852cc30f0f6f22', 'password'],
    ['typed with a blank', 'md5$seasalt$1e9bf2bf5606aa5c39852cc30f0f6f22', ' password'],
  ])('are upgraded at login: %s', async (_why, encoded, password) => {
    await open()
    const { id } = await world.addUser(ADA)
    const { auth } = world
    await auth.kernel.users.setPassword(auth.kernel.database.db, id, encoded)
    const ada = world.visitor()
    expect((await ada.login('Ada', password)).location).toBe(HOME)
    expect(await auth.kernel.users.loadPasswordHash(auth.kernel.database.db, id)).toMatch(/^argon2\$argon2id\$/)
    expect(await ada.whoami()).toBe('Ada')
    expect((await world.visitor().login('Ada', password)).location).toBe(HOME)
  })

  it('do not prevent a login if upgrading fails', async () => {
    await open()
    const { id } = await world.addUser(ADA)
    const { auth } = world
    await auth.kernel.users.setPassword(auth.kernel.database.db, id, 'md5$seasalt$1e9bf2bf5606aa5c39852cc30f0f6f22')
    Object.assign(auth.kernel.users, { setPassword: () => Promise.reject(new Error('the disk is full')) })
    expect((await world.visitor().login('Ada', 'password')).location).toBe(HOME)
    expect(world.logged.map(({ message }) => message)).toContain('An outdated password hash could not be upgraded')
  })
})
