import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import { observableVisit } from '../../testing/same-visit.ts'
import type { Visited, Visitor } from '../../testing/visitor.ts'

const REQUEST = '/accounts/login/code/'
const CONFIRM = '/accounts/login/code/confirm/'
const HOME = '/accounts/profile/'
const CODE = /\b[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}\b/
const WRONG = 'BBBB-BBBB'
const ADA = { username: 'Ada', email: 'ada@example.org' }

/** As an existing database stores it. */
const OLD_ROW = { email: 'Ada@Example.org', verified: false, primary: true }

const ACCOUNT = { loginMethods: ['email'], loginByCodeEnabled: true, signupFields: ['email*', 'password1*'] } as const

describe.each(testDatabases)('signing in by code on %s', (_name, openDatabase) => {
  let world: AuthWorld
  const open = async (account: object = {}, options: Parameters<typeof authWorld>[0] = {}): Promise<void> => {
    world = await authWorld({ ...options, settings: { account: { ...ACCOUNT, ...account } } }, openDatabase)
  }
  afterEach(() => world.close())

  const ask = (visitor: Visitor, email: string): Promise<Visited> => visitor.post(REQUEST, { email })
  const give = (visitor: Visitor, code: string): Promise<Visited> => visitor.post(CONFIRM, { code })
  const codeSentTo = async (to: string): Promise<string> => CODE.exec((await world.mailTo(to)).text)?.[0] ?? ''

  it('mails a code, accepts it once, and marks the address as verified', async () => {
    await open()
    const { id } = await world.addUser({ ...ADA, verified: false })
    const ada = world.visitor()
    const asked = await ask(ada, 'Ada@Example.org')
    expect([asked.status, asked.location]).toEqual([302, CONFIRM])
    const page = await ada.follow(asked)
    expect(page.text).toContain('ada@example.org')
    expect(page.text).toContain('We sent a sign-in code to ada@example.org.')
    const code = await codeSentTo('ada@example.org')
    const answer = await give(ada, ` ${code.toLowerCase().replace('-', ' ')} `)
    expect([answer.status, answer.location]).toEqual([302, HOME])
    expect(await ada.whoami()).toBe('Ada')
    const [row] = await world.auth.account.emails.ofUser(world.auth.kernel.database.db, id)
    expect(row).toMatchObject({ email: 'ada@example.org', verified: true })
    const other = world.visitor()
    await ask(other, 'ada@example.org')
    expect((await give(other, code)).text).toContain('Incorrect code.')
  })

  it('responds the same for an unknown address as for any other, to the last attempt', async () => {
    await open({ loginByCodeSupportsResend: true })
    await world.addUser(ADA)
    await world.addUser({ username: 'off', email: 'off@example.org', isActive: false })
    const run = async (email: string): Promise<unknown> => {
      const visitor = world.visitor()
      await visitor.get(REQUEST)
      const steps = [await ask(visitor, email), await visitor.get(CONFIRM)]
      steps.push(await visitor.post(CONFIRM, { action: 'resend' }), await visitor.get(CONFIRM))
      for (const _ of [1, 2, 3]) steps.push(await give(visitor, WRONG))
      steps.push(await visitor.get(REQUEST), await visitor.get(CONFIRM))
      return JSON.parse(JSON.stringify(steps.map(observableVisit)).replaceAll(email, 'X'))
    }
    const known = await run('ada@example.org')
    expect(await run('bob@example.org')).toEqual(known)
    expect(await run('off@example.org')).toEqual(known)
    const mails = (await world.mails()).map(({ to, subject }) => [to, subject])
    expect(mails).toEqual([
      ['ada@example.org', '[Example] Your sign-in code'],
      ['ada@example.org', '[Example] Your sign-in code'],
      ['bob@example.org', '[Example] No account with this email address'],
      ['bob@example.org', '[Example] No account with this email address'],
      ['off@example.org', '[Example] No account with this email address'],
      ['off@example.org', '[Example] No account with this email address'],
    ])
  })

  it('reports an unknown address only if the site wants it', async () => {
    await open({ preventEnumeration: false })
    const answer = await ask(world.visitor(), 'bob@example.org')
    expect(answer.text).toContain('No account found with this email address.')
    expect(await world.mails()).toEqual([])
  })

  it('ends after the last wrong code: the correct one is then refused', async () => {
    await open()
    await world.addUser(ADA)
    const rejected: boolean[] = []
    world.auth.signals.on('login_code_rejected', (event) => void rejected.push(event.last_attempt))
    const ada = world.visitor()
    await ask(ada, 'ada@example.org')
    const code = await codeSentTo('ada@example.org')
    for (const _ of [1, 2]) expect((await give(ada, WRONG)).text).toContain('Incorrect code.')
    const last = await give(ada, WRONG)
    expect([last.status, last.location]).toEqual([302, REQUEST])
    expect((await ada.follow(last)).text).toContain('Too many attempts.')
    expect((await give(ada, code)).location).toBe(REQUEST)
    expect(await ada.whoami()).toBeNull()
    expect(rejected).toEqual([false, false, true])
  })

  it('never counts two guesses as one attempt', async () => {
    await open()
    await world.addUser(ADA)
    const rejected: boolean[] = []
    world.auth.signals.on('login_code_rejected', (event) => void rejected.push(event.last_attempt))
    const eve = world.visitor()
    await ask(eve, 'ada@example.org')
    await Promise.all(Array.from({ length: 5 }, () => give(eve, WRONG)))
    await give(eve, WRONG)
    await give(eve, WRONG)
    expect(rejected).toEqual([false, false, true])
  })

  it('lets only one of two requests use a code', async () => {
    await open()
    await world.addUser(ADA)
    let signedIn = 0
    world.auth.signals.on('user_logged_in', () => void signedIn++)
    const ada = world.visitor()
    await ask(ada, 'ada@example.org')
    const code = await codeSentTo('ada@example.org')
    await Promise.all([give(ada, code), give(ada, code)])
    expect(signedIn).toBe(1)
  })

  it('expires', async () => {
    await open()
    await world.addUser(ADA)
    const ada = world.visitor()
    await ask(ada, 'ada@example.org')
    const code = await codeSentTo('ada@example.org')
    world.clock.advance(180_001)
    expect((await give(ada, code)).location).toBe(REQUEST)
    expect((await ada.get(CONFIRM)).location).toBe(REQUEST)
  })

  it('resends codes as often as the site allows, and invalidates the previous one', async () => {
    await open({ loginByCodeSupportsResend: 1 })
    await world.addUser(ADA)
    const ada = world.visitor()
    expect((await ada.follow(await ask(ada, 'ada@example.org'))).text).toContain('Resend code')
    const first = await codeSentTo('ada@example.org')
    expect((await ada.follow(await ada.post(CONFIRM, { action: 'resend' }))).text).not.toContain('Resend code')
    const second = await codeSentTo('ada@example.org')
    expect(second).not.toBe(first)
    const refused = await ada.follow(await ada.post(CONFIRM, { action: 'resend' }))
    expect(refused.text).toContain('Too many requests.')
    expect(await world.mails()).toHaveLength(2)
    expect((await give(ada, first)).text).toContain('Incorrect code.')
    expect((await give(ada, second)).location).toBe(HOME)
  })

  it('counts requests per address, in all its spellings', async () => {
    await open()
    await world.addUser(ADA)
    for (const email of ['ada@example.org', 'ADA@example.org', 'ada@EXAMPLE.org']) await ask(world.visitor(), email)
    const refused = await ask(world.visitor(), 'Ada@example.org')
    expect([refused.status, refused.text.includes('Too many attempts.')]).toEqual([200, true])
    expect(await world.mails()).toHaveLength(3)
  })

  it('counts another code as a request for the same address, however that was written', async () => {
    await open({ loginByCodeSupportsResend: 3, rateLimits: { request_login_code: '2/m/key' } })
    const stranger = world.visitor()
    await ask(stranger, 'ｎobody@example.org')
    await stranger.post(CONFIRM, { action: 'resend' })
    const refused = await stranger.follow(await stranger.post(CONFIRM, { action: 'resend' }))
    expect(refused.text).toContain('Too many requests.')
    expect((await ask(world.visitor(), 'nobody@example.org')).text).toContain('Too many attempts.')
  })

  it('finds an address stored in upper case', async () => {
    await open()
    const { id } = await world.addUser({ username: 'Ada' })
    const { db } = world.auth.kernel.database
    await db
      .insertInto('account_emailaddress')
      .values({ ...OLD_ROW, user_id: id })
      .execute()
    await world.auth.kernel.users.update(db, id, { email: 'ada@example.org' })
    const ada = world.visitor()
    await ask(ada, 'ada@example.org')
    expect((await give(ada, await codeSentTo('ada@example.org'))).location).toBe(HOME)
    expect(await world.auth.account.emails.ofUser(db, id)).toMatchObject([{ verified: true }])
  })

  it('goes to the stored address, not to a Unicode lookalike', async () => {
    await open()
    await world.addUser(ADA)
    await ask(world.visitor(), 'ａda@example.org')
    expect((await world.mails()).map(({ to }) => to)).toEqual(['ada@example.org'])
  })

  it('is resumed from the login page, and cancelled by logging out', async () => {
    await open()
    await world.addUser(ADA)
    const ada = world.visitor()
    await ask(ada, 'ada@example.org')
    expect((await ada.get('/accounts/login/?next=/x')).location).toBe(CONFIRM)
    expect((await ada.post('/accounts/logout/', { next: '/accounts/login/' })).location).toBe('/accounts/login/')
    expect((await ada.get('/accounts/login/')).status).toBe(200)
    expect((await ada.get(CONFIRM)).location).toBe(REQUEST)
  })

  it('keeps `next` through the code page', async () => {
    await open()
    await world.addUser(ADA)
    const ada = world.visitor()
    const asked = await ada.post(REQUEST, { email: 'ada@example.org', next: '/x?a=b' })
    expect(asked.location).toBe(`${CONFIRM}?next=/x%3Fa%3Db`)
    expect((await ada.get(asked.location ?? '')).html).toContain('name="next" value="/x?a=b"')
    expect((await give(ada, await codeSentTo('ada@example.org'))).location).toBe('/x?a=b')
  })

  it('is the only way to sign in on sites without passwords', async () => {
    await open({ signupFields: ['email*'] })
    await world.addUser(ADA)
    const ada = world.visitor()
    expect((await ada.get('/accounts/login/')).html).not.toContain('type="password"')
    expect((await ada.post('/accounts/login/', { login: 'ada' })).status).toBe(200)
    expect((await ada.post('/accounts/login/', { login: 'ada@example.org' })).location).toBe(CONFIRM)
    expect((await give(ada, await codeSentTo('ada@example.org'))).location).toBe(HOME)
  })

  it('is required after a password if the site wants it, and goes to a verified address', async () => {
    await open({ loginByCodeRequired: true, loginByCodeEnabled: false, loginMethods: ['email', 'username'] })
    const { id } = await world.addUser({ ...ADA, password: 'a made-up phrase' })
    const { auth } = world
    await auth.account.emails.insert(auth.kernel.database.db, {
      userId: id,
      email: 'new@example.org',
      verified: false,
      primary: false,
    })
    const ada = world.visitor()
    const answer = await ada.login('new@example.org', 'a made-up phrase')
    expect(answer.location).toBe(CONFIRM)
    expect(await ada.whoami()).toBeNull()
    expect((await world.mails()).map(({ to }) => to)).toEqual(['ada@example.org'])
    expect((await give(ada, WRONG)).text).toContain('Incorrect code.')
    expect((await give(ada, await codeSentTo('ada@example.org'))).location).toBe(HOME)
    expect(await ada.whoami()).toBe('Ada')
    expect((await world.visitor().get(CONFIRM)).location).toBe('/accounts/login/')
  })

  it('accepts a phone instead of an address, and hides a failed text message', async () => {
    const texts: string[] = []
    const adapters = {
      account: {
        sendVerificationCodeSms: async (_request: unknown, _user: unknown, phone: string, code: string) => {
          texts.push(`${phone} ${code}`)
          if (texts.length > 1) throw new Error('the gateway is gone')
        },
      },
    }
    const account = {
      loginMethods: ['phone', 'email'],
      signupFields: ['phone*', 'email*'],
      loginByCodeSupportsResend: true,
    }
    await open(account, { adapters })
    const { id } = await world.addUser(ADA)
    const { auth } = world
    await auth.account.phones.set(auth.kernel.database.db, id, '+4930901820', false)
    const ada = world.visitor()
    expect((await ada.post(REQUEST, { phone: '+49 30 901820', email: 'ada@example.org' })).text).toContain('not both')
    expect((await ada.post(REQUEST, { phone: '', email: '' })).text).toContain('This field is required.')
    expect((await ada.post(REQUEST, { phone: '+49 30 901820' })).location).toBe(CONFIRM)
    expect((await give(ada, CODE.exec(texts[0] ?? '')?.[0] ?? '')).location).toBe(HOME)
    expect(await auth.account.phones.ofUser(auth.kernel.database.db, id)).toEqual({
      phone: '+4930901820',
      verified: true,
    })
    const [known, unknown] = [world.visitor(), world.visitor()]
    expect((await known.post(REQUEST, { phone: '+4930901820' })).location).toBe(CONFIRM)
    expect((await unknown.post(REQUEST, { phone: '+4930901821' })).location).toBe(CONFIRM)
    const again = [known, unknown].map(async (visitor) =>
      visitor.follow(await visitor.post(CONFIRM, { action: 'resend' })),
    )
    expect((await Promise.all(again)).map(({ text }) => /We sent a sign-in code to \+\d+/.exec(text)?.[0])).toEqual([
      'We sent a sign-in code to +4930901820',
      'We sent a sign-in code to +4930901821',
    ])
    expect(texts.map((text) => text.split(' ')[0])).toEqual(['+4930901820', '+4930901820', '+4930901820'])
    expect(new Set(world.logged.map(({ message }) => message))).toEqual(new Set(['A text message could not be sent']))
  })
})
