import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import type { Visited } from '../../testing/visitor.ts'
import type { UserId } from '../../kernel/users/user.ts'

const SIGNUP = '/accounts/signup/'
const PASSWORD = 'a made-up pass phrase'
const ADA = 'ada@example.org'
const DAY = 86_400_000

type Options = NonNullable<Parameters<typeof authWorld>[0]>
type Account = NonNullable<NonNullable<Options['settings']>['account']>
const BASE = {
  loginMethods: ['email'],
  signupFields: ['email*', 'password1*'],
  emailVerification: 'mandatory',
} as const

let world: AuthWorld
const open = async (account: Account = {}, options: Options = {}): Promise<void> => {
  world = await authWorld({ ...options, settings: { account: { ...BASE, ...account } } })
}
afterEach(() => world.close())

const linkTo = async (email: string): Promise<string> =>
  /\/accounts\/confirm-email\/\S+/.exec((await world.mailTo(email)).text)?.[0] ?? ''
const loadAddressRows = (id: UserId): Promise<readonly unknown[]> =>
  world.auth.account.emails.ofUser(world.auth.kernel.database.db, id)
const signUp = async (): Promise<{ visitor: ReturnType<AuthWorld['visitor']>; answer: Visited }> => {
  const visitor = world.visitor()
  return { visitor, answer: await visitor.post(SIGNUP, { email: ADA, password1: PASSWORD }) }
}

describe('verifying an address by link', () => {
  it('needs a button press, verifies once, and signs no one in', async () => {
    await open()
    const heard: unknown[] = []
    world.auth.signals.on('email_confirmed', ({ email_address }) => void heard.push(email_address.email))
    const { visitor, answer } = await signUp()
    expect(answer.location).toBe('/accounts/confirm-email/')
    const path = await linkTo(ADA)
    const mailbox = world.visitor()
    const page = await mailbox.get(path)
    expect([page.status, page.text.includes(ADA)]).toEqual([200, true])
    expect(await loadAddressRows(1)).toMatchObject([{ verified: false }])
    expect((await mailbox.post(path)).location).toBe('/accounts/login/')
    expect(await loadAddressRows(1)).toMatchObject([{ verified: true, primary: true }])
    expect(heard).toEqual([ADA])
    expect([await mailbox.whoami(), await visitor.whoami()]).toEqual([null, null])
    expect((await mailbox.get(path)).text).toContain('This link no longer works')
    expect((await mailbox.post(path)).status).toBe(404)
    await visitor.login(ADA, PASSWORD)
    expect(await visitor.whoami()).toBe('ada')
  })

  it.each([
    ['three days', { emailConfirmationExpireDays: 3 }, 3 * DAY + 1000, 404],
    ['not yet three days', { emailConfirmationExpireDays: 3 }, 3 * DAY - 1000, 302],
    ['half a day', { emailConfirmationExpireDays: 0.5 }, DAY / 2 + 1000, 404],
    ['not yet half a day', { emailConfirmationExpireDays: 0.5 }, DAY / 2 - 1000, 302],
    [
      'half a day, kept in rows',
      { emailConfirmationExpireDays: 0.5, emailConfirmationHmac: false },
      DAY / 2 + 1000,
      404,
    ],
    ['three days, kept in rows', { emailConfirmationExpireDays: 3, emailConfirmationHmac: false }, 3 * DAY + 1000, 404],
    ['not yet three days, kept in rows', { emailConfirmationHmac: false }, 3 * DAY - 1000, 302],
  ])('expires as configured: after %s', async (_why, account, ms, status) => {
    await open(account)
    await signUp()
    const path = await linkTo(ADA)
    world.clock.advance(ms)
    expect((await world.visitor().post(path)).status).toBe(status)
  })

  it.each([
    ['another key', '/accounts/confirm-email/MTI:1xUfmq:XpHCnih320NcdBM5UygSIlGZ-2n_iUiC_fNo4_Qo6lU/'],
    ['nonsense', '/accounts/confirm-email/%00%FFx/'],
    ['a malformed escape', '/accounts/confirm-email/%E0%A4%A/'],
    ['a long one', `/accounts/confirm-email/${'a'.repeat(900)}/`],
  ])('refuses %s', async (_why, path) => {
    for (const emailConfirmationHmac of [true, false]) {
      await open({ emailConfirmationHmac })
      const page = await world.visitor().get(path)
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('This link no longer works')])
      expect((await world.visitor().get(path, { accept: 'application/json' })).status).toBe(400)
      expect((await world.visitor().post(path)).status).toBe(404)
      if (emailConfirmationHmac) await world.close()
    }
  })

  it('confirms on GET if the settings allow it', async () => {
    await open({ confirmEmailOnGet: true, emailConfirmationAnonymousRedirectUrl: '/thanks/' })
    await signUp()
    expect((await world.visitor().get(await linkTo(ADA))).location).toBe('/thanks/')
    expect(await loadAddressRows(1)).toMatchObject([{ verified: true }])
  })

  it('keeps no rows of links that have expired', async () => {
    await open({ emailConfirmationHmac: false })
    await signUp()
    world.clock.advance(4 * DAY)
    await world.visitor().login(ADA, PASSWORD)
    const { db } = world.auth.kernel.database
    expect(await db.selectFrom('account_emailconfirmation').select('key').execute()).toHaveLength(1)
    expect((await world.visitor().post(await linkTo(ADA))).status).toBe(302)
  })

  it('continues the login waiting in the same browser if the settings allow it', async () => {
    await open({ loginOnEmailConfirmation: true })
    const { visitor } = await signUp()
    const path = await linkTo(ADA)
    const stranger = world.visitor()
    await visitor.get(path)
    expect((await visitor.post(path)).location).toBe('/accounts/profile/')
    expect(await visitor.whoami()).toBe('ada')
    expect(await stranger.whoami()).toBeNull()
  })

  it("doesn't continue another user's login waiting there", async () => {
    await open({ loginOnEmailConfirmation: true })
    await signUp()
    const path = await linkTo(ADA)
    const eve = world.visitor()
    await eve.post(SIGNUP, { email: 'eve@example.org', password1: PASSWORD })
    await eve.post(path)
    expect(await eve.whoami()).toBeNull()
    expect(await loadAddressRows(1)).toMatchObject([{ verified: true }])
  })

  it('signs out another user, and keeps the owner signed in', async () => {
    await open({ emailVerification: 'optional', emailConfirmationAuthenticatedRedirectUrl: '/done/' })
    const { visitor } = await signUp()
    const path = await linkTo(ADA)
    await world.addUser({ username: 'eve', email: 'eve@example.org', password: PASSWORD })
    const eve = world.visitor()
    await eve.login('eve@example.org', PASSWORD)
    await eve.get(path)
    expect(await eve.whoami()).toBeNull()
    expect((await visitor.post(path)).location).toBe('/done/')
    expect(await visitor.whoami()).toBe('ada')
  })

  it('is mailed at each login that requires it, within the limit', async () => {
    await open()
    const { visitor } = await signUp()
    const login = async (): Promise<[string | null, number]> => {
      const answer = await world.visitor().login(ADA, PASSWORD)
      return [answer.location, (await world.mails()).length]
    }
    expect(await login()).toEqual(['/accounts/confirm-email/', 1])
    world.clock.advance(181_000)
    expect(await login()).toEqual(['/accounts/confirm-email/', 2])
    expect(await visitor.whoami()).toBeNull()
    expect((await world.visitor().get('/accounts/verify-email/')).text).toContain('We sent you an email')
  })

  it('welcomes only users who never signed in', async () => {
    await open({ emailVerification: 'optional' })
    const { visitor } = await signUp()
    const first = await world.mailTo(ADA)
    world.clock.advance(181_000)
    await visitor.post('/accounts/email/', { action_send: '', email: ADA })
    const second = await world.mailTo(ADA)
    expect(first.text).toContain('Thanks for signing up')
    expect(second.text).not.toContain('Thanks for signing up')
    expect(second.text).toContain('/accounts/confirm-email/')
  })

  it('calls the hooks of the host', async () => {
    await open(
      { emailVerification: 'optional' },
      {
        adapters: {
          account: {
            shouldSendConfirmationMail: async (_request, { email }) => email !== ADA,
            getEmailConfirmationUrl: (_request, { key }) => `https://app.test/verify#${key}`,
          },
        },
      },
    )
    await signUp()
    expect(await world.mails()).toEqual([])
    await world.visitor().post(SIGNUP, { email: 'bob@example.org', password1: PASSWORD })
    expect((await world.mailTo('bob@example.org')).text).toContain('https://app.test/verify#')
  })
})

it.each(testDatabases)('a link followed twice at once emits one signal on %s', async (_name, openDatabase) => {
  world = await authWorld({ settings: { account: { ...BASE, emailVerification: 'mandatory' } } }, openDatabase)
  const told: string[] = []
  world.auth.signals.on('email_confirmed', ({ signal }) => void told.push(signal))
  const ada = world.visitor()
  await ada.post(SIGNUP, { email: ADA, password1: PASSWORD })
  const link = /\/accounts\/confirm-email\/\S+/.exec((await world.mailTo(ADA)).text)?.[0] ?? ''
  const answers = await Promise.all(Array.from({ length: 4 }, () => ada.post(link)))
  expect(answers.map(({ status }) => status)).toContain(302)
  expect(told).toEqual(['email_confirmed'])
})

describe.each(testDatabases)('two users verifying the same address at once on %s', (_name, openDatabase) => {
  it('end with one success and one error', async () => {
    world = await authWorld(
      { settings: { account: { ...BASE, emailVerification: 'optional', preventEnumeration: 'strict' } } },
      openDatabase,
    )
    const { auth } = world
    const paths: string[] = []
    for (const username of ['one', 'two', 'three']) {
      const user = await world.addUser({ username, email: ADA, verified: false })
      const [row] = await auth.account.emails.ofUser(auth.kernel.database.db, user.id)
      paths.push(
        `/accounts/confirm-email/${encodeURIComponent(auth.kernel.signer.sign(row?.id, 'account', world.clock.now()))}/`,
      )
    }
    const visitors = paths.map(() => world.visitor())
    for (const visitor of visitors) await visitor.get(SIGNUP)
    const answers = await Promise.all(visitors.map((visitor, at) => visitor.post(paths[at] ?? '')))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 302])
    const rows = (await Promise.all([1, 2, 3].map(loadAddressRows))).flat()
    expect(rows.filter((row) => JSON.stringify(row).includes('"verified":true'))).toHaveLength(1)
  })
})
