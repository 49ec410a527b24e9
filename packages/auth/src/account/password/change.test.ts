import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import type { Visitor } from '../../testing/visitor.ts'

const OLD = 'tangerine-orbit-42'
const NEW = ' velvet plinth 77 '
const CHANGE = '/accounts/password/change/'
const SET = '/accounts/password/set/'
const repeatedPassword = (password: string): Record<string, string> => ({ password1: password, password2: password })

let world: AuthWorld
afterEach(() => world.close())

/** Signs in Ada, who has a password. */
async function ada(...options: Parameters<typeof authWorld>): Promise<Visitor> {
  world = await authWorld(...options)
  await world.addUser({ username: 'ada', email: 'ada@example.org', password: OLD })
  const visitor = world.visitor()
  await visitor.login('ada', OLD)
  return visitor
}
const signsIn = async (password: string): Promise<boolean> => {
  const visitor = world.visitor({ ip: '192.0.2.77' })
  await visitor.login('ada', password)
  return (await visitor.whoami()) === 'ada'
}

describe('the page to change a password', () => {
  it('redirects anonymous visitors to sign in, and back', async () => {
    world = await authWorld()
    const { status, location } = await world.visitor().get(CHANGE)
    expect([status, location]).toEqual([302, `/accounts/login/?next=${CHANGE}`])
  })

  it('asks for the current password and twice for the new one, and shows none', async () => {
    const page = await (await ada()).get(CHANGE)
    expect(page.status).toBe(200)
    expect(page.html.match(/<input[^>]*type="password"/g)).toHaveLength(3)
    for (const name of ['oldpassword', 'password1', 'password2']) expect(page.html).toContain(`name="${name}"`)
  })

  it('changes it: this session gets a new token, all others end', async () => {
    const visitor = await ada()
    const other = world.visitor({ ip: '192.0.2.2' })
    await other.login('ada', OLD)
    const stolen = world.visitor()
    for (const [name, value] of visitor.cookies) stolen.cookies.set(name, value)
    const seen: string[] = []
    world.auth.signals.on('password_changed', ({ sender, user }) => void seen.push(`${sender} ${user.username}`))

    const answer = await visitor.post(CHANGE, { oldpassword: OLD, ...repeatedPassword(NEW) })
    expect([answer.status, answer.location]).toEqual([302, CHANGE])
    expect((await visitor.get(CHANGE)).text).toContain('Your password has been changed.')
    expect(await visitor.whoami()).toBe('ada')
    expect(await other.whoami()).toBeNull()
    expect(await stolen.whoami()).toBeNull()
    expect(seen).toEqual(['User ada'])
    expect(await signsIn(OLD)).toBe(false)
    expect(await signsIn(NEW.trim())).toBe(true)
    expect(await signsIn(NEW)).toBe(true)
  })

  it('reports all errors at once, and never renders a password', async () => {
    const visitor = await ada()
    const page = await visitor.post(CHANGE, { oldpassword: 'not-it-at-all', password1: 'ada', password2: 'adb' })
    expect(page.status).toBe(200)
    expect(page.text).toContain('Your current password is incorrect.')
    expect(page.text).toContain('This password is too short. Use at least 8 characters.')
    expect(page.text).toContain('too similar to your username')
    expect(page.text).toContain("The passwords don't match.")
    expect(page.html).not.toContain('not-it-at-all')
    expect(await signsIn(OLD)).toBe(true)
  })

  it('leads to `next` where that is safe', async () => {
    const visitor = await ada()
    expect((await visitor.post(CHANGE, { oldpassword: OLD, ...repeatedPassword(NEW), next: '/home' })).location).toBe(
      '/home',
    )
    const unsafe = { oldpassword: NEW, ...repeatedPassword(OLD), next: 'https://evil.example/' }
    expect((await visitor.post(CHANGE, unsafe)).location).toBe(CHANGE)
  })

  it('notifies the owner by mail if notifications are on', async () => {
    const visitor = await ada({ settings: { account: { emailNotifications: true } } })
    await visitor.post(CHANGE, { oldpassword: OLD, ...repeatedPassword(NEW) })
    const mail = await world.mailTo('ada@example.org')
    expect(mail.subject).toContain('password')
    expect(mail.text).toContain('192.0.2.1')
  })

  it('signs out if the settings say so', async () => {
    const visitor = await ada({ settings: { account: { logoutOnPasswordChange: true } } })
    await visitor.post(CHANGE, { oldpassword: OLD, ...repeatedPassword(NEW) })
    expect(await visitor.whoami()).toBeNull()
    expect(await signsIn(NEW)).toBe(true)
  })

  it('may be used five times a minute', async () => {
    const visitor = await ada()
    const guesses = Array.from({ length: 5 }, (_none, at) => ({ oldpassword: `guess-${at}`, ...repeatedPassword(NEW) }))
    for (const guess of guesses) expect((await visitor.post(CHANGE, guess)).status).toBe(200)
    const refused = await visitor.post(CHANGE, { oldpassword: OLD, ...repeatedPassword(NEW) })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await signsIn(OLD)).toBe(true)
  })

  it.each(testDatabases)('is made by one of two requests at the same time, on %s', async (_name, database) => {
    const visitor = await ada({ settings: { account: { emailNotifications: true } } }, database)
    const other = world.visitor({ ip: '192.0.2.2' })
    await other.login('ada', OLD)
    const changed: string[] = []
    world.auth.signals.on('password_changed', ({ user }) => void changed.push(user.username))
    const news = [NEW, NEW, 'marble cistern 31']
    const answers = await Promise.all(
      [visitor, visitor, other].map(async (by, at) =>
        by.post(CHANGE, { oldpassword: OLD, ...repeatedPassword(news[at] ?? '') }),
      ),
    )
    expect(answers.filter(({ location }) => location === CHANGE)).toHaveLength(1)
    expect([changed, await world.mails()]).toMatchObject([['ada'], [{ to: 'ada@example.org' }]])
  })

  it("uses the host's hooks and forms", async () => {
    const visitor = await ada({
      adapters: {
        account: {
          errorMessages: { enter_current_password: 'Nope.' },
          getPasswordChangeRedirectUrl: () => '/thanks',
        },
      },
      forms: {
        change_password: (base) => ({
          ...base,
          fields: (request) => [...base.fields(request), { name: 'why', label: 'Why', type: 'text', required: true }],
        }),
      },
    })
    const without = await visitor.post(CHANGE, { oldpassword: OLD, ...repeatedPassword(NEW) })
    expect(without.text).toContain('Why')
    expect(without.text).toContain('This field is required.')
    expect((await visitor.post(CHANGE, { oldpassword: 'x', ...repeatedPassword(NEW), why: 'x' })).text).toContain(
      'Nope.',
    )
    expect((await visitor.post(CHANGE, { oldpassword: OLD, ...repeatedPassword(NEW), why: 'x' })).location).toBe(
      '/thanks',
    )
  })
})

describe('the page to set a first password', () => {
  /** Signs in a user without a password. */
  async function grace(database?: (typeof testDatabases)[number][1]): Promise<Visitor> {
    const visitor = await ada({}, database)
    const { auth } = world
    const [user] = await auth.kernel.users.byEmail(auth.kernel.database.db, 'ada@example.org', {
      preferVerified: true,
      activeOnly: true,
    })
    if (user === undefined) throw new Error('there is no user')
    await auth.kernel.users.setPassword(auth.kernel.database.db, user.id, auth.kernel.passwords.unusable())
    const session = await auth.kernel.sessions.open(null, { nowMs: auth.kernel.clock.now(), ip: null, userAgent: 'x' })
    await session.signIn({ ...user, hasUsablePassword: false })
    visitor.cookies.set('sessionid', String(await session.save()))
    return visitor
  }

  it('is for users without one; each of the two pages redirects to the other', async () => {
    const visitor = await ada()
    expect((await visitor.get(SET)).location).toBe(CHANGE)
    expect((await visitor.post(SET, repeatedPassword(NEW))).location).toBe(CHANGE)
    await world.close()
    const without = await grace()
    expect((await without.get(CHANGE)).location).toBe(SET)
    expect((await without.get(SET)).status).toBe(200)
  })

  it.each(testDatabases)('is set by one of two requests at the same time, on %s', async (_name, database) => {
    const visitor = await grace(database)
    const set: string[] = []
    world.auth.signals.on('password_set', ({ user }) => void set.push(user.username))
    await Promise.all([NEW, 'marble cistern 31'].map(async (password) => visitor.post(SET, repeatedPassword(password))))
    expect(set).toEqual(['ada'])
  })

  it('sets it, and keeps the session', async () => {
    const visitor = await grace()
    const seen: string[] = []
    world.auth.signals.on('password_set', ({ user }) => void seen.push(user.username))
    const answer = await visitor.post(SET, repeatedPassword(NEW))
    expect([answer.status, answer.location]).toEqual([302, CHANGE])
    expect((await visitor.follow(answer)).text).toContain('Your password has been set.')
    expect(seen).toEqual(['ada'])
    expect(await signsIn(NEW)).toBe(true)
  })
})
