import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import type { Visitor } from '../../testing/visitor.ts'
import type { UserId } from '../../kernel/users/user.ts'

const SIGNUP = '/accounts/signup/'
const CONFIRM = '/accounts/confirm-email/'
const EMAIL = '/accounts/email/'
const PASSWORD = 'a made-up pass phrase'
const ADA = 'ada@example.org'

type Options = NonNullable<Parameters<typeof authWorld>[0]>
type Account = NonNullable<NonNullable<Options['settings']>['account']>
const BASE = {
  loginMethods: ['email'],
  signupFields: ['email*', 'password1*'],
  emailVerification: 'mandatory',
  emailVerificationByCodeEnabled: true,
} as const

let world: AuthWorld
const open = async (account: Account = {}, database?: (typeof testDatabases)[number][1]): Promise<void> => {
  world = await authWorld({ settings: { account: { ...BASE, ...account } } }, database)
}
afterEach(() => world.close())

const codeTo = async (email: string): Promise<string> =>
  /[B-Z]{4}-[B-Z]{4}/.exec((await world.mailTo(email)).text)?.[0] ?? ''
const loadEmailRows = (id: UserId): Promise<readonly unknown[]> =>
  world.auth.account.emails.ofUser(world.auth.kernel.database.db, id)
const signUp = async (email = ADA): Promise<Visitor> => {
  const visitor = world.visitor()
  await visitor.follow(await visitor.post(SIGNUP, { email, password1: PASSWORD }))
  return visitor
}
/** Returns a signed-in visitor with a verified address. */
const member = async (): Promise<Visitor> => {
  await world.addUser({ username: 'ada', email: ADA, password: PASSWORD })
  const visitor = world.visitor()
  await visitor.login(ADA, PASSWORD)
  return visitor
}

describe('verifying an address by code', () => {
  it('finishes the sign-up, ignoring case and dashes in the code, and redirects to `next`', async () => {
    await open()
    const visitor = world.visitor()
    const page = await visitor.follow(await visitor.post(`${SIGNUP}?next=/plan`, { email: ADA, password1: PASSWORD }))
    expect([page.at, page.text.includes(ADA)]).toEqual([`${CONFIRM}?next=/plan`, true])
    expect(await visitor.whoami()).toBeNull()
    const answer = await visitor.post(page.at, { code: ` ${(await codeTo(ADA)).toLowerCase().replace('-', ' ')} ` })
    expect(answer.location).toBe('/plan')
    expect(await visitor.whoami()).toBe('ada')
    expect(await loadEmailRows(1)).toMatchObject([{ email: ADA, verified: true, primary: true }])
  })

  it('works only in the session that requested it', async () => {
    await open()
    const ada = await signUp()
    const code = await codeTo(ADA)
    const stranger = world.visitor()
    expect((await stranger.post(CONFIRM, { code })).location).toBe('/accounts/login/')
    const eve = await signUp('eve@example.org')
    expect((await eve.post(CONFIRM, { code })).status).toBe(200)
    expect(await loadEmailRows(1)).toMatchObject([{ verified: false }])
    await ada.post(CONFIRM, { code })
    expect(await ada.whoami()).toBe('ada')
  })

  it('ends after three wrong codes, and with it the login', async () => {
    await open()
    const rejected: boolean[] = []
    world.auth.signals.on('email_verification_code_rejected', ({ last_attempt }) => void rejected.push(last_attempt))
    const ada = await signUp()
    const code = await codeTo(ADA)
    for (const wrong of ['BBBB-BBBB', 'CCCC-CCCC']) {
      expect((await ada.post(CONFIRM, { code: wrong })).text).toContain('Incorrect code.')
    }
    const last = await ada.post(CONFIRM, { code: 'DDDD-DDDD' })
    expect(last.location).toBe('/accounts/login/')
    expect((await ada.follow(last)).text).toContain('Too many attempts')
    expect((await ada.post(CONFIRM, { code })).location).toBe('/accounts/login/')
    expect(rejected).toEqual([false, false, true])
    expect(await loadEmailRows(1)).toMatchObject([{ verified: false }])
  })

  it('expires', async () => {
    await open({ emailVerificationByCodeTimeout: 100 })
    const ada = await signUp()
    world.clock.advance(101_000)
    const late = await ada.post(CONFIRM, { code: await codeTo(ADA) })
    expect((await ada.follow(late)).at).toBe('/accounts/login/')
    await ada.login(ADA, PASSWORD)
    await ada.post(CONFIRM, { code: await codeTo(ADA) })
    expect(await ada.whoami()).toBe('ada')
  })

  it('resends codes up to the limit; only the newest one works', async () => {
    await open({ emailVerificationSupportsResend: 1 })
    const ada = await signUp()
    const first = await codeTo(ADA)
    expect((await ada.get(CONFIRM)).html).toContain('value="resend"')
    await ada.post(CONFIRM, { action: 'resend' })
    expect(await world.mails()).toHaveLength(1)
    expect((await ada.get(CONFIRM)).text).toContain('Too many requests')
    world.clock.advance(11_000)
    await ada.post(CONFIRM, { action: 'resend' })
    expect(await world.mails()).toHaveLength(2)
    expect((await ada.get(CONFIRM)).html).not.toContain('value="resend"')
    world.clock.advance(11_000)
    await ada.post(CONFIRM, { action: 'resend' })
    expect(await world.mails()).toHaveLength(2)
    expect((await ada.post(CONFIRM, { code: first })).text).toContain('Incorrect code.')
    await ada.post(CONFIRM, { code: await codeTo(ADA) })
    expect(await ada.whoami()).toBe('ada')
  })

  it('changes the address of a user who never signed in', async () => {
    await open({ emailVerificationSupportsChange: 1 })
    await world.addUser({ username: 'bob', email: 'bob@example.org' })
    const ada = await signUp('adda@example.org')
    const old = await codeTo('adda@example.org')
    for (const [email, error] of [
      ['nothing', 'Enter a valid value.'],
      ['ADDA@example.org', "Enter a value that's different from your current one."],
    ] as const) {
      const page = await ada.post(CONFIRM, { action: 'change', email })
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(error)])
    }
    expect((await ada.post(CONFIRM, { action: 'change', email: ADA })).location).toBe(CONFIRM)
    expect(await loadEmailRows(2)).toMatchObject([{ email: ADA, verified: false, primary: true }])
    expect((await world.auth.kernel.users.byId(world.auth.kernel.database.db, 2))?.email).toBe(ADA)
    expect((await ada.post(CONFIRM, { code: old })).status).toBe(200)
    expect((await ada.get(CONFIRM)).html).not.toContain('value="change"')
    await ada.post(CONFIRM, { code: await codeTo(ADA) })
    expect(await ada.whoami()).toBe('adda')
  })

  it('hides that the other address is in use, unless that may be revealed', async () => {
    for (const [preventEnumeration, status] of [
      [true, 302],
      [false, 200],
    ] as const) {
      await open({ emailVerificationSupportsChange: 2, preventEnumeration })
      await world.addUser({ username: 'bob', email: 'bob@example.org' })
      const ada = await signUp()
      const page = await ada.post(CONFIRM, { action: 'change', email: 'bob@example.org' })
      expect(page.status).toBe(status)
      if (preventEnumeration) {
        expect((await world.mailTo('bob@example.org')).text).toContain('/accounts/password/reset/')
        expect(await loadEmailRows(2)).toMatchObject([{ email: ADA }])
        await ada.post(CONFIRM, { action: 'change', email: 'ada2@example.org' })
        await ada.post(CONFIRM, { code: await codeTo('ada2@example.org') })
        expect(await ada.whoami()).toBe('ada')
        await world.close()
      }
    }
  })

  it('is refused right away if its mail cannot be sent now, and no account is created', async () => {
    await open()
    await signUp()
    const { auth } = world
    await auth.kernel.users.remove(auth.kernel.database.db, 1)
    const again = await world.visitor().post(SIGNUP, { email: ADA, password1: PASSWORD })
    expect([again.status, Number(again.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(await auth.kernel.users.any(auth.kernel.database.db)).toBe(false)
  })

  it('is requested again at the next login', async () => {
    await open()
    await signUp()
    world.clock.advance(20_000)
    const later = world.visitor()
    expect((await later.login(ADA, PASSWORD)).location).toBe(CONFIRM)
    expect((await later.get('/accounts/login/')).location).toBe(CONFIRM)
    await later.post(CONFIRM, { code: await codeTo(ADA) })
    expect(await later.whoami()).toBe('ada')
  })

  it('is dropped by a logout', async () => {
    await open()
    const ada = await signUp()
    await ada.post('/accounts/logout/')
    expect((await ada.post(CONFIRM, { code: await codeTo(ADA) })).location).toBe('/accounts/login/')
  })
})

describe('adding an address by code', () => {
  it('stores it only once the code is right', async () => {
    await open()
    const heard: string[] = []
    for (const name of ['email_added', 'email_confirmed'] as const) {
      world.auth.signals.on(name, ({ email_address }) => void heard.push(`${name} ${email_address.email}`))
    }
    const ada = await member()
    const answer = await ada.post(EMAIL, { action_add: '', email: 'Second@example.org' })
    expect(answer.location).toBe(CONFIRM)
    expect(await loadEmailRows(1)).toHaveLength(1)
    expect((await ada.get(EMAIL)).text).toContain('second@example.org')
    const confirmed = await ada.post(CONFIRM, { code: await codeTo('second@example.org') })
    expect(confirmed.location).toBe('/accounts/profile/')
    expect(await loadEmailRows(1)).toMatchObject([
      { email: ADA, primary: true },
      { email: 'second@example.org', verified: true, primary: false },
    ])
    expect(heard).toEqual(['email_added second@example.org', 'email_confirmed second@example.org'])
  })

  it('is cancelled by removing the address', async () => {
    await open()
    const ada = await member()
    await ada.post(EMAIL, { action_add: '', email: 'second@example.org' })
    await ada.post(EMAIL, { action_remove: '', email: 'second@example.org' })
    expect((await ada.post(CONFIRM, { code: await codeTo('second@example.org') })).location).toBe(EMAIL)
    expect(await loadEmailRows(1)).toHaveLength(1)
  })

  it('is refused when another user has verified it in the meantime', async () => {
    await open()
    const ada = await member()
    await ada.post(EMAIL, { action_add: '', email: 'second@example.org' })
    await world.addUser({ username: 'bob', email: 'second@example.org' })
    const answer = await ada.post(CONFIRM, { code: await codeTo('second@example.org') })
    expect(answer.text).toContain('An account with this email address already exists.')
    expect(await loadEmailRows(1)).toHaveLength(1)
  })

  it('cannot exceed the maximum number of addresses', async () => {
    await open({ maxEmailAddresses: 2 })
    const ada = await member()
    const other = world.visitor()
    await other.login(ADA, PASSWORD)
    await ada.post(EMAIL, { action_add: '', email: 'second@example.org' })
    await other.post(EMAIL, { action_add: '', email: 'third@example.org' })
    await ada.post(CONFIRM, { code: await codeTo('second@example.org') })
    const refused = await other.post(CONFIRM, { code: await codeTo('third@example.org') })
    expect(refused.text).toContain('You can have up to 2')
    expect(await loadEmailRows(1)).toHaveLength(2)
  })

  it('replaces the only address, and notifies the old one', async () => {
    await open({ changeEmail: true, emailNotifications: true })
    const ada = await member()
    await ada.post(EMAIL, { action_add: '', email: 'new@example.org' })
    expect(await loadEmailRows(1)).toMatchObject([{ email: ADA }])
    await ada.post(CONFIRM, { code: await codeTo('new@example.org') })
    expect(await loadEmailRows(1)).toMatchObject([{ email: 'new@example.org', verified: true, primary: true }])
    const { auth } = world
    expect((await auth.kernel.users.byId(auth.kernel.database.db, 1))?.email).toBe('new@example.org')
    expect((await world.mailTo(ADA)).text).toContain('new@example.org')
  })
})

describe.each(testDatabases)('two requests with one code on %s', (_name, database) => {
  it('cannot use the same attempt or code twice', async () => {
    await open({}, database)
    const ada = await signUp()
    const wrong = ['BBBB-BBBB', 'CCCC-CCCC', 'DDDD-DDDD', 'FFFF-FFFF', 'GGGG-GGGG']
    const answers = await Promise.all(wrong.map((code) => ada.post(CONFIRM, { code })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect((await ada.post(CONFIRM, { code: await codeTo(ADA) })).location).toBe('/accounts/login/')
    world.clock.advance(20_000)
    const later = world.visitor()
    await later.login(ADA, PASSWORD)
    const code = await codeTo(ADA)
    const both = await Promise.all([later.post(CONFIRM, { code }), later.post(CONFIRM, { code })])
    expect(both.filter(({ location }) => location === '/accounts/profile/')).toHaveLength(1)
    expect(await loadEmailRows(1)).toMatchObject([{ verified: true }])
  })

  it('let only one of two users verify the same address', async () => {
    await open({}, database)
    await world.addUser({ username: 'a', email: 'a@example.org', password: PASSWORD })
    await world.addUser({ username: 'b', email: 'b@example.org', password: PASSWORD })
    const visitors = []
    const codes: string[] = []
    for (const email of ['a@example.org', 'b@example.org']) {
      const visitor = world.visitor()
      await visitor.login(email, PASSWORD)
      await visitor.post(EMAIL, { action_add: '', email: 'same@example.org' })
      codes.push(await codeTo('same@example.org'))
      visitors.push(visitor)
      world.clock.advance(11_000)
    }
    const answers = await Promise.all(visitors.map((visitor, at) => visitor.post(CONFIRM, { code: codes[at] ?? '' })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 302])
    const rows = [...(await loadEmailRows(1)), ...(await loadEmailRows(2))]
    expect(rows.filter((row) => JSON.stringify(row).includes('same@'))).toHaveLength(1)
  })
})
