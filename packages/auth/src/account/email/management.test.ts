import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { InvalidInput } from '../../errors.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import type { Visitor } from '../../testing/visitor.ts'

const EMAIL = '/accounts/email/'
const PASSWORD = 'a made-up pass phrase'
const ADA = 'ada@example.org'
const SECOND = 'second@example.org'

type Options = NonNullable<Parameters<typeof authWorld>[0]>
type Account = NonNullable<NonNullable<Options['settings']>['account']>

let world: AuthWorld
let ada: Visitor
const heard: string[] = []
const open = async (account: Account = {}, database?: (typeof testDatabases)[number][1]): Promise<void> => {
  world = await authWorld({ settings: { account: { loginMethods: ['username', 'email'], ...account } } }, database)
  heard.length = 0
  for (const name of ['email_added', 'email_removed', 'email_confirmed'] as const) {
    world.auth.signals.on(name, ({ email_address }) => void heard.push(`${name} ${email_address.email}`))
  }
  world.auth.signals.on('email_changed', (event) => {
    heard.push(`email_changed ${event.from_email_address?.email} ${event.to_email_address.email}`)
  })
  await world.addUser({ username: 'ada', email: ADA, password: PASSWORD })
  ada = world.visitor()
  await ada.login('ada', PASSWORD)
}
afterEach(() => world.close())

const act = (action: string, email: string, as = ada): ReturnType<Visitor['post']> =>
  as.post(EMAIL, { [`action_${action}`]: '', email })
const rows = async (): Promise<readonly string[]> =>
  (await world.auth.account.emails.ofUser(world.auth.kernel.database.db, 1)).map(
    ({ email, verified, primary }) => `${email}${verified ? ' verified' : ''}${primary ? ' primary' : ''}`,
  )
const mirror = async (): Promise<string> =>
  (await world.auth.kernel.users.byId(world.auth.kernel.database.db, 1))?.email ?? ''
const deleteAddressRow = async (email: string): Promise<void> => {
  const { auth } = world
  const row = await auth.account.emails.find(auth.kernel.database.db, 1, email)
  await auth.account.emails.remove(auth.kernel.database.db, row?.id ?? 0)
}
const verify = async (email: string): Promise<void> => {
  const { auth } = world
  const row = await auth.account.emails.find(auth.kernel.database.db, 1, email)
  await auth.account.emails.markVerified(auth.kernel.database.db, row?.id ?? 0)
}
/** Returns the text of the page after the redirect. */
const readFollowedPage = async (answer: Awaited<ReturnType<Visitor['post']>>): Promise<string> =>
  (await ada.follow(answer)).text

describe('the addresses of a user', () => {
  it('are hidden from other visitors', async () => {
    await open()
    expect((await world.visitor().get(EMAIL)).location).toBe(`/accounts/login/?next=${EMAIL}`)
    expect((await ada.get(EMAIL)).text).toContain(ADA)
  })

  it('can be added: stored, mailed, and signaled', async () => {
    await open()
    const answer = await act('add', '  Second@Example.org ')
    expect(answer.location).toBe(EMAIL)
    expect(await readFollowedPage(answer)).toContain(SECOND)
    expect(await rows()).toEqual([`${ADA} verified primary`, SECOND])
    expect((await world.mailTo(SECOND)).text).toContain('/accounts/confirm-email/')
    expect(heard).toEqual([`email_added ${SECOND}`])
    expect(await mirror()).toBe(ADA)
  })

  it.each([
    ['of no form', {}, 'nothing', 'Enter a valid value.'],
    ['that is there already', {}, 'ADA@example.org', 'is already on your account'],
    ['that is there already in other letters', {}, 'ada@ｅxample.org', 'is already on your account'],
    ['of somebody else, where that may be told', { preventEnumeration: false }, 'bob@example.org', 'already exists'],
    ['beyond the most', { maxEmailAddresses: 1 }, SECOND, 'You can have only one'],
  ] as const)('do not take one %s', async (_why, account, email, error) => {
    await open(account)
    await world.addUser({ username: 'bob', email: 'bob@example.org' })
    const answer = await act('add', email)
    expect(answer.status).toBe(200)
    const { auth } = world
    // With no more room the form is not shown.
    if (error !== 'You can have only one') expect(answer.text).toContain(error)
    expect(await auth.account.emails.ofUser(auth.kernel.database.db, 1)).toHaveLength(1)
    expect(await world.mails()).toEqual([])
  })

  it('hide that another user has one, and cannot take it', async () => {
    await open()
    await world.addUser({ username: 'bob', email: 'bob@example.org' })
    expect((await act('add', 'bob@example.org')).location).toBe(EMAIL)
    const [path = ''] = /\/accounts\/confirm-email\/\S+/.exec((await world.mailTo('bob@example.org')).text) ?? []
    expect((await ada.post(path)).text).toContain("Couldn't verify this email address")
    expect(await rows()).toContain('bob@example.org')
  })

  it('can be refused by signal receivers', async () => {
    await open()
    world.auth.signals.on('_add_email', () => {
      throw new InvalidInput([world.auth.account.adapter.validationError('email_taken', { param: 'email' })])
    })
    expect((await act('add', SECOND)).status).toBe(200)
    expect(await rows()).toHaveLength(1)
  })

  it('change the primary one once the new one is verified, and notify the old one', async () => {
    await open({ emailNotifications: true })
    await act('add', SECOND)
    expect(await readFollowedPage(await act('primary', SECOND))).toContain('verif')
    expect(await rows()).toEqual([`${ADA} verified primary`, SECOND])
    await verify(SECOND)
    expect(await readFollowedPage(await act('primary', SECOND))).toContain('primary')
    expect(await rows()).toEqual([`${ADA} verified`, `${SECOND} verified primary`])
    expect(await mirror()).toBe(SECOND)
    expect(heard.at(-1)).toBe(`email_changed ${ADA} ${SECOND}`)
    expect((await world.mailTo(ADA)).text).toContain(SECOND)
  })

  it('can have an unverified primary one while none is verified', async () => {
    await open()
    const { auth } = world
    await auth.kernel.database.db.updateTable('account_emailaddress').set({ verified: false }).execute()
    await act('add', SECOND)
    await act('primary', SECOND)
    expect(await rows()).toEqual([ADA, `${SECOND} primary`])
  })

  it('can be removed, except for the primary one', async () => {
    await open({ emailNotifications: true })
    await act('add', SECOND)
    expect(await readFollowedPage(await act('remove', ADA))).toContain(ADA)
    expect(await rows()).toHaveLength(2)
    await act('remove', SECOND)
    expect(await rows()).toEqual([`${ADA} verified primary`])
    expect(heard.at(-1)).toBe(`email_removed ${SECOND}`)
    expect((await world.mailTo(ADA)).text).toContain(SECOND)
  })

  it.each([
    ['kept where only addresses sign in', ['email'], 1],
    ['removed where user names do', ['username', 'email'], 0],
  ] as const)('the last one is %s', async (_why, loginMethods, left) => {
    await open({ loginMethods, signupFields: ['username*', 'email*', 'password1*'] })
    if (left === 1) await ada.login(ADA, PASSWORD)
    await act('remove', ADA)
    expect(await rows()).toHaveLength(left)
    expect(await mirror()).toBe(left === 1 ? ADA : '')
  })

  it('keep the mirror when the mirrored one is removed, without a new primary one', async () => {
    await open()
    const { auth } = world
    await act('add', SECOND)
    await verify(SECOND)
    await auth.kernel.database.db.updateTable('account_emailaddress').set({ primary: false }).execute()
    await act('remove', ADA)
    expect([await rows(), await mirror()]).toEqual([[`${SECOND} verified`], SECOND])
  })

  it('ignore unknown addresses and those of other users', async () => {
    await open()
    await world.addUser({ username: 'bob', email: 'bob@example.org' })
    for (const action of ['send', 'primary', 'remove', 'nothing']) {
      expect((await act(action, 'bob@example.org')).location).toBe(EMAIL)
      expect((await act(action, '')).location).toBe(EMAIL)
    }
    expect(await world.auth.account.emails.ofUser(world.auth.kernel.database.db, 2)).toHaveLength(1)
  })

  it('get another mail as often as the limit allows, but not for a verified one', async () => {
    await open()
    await act('add', SECOND)
    await act('send', SECOND)
    await act('send', ADA)
    expect(await world.mails()).toHaveLength(1)
    world.clock.advance(181_000)
    await act('send', SECOND)
    expect(await world.mails()).toHaveLength(2)
  })

  it('include one that only the user record has', async () => {
    await open()
    const { auth } = world
    await auth.kernel.users.update(auth.kernel.database.db, 1, { email: 'written@elsewhere.org' })
    expect((await ada.get(EMAIL)).text).toContain('written@elsewhere.org')
    expect(await rows()).toContain('written@elsewhere.org')
  })

  it('notify the primary one when another is verified', async () => {
    await open({ emailNotifications: true })
    await act('add', SECOND)
    const [path = ''] = /\/accounts\/confirm-email\/\S+/.exec((await world.mailTo(SECOND)).text) ?? []
    await ada.post(path)
    expect((await world.mailTo(ADA)).text).toContain(SECOND)
    expect(await rows()).toEqual([`${ADA} verified primary`, `${SECOND} verified`])
  })

  it('are replaced on sites with one address per user', async () => {
    await open({ changeEmail: true, emailNotifications: true })
    await act('add', 'first@try.org')
    await act('add', SECOND)
    expect(await rows()).toEqual([`${ADA} verified primary`, SECOND])
    expect((await ada.get(EMAIL)).text).toContain(SECOND)
    expect(await mirror()).toBe(ADA)
    const [path = ''] = /\/accounts\/confirm-email\/\S+/.exec((await world.mailTo(SECOND)).text) ?? []
    await ada.post(path)
    expect([await rows(), await mirror()]).toEqual([[`${SECOND} verified primary`], SECOND])
    expect(heard.slice(-2)).toEqual([`email_confirmed ${SECOND}`, `email_changed ${ADA} ${SECOND}`])
    expect((await world.mailTo(ADA)).text).toContain(SECOND)
  })

  it('do not verify a link of an address that was replaced', async () => {
    await open({ changeEmail: true })
    await act('add', 'first@try.org')
    const [path = ''] = /\/accounts\/confirm-email\/\S+/.exec((await world.mailTo('first@try.org')).text) ?? []
    await act('add', SECOND)
    expect((await ada.post(path)).status).toBe(404)
    expect(await rows()).toEqual([`${ADA} verified primary`, SECOND])
  })

  it('keep the one that only the record of the user has until another replaces it', async () => {
    await open({ changeEmail: true, emailNotifications: true })
    await deleteAddressRow(ADA)
    expect((await ada.get(EMAIL)).text).toContain(`Your email address is ${ADA}`)
    await act('add', 'first@try.org')
    await act('add', SECOND)
    expect([await rows(), await mirror()]).toEqual([[ADA, SECOND], ADA])
    const [path = ''] = /\/accounts\/confirm-email\/\S+/.exec((await world.mailTo(SECOND)).text) ?? []
    await ada.post(path)
    expect([await rows(), await mirror()]).toEqual([[`${SECOND} verified primary`], SECOND])
    expect(heard.at(-1)).toBe(`email_changed ${ADA} ${SECOND}`)
    expect((await world.mailTo(ADA)).text).toContain(SECOND)
  })

  it('are empty once the only one is removed, for scripts too, and no mail is sent', async () => {
    await open({ emailNotifications: true })
    const answer = await ada.post(EMAIL, { action_remove: '', email: ADA }, { accept: 'application/json' })
    expect(JSON.parse(answer.html)).toMatchObject({ data: [] })
    expect([await rows(), await mirror(), await world.mails()]).toEqual([[], '', []])
  })

  it('require recent authentication if the settings say so', async () => {
    await open({ reauthenticationRequired: true, reauthenticationTimeout: 60 })
    world.clock.advance(61_000)
    expect((await ada.get(EMAIL)).status).toBe(200)
    expect((await act('add', SECOND)).location).toBe(`/accounts/reauthenticate/?next=${EMAIL}`)
    expect(await rows()).toHaveLength(1)
  })

  it('can be changed within the rate limit', async () => {
    await open({ rateLimits: { manage_email: '1/m/user' } })
    await act('add', SECOND)
    expect((await act('remove', SECOND)).status).toBe(429)
  })

  it('are listed for scripts', async () => {
    await open()
    const answer = await ada.get(EMAIL, { accept: 'application/json' })
    const body: unknown = JSON.parse(answer.html)
    expect(body).toMatchObject({ data: [{ email: ADA, verified: true, primary: true }] })
  })
})

describe.each(testDatabases)('changes of addresses at the same time on %s', (_name, database) => {
  it('never exceed the maximum or end up with two primary ones', async () => {
    await open({ maxEmailAddresses: 3, rateLimits: { manage_email: null } }, database)
    await Promise.all([1, 2, 3, 4, 5].map((number) => act('add', `n${number}@example.org`)))
    expect(await rows()).toHaveLength(3)
    const others = (await rows()).slice(1)
    for (const email of others) await verify(email)
    await Promise.all([ADA, ...others].map((email) => act('primary', email.split(' ')[0] ?? '')))
    const primary = (await rows()).filter((row) => row.endsWith('primary'))
    expect(primary).toEqual([`${await mirror()} verified primary`])
  })
})
