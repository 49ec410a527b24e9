import { testDatabases } from '@gatepost/sql/testing'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld, ORIGIN } from '../../testing/auth-world.ts'
import type { Visited, Visitor } from '../../testing/visitor.ts'

const OLD = 'tangerine-orbit-42'
const NEW = 'velvet-plinth-77'
const RESET = '/accounts/password/reset/'
const DONE = '/accounts/password/reset/key/done/'
const newPasswordPair = (password: string): Record<string, string> => ({ password1: password, password2: password })

let world: AuthWorld
afterEach(() => world.close())

async function withAda(...options: Parameters<typeof authWorld>): Promise<void> {
  world = await authWorld(...options)
  await world.addUser({ username: 'ada', email: 'ada@example.org', password: OLD })
}
const signsIn = async (password: string): Promise<boolean> => {
  const visitor = world.visitor({ ip: '192.0.2.77' })
  await visitor.login('ada', password)
  return (await visitor.whoami()) === 'ada'
}
/** Returns the path of the link in the newest mail. */
async function linkTo(email: string): Promise<string> {
  const { text } = await world.mailTo(email)
  const path = new RegExp(`${ORIGIN}(/accounts/password/reset/key/\\S+)`).exec(text)?.[1]
  if (path === undefined) throw new Error(`there is no link in ${text}`)
  return path
}
async function requestResetLink(visitor: Visitor): Promise<string> {
  await visitor.post(RESET, { email: 'ada@example.org' })
  return linkTo('ada@example.org')
}
const maskVisitedAddresses = ({ status, location, text, headers }: Visited): unknown => ({
  status,
  location,
  text: text.replaceAll(/\S+@example.org/g, ''),
  cookies: headers.getSetCookie().map((line) => line.replace(/=[^;]*/, '')),
})

describe('a reset by link', () => {
  it('leads from the mail to a new password, on a page without the key in its URL', async () => {
    await withAda()
    const visitor = world.visitor()
    const other = world.visitor({ ip: '192.0.2.2' })
    await other.login('ada', OLD)
    const seen: string[] = []
    world.auth.signals.on('password_reset', ({ user }) => void seen.push(user.username))

    const answer = await visitor.post(RESET, { email: ' Ada@Example.ORG ' })
    expect([answer.status, answer.location]).toEqual([302, '/accounts/password/reset/done/'])
    expect((await visitor.follow(answer)).text).toContain('Check your inbox')

    const link = await linkTo('ada@example.org')
    const moved = await visitor.get(link)
    expect([moved.status, moved.location]).toEqual([302, '/accounts/password/reset/key/1-set-password/'])
    const page = await visitor.follow(moved)
    expect(page.html).toContain('action="/accounts/password/reset/key/1-set-password/"')
    expect(page.html).not.toContain(link.split('-').at(-1))

    const done = await visitor.post(page.at, newPasswordPair(NEW))
    expect([done.status, done.location]).toEqual([302, DONE])
    expect((await visitor.follow(done)).text).toContain('Your new password has been saved.')
    expect(seen).toEqual(['ada'])
    expect(await visitor.whoami()).toBeNull()
    expect(await other.whoami()).toBeNull()
    expect(await signsIn(OLD)).toBe(false)
    expect(await signsIn(NEW)).toBe(true)
    expect((await visitor.get(link)).text).toContain('This link no longer works')
  })

  it.each([
    ['changed', (link: string) => link.replace(/.\/$/, (end) => (end === '0/' ? '1/' : '0/'))],
    ['of somebody else', (link: string) => link.replace('/1-', '/2-')],
    ['cut off', (link: string) => `${link.slice(0, -9)}/`],
    ['without a key', () => '/accounts/password/reset/key/1-set-password/'],
    ['malformed', () => '/accounts/password/reset/key/%zz-%00/'],
  ])('does not work with a link that is %s', async (_why, change) => {
    await withAda()
    const visitor = world.visitor()
    const link = change(await requestResetLink(visitor))
    for (const page of [await visitor.get(link), await visitor.post(link, newPasswordPair(NEW))]) {
      expect(page.status).toBe(200)
      expect(page.text).toContain('This link no longer works')
    }
    const xhr = await visitor.get(link, { 'X-Requested-With': 'XMLHttpRequest' })
    expect(xhr.status).toBe(400)
    expect(await signsIn(OLD)).toBe(true)
  })

  it.each([
    ['three days', async () => world.clock.advance(259_201_000)],
    ['a login', () => signsIn(OLD)],
    [
      'another address',
      async () => {
        const { auth } = world
        const row = { userId: 1, email: 'new@example.org', verified: true, primary: false }
        await auth.account.emails.insert(auth.kernel.database.db, row)
      },
    ],
  ])('does not work after %s', async (_what, happens) => {
    await withAda()
    const visitor = world.visitor()
    const link = await requestResetLink(visitor)
    world.clock.advance(1_000)
    await happens()
    expect((await visitor.get(link)).text).toContain('This link no longer works')
  })

  it('shows the rules, and keeps the link valid until a password is accepted', async () => {
    await withAda()
    const visitor = world.visitor()
    const { at } = await visitor.follow(await visitor.get(await requestResetLink(visitor)))
    const refused = await visitor.post(at, { password1: '12345', password2: '54321' })
    expect(refused.status).toBe(200)
    expect(refused.text).toContain('too short')
    expect(refused.text).toContain("The passwords don't match.")
    expect((await visitor.post(at, newPasswordPair(NEW))).location).toBe(DONE)
  })

  it('works for scripts with the key in the URL', async () => {
    await withAda()
    const visitor = world.visitor()
    const link = await requestResetLink(visitor)
    const xhr = { 'X-Requested-With': 'XMLHttpRequest' }
    expect((await visitor.get(link, xhr)).status).toBe(200)
    const done = await visitor.post(link, newPasswordPair(NEW), xhr)
    expect([done.status, JSON.parse(done.html)]).toEqual([200, { location: DONE }])
    expect(await signsIn(NEW)).toBe(true)
  })

  it('signs out another user first, and keeps the owner signed in', async () => {
    await withAda()
    await world.addUser({ username: 'bob', email: 'bob@example.org', password: OLD })
    const bob = world.visitor()
    await bob.login('bob', OLD)
    const first = await bob.follow(await bob.get(await requestResetLink(bob)))
    expect(await bob.whoami()).toBe('bob')
    await bob.post(first.at, newPasswordPair(NEW))
    expect(await bob.whoami()).toBeNull()

    const ada = world.visitor()
    await ada.login('ada', NEW)
    world.clock.advance(60_000)
    const second = await ada.follow(await ada.get(await requestResetLink(ada)))
    expect((await ada.post(second.at, newPasswordPair(OLD))).location).toBe(DONE)
    expect(await ada.whoami()).toBe('ada')
  })

  it('signs in if the settings say so, through all stages', async () => {
    await withAda({ settings: { account: { loginOnPasswordReset: true } } })
    const records: string[] = []
    const visitor = world.visitor()
    const { at } = await visitor.follow(await visitor.get(await requestResetLink(visitor)))
    world.auth.signals.on('authentication_step_completed', ({ method }) => void records.push(method))
    expect((await visitor.post(at, newPasswordPair(NEW))).location).toBe(DONE)
    expect(await visitor.whoami()).toBe('ada')
    expect(records).toEqual(['password_reset'])
  })

  it("forgets the failed logins of this user, not those of the visitor's address", async () => {
    await withAda({ settings: { account: { rateLimits: { login_failed: '3/m/ip,2/300s/key' } } } })
    const guesser = world.visitor({ ip: '192.0.2.66' })
    for (const guess of ['a', 'b', 'c']) await guesser.login('ada', guess)
    const visitor = world.visitor({ ip: '192.0.2.66' })
    expect((await visitor.login('ada', OLD)).text).toContain('Too many attempts.')
    const { at } = await visitor.follow(await visitor.get(await requestResetLink(visitor)))
    await visitor.post(at, newPasswordPair(NEW))
    expect(await signsIn(NEW)).toBe(true)
    for (const guess of ['a', 'b', 'c']) await guesser.login('nobody', guess)
    expect((await guesser.login('ada', NEW)).text).toContain('Too many attempts.')
  })

  it.each(testDatabases)('counts once, also for two visitors at the same time, on %s', async (_name, open) => {
    await withAda({}, open)
    const [one, two] = [world.visitor(), world.visitor({ ip: '192.0.2.2' })]
    const link = await requestResetLink(one)
    const pages = await Promise.all([one, two].map(async (visitor) => visitor.follow(await visitor.get(link))))
    const [first, second] = await Promise.all([
      one.post(pages[0]?.at ?? '', newPasswordPair(NEW)),
      two.post(pages[1]?.at ?? '', newPasswordPair('plinth-velvet-78')),
    ])
    expect([first.status, second.status].toSorted((a, b) => a - b)).toEqual([200, 302])
    const lost = first.status === 200 ? first : second
    expect(lost.text).toContain('This password reset link is invalid or has expired.')
    expect(await signsIn(first.status === 302 ? NEW : 'plinth-velvet-78')).toBe(true)
  })
})

describe('a request for a reset', () => {
  it('looks the same for an unknown address, whose owner gets a mail', async () => {
    await withAda()
    const [known, unknown] = [world.visitor(), world.visitor()]
    const answers = [
      await known.post(RESET, { email: 'ada@example.org' }),
      await unknown.post(RESET, { email: 'eve@example.org' }),
    ].map(maskVisitedAddresses)
    expect(answers[0]).toEqual(answers[1])
    expect((await world.mailTo('eve@example.org')).text).toContain("but there's no account with this address.")
  })

  it('reports an unknown address if the settings allow it', async () => {
    await withAda({ settings: { account: { preventEnumeration: false } } })
    const page = await world.visitor().post(RESET, { email: 'eve@example.org' })
    expect(page.status).toBe(200)
    expect(page.text).toContain('No account found with this email address.')
    expect(await world.mails()).toEqual([])
  })

  it('mails every owner of an unverified address, but only the verified owner if there is one', async () => {
    await withAda()
    await world.addUser({ username: 'bob', email: 'shared@example.org', password: OLD, verified: false })
    await world.addUser({ username: 'cyd', email: 'shared@example.org', password: OLD, verified: false })
    await world.visitor().post(RESET, { email: 'shared@example.org' })
    expect((await world.mails()).filter(({ to }) => to === 'shared@example.org')).toHaveLength(2)
    await world.addUser({ username: 'dan', email: 'shared@example.org' })
    await world.visitor().post(RESET, { email: 'shared@example.org' })
    const mails = (await world.mails()).filter(({ to }) => to === 'shared@example.org')
    expect(mails).toHaveLength(3)
    expect(mails[2]?.text).toContain('dan')
  })

  it('mails to the stored address, however it was typed', async () => {
    await withAda()
    await world.addUser({ username: 'fi', email: 'fi@example.org', password: OLD })
    await world.visitor().post(RESET, { email: 'ﬁ@example.org' })
    expect((await world.mails()).map(({ to }) => to)).toEqual(['fi@example.org'])
  })

  it('mails nothing to a deactivated account, and its links are invalid', async () => {
    await withAda()
    const visitor = world.visitor()
    const link = await requestResetLink(visitor)
    const { auth } = world
    await auth.kernel.users.update(auth.kernel.database.db, 1, { isActive: false })
    expect((await visitor.get(link)).text).toContain('This link no longer works')
    await visitor.post(RESET, { email: 'ada@example.org' })
    expect((await world.mailTo('ada@example.org')).text).toContain("but there's no account with this address.")
  })

  it('may be made five times a minute for an address', async () => {
    await withAda()
    for (let ip = 1; ip <= 5; ip += 1) {
      expect((await world.visitor({ ip: `192.0.2.${ip}` }).post(RESET, { email: 'ada@example.org' })).status).toBe(302)
    }
    const refused = await world.visitor({ ip: '192.0.2.9' }).post(RESET, { email: 'ADA@example.org' })
    expect(refused.status).toBe(429)
    expect(await world.mails()).toHaveLength(5)
  })

  it('handles any text without a server error', async () => {
    await withAda({ settings: { account: { rateLimits: false } } })
    const visitor = world.visitor()
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 400 }), async (email) => {
        expect((await visitor.post(RESET, { email })).status).toBeLessThan(400)
      }),
      { numRuns: 15 },
    )
  })
})

it("without local accounts these pages don't exist; by link there is no code page", async () => {
  world = await authWorld()
  expect((await world.visitor().get('/accounts/password/reset/confirm/')).status).toBe(404)
  expect((await world.visitor().get('/accounts/password/reset/complete/')).status).toBe(404)
})
