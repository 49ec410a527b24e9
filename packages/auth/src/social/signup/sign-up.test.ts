import type { SocialLogin } from '../social-login.ts'
import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { FormValues } from '../../kernel/forms/form.ts'
import { singleEmail, type SocialBench, socialBench, type SocialBrowser, type SomebodyThere } from '../testing-bench.ts'

let bench: SocialBench
afterEach(() => bench.world.close())

const EVE: SomebodyThere = {
  uid: '7',
  username: 'eve',
  name: 'Eve van der Berg',
  emails: [
    { email: 'other@example.org', verified: true, primary: false },
    { email: 'EVE@example.org', verified: false, primary: true },
    { email: 'no address', verified: true, primary: true },
  ],
}
const MANDATORY = {
  signupFields: ['username*', 'email*', 'password1*'],
  emailVerification: 'mandatory',
} as const

const addresses = async (userId: number): Promise<readonly string[]> =>
  (await bench.auth.account.emails.ofUser(bench.auth.kernel.database.db, userId))
    .map(({ email, verified, primary }) => `${email}${verified ? ' verified' : ''}${primary ? ' primary' : ''}`)
    .toSorted()
const users = (): Promise<readonly { readonly username: string }[]> =>
  bench.auth.kernel.users.list(bench.auth.kernel.database.db, { limit: 10, after: null })
const complete = (browser: SocialBrowser, values: FormValues): Promise<unknown> =>
  browser.run(async (request, social) => {
    const sociallogin = await social.pendingSignup(request)
    if (sociallogin === null) return 'nothing waits'
    return social.completeSignup(request, sociallogin, values).catch((error: unknown) => error)
  })
const initial = (browser: SocialBrowser): Promise<unknown> =>
  browser.run(async (request, social) => {
    const sociallogin = await social.pendingSignup(request)
    return sociallogin === null ? null : social.adapter.getSignupFormInitialData(sociallogin)
  })

describe.each(testDatabases)('a sign-up through a provider on %s', (_name, open) => {
  it("creates the account at once from the provider's data", async () => {
    bench = await socialBench({}, { open })
    const { auth, world } = bench
    const signals: unknown[] = []
    world.auth.signals.on(
      'user_signed_up',
      ({ user, sociallogin }) =>
        void signals.push([user.username, (sociallogin as SocialLogin | undefined)?.account.uid]),
    )
    world.auth.signals.on(
      'user_logged_in',
      ({ user, sociallogin }) =>
        void signals.push([user.username, (sociallogin as SocialLogin | undefined)?.account.id]),
    )
    world.auth.signals.on('social_account_added', () => void signals.push('never at a sign-up'))
    const browser = bench.browser()
    expect(await browser.visit('google', EVE)).toMatchObject({
      kind: 'login',
      outcome: { kind: 'authenticated', redirectTo: '/accounts/profile/' },
    })
    expect(signals).toEqual([
      ['eve', '7'],
      ['eve', 1],
    ])
    expect(await auth.kernel.users.byId(auth.kernel.database.db, 1)).toMatchObject({
      username: 'eve',
      firstName: 'Eve',
      lastName: 'van der Berg',
      email: 'other@example.org',
      hasUsablePassword: false,
    })
    expect(await addresses(1)).toEqual(['eve@example.org', 'other@example.org verified primary'])
    expect(await auth.kernel.database.db.selectFrom('socialaccount_socialtoken').select('id').execute()).toEqual([])

    const taken = await bench
      .browser()
      .visit('github', { uid: '8', username: 'EVE', emails: singleEmail('third@example.org') })
    expect(taken).toMatchObject({ kind: 'login', outcome: { user: { username: expect.stringMatching(/^third\w*$/) } } })
    const bad = await bench.browser().visit('github', { uid: '9', username: 'not a name!', name: 'Zoë' })
    expect(bad).toMatchObject({ kind: 'login', outcome: { user: { username: 'zoe', email: '' } } })
  })

  it("signs in if the user's other browser was faster", async () => {
    let other: Promise<unknown> | null = null
    const socialaccount = {
      async isAutoSignupAllowed() {
        if (other === null) await (other = bench.browser().visit('google', EVE))
        return true
      },
    }
    bench = await socialBench({}, { open, adapters: { social: socialaccount } })
    expect(await bench.browser().visit('google', EVE)).toMatchObject({ kind: 'login', outcome: { user: { id: 1 } } })
    expect(await users()).toHaveLength(1)
  })

  it('of one person in two browsers at once makes one account', async () => {
    bench = await socialBench({}, { open })
    const outcomes = await Promise.all([1, 2, 3].map(() => bench.browser().visit('google', EVE)))
    expect(outcomes.map(({ kind }) => kind)).toEqual(['login', 'login', 'login'])
    expect(await users()).toHaveLength(1)
    expect(await addresses(1)).toHaveLength(2)

    const [one, two] = [bench.browser(), bench.browser()]
    for (const browser of [one, two]) {
      const outcome = await browser.visit('github', { uid: '2', emails: singleEmail('eve@example.org') })
      expect(outcome).toMatchObject({ kind: 'signup' })
    }
    const first = await complete(one, { username: 'evi', email: 'evi@example.org' })
    const second = await complete(two, { username: 'eva', email: 'eva@example.org' })
    expect([first, second]).toMatchObject([{ user: { username: 'evi' } }, { user: { username: 'evi' } }])
    expect((await users()).map(({ username }) => username)).toEqual(['eve', 'evi'])
  })

  it('asks for missing data, and validates it like every sign-up', async () => {
    bench = await socialBench({ account: { ...MANDATORY, emailVerificationByCodeEnabled: true } }, { open })
    const { auth, world } = bench
    await world.addUser({ username: 'ada', email: 'ada@example.org' })
    const browser = bench.browser()
    expect(await browser.visit('github', { uid: '5', username: 'ada', name: 'Ada' })).toMatchObject({ kind: 'signup' })
    expect(await browser.whoami()).toBeNull()
    expect(await initial(browser)).toMatchObject({ username: 'ada', first_name: 'Ada', email: '' })
    expect(await complete(browser, { username: 'ada', email: 'x' })).toMatchObject({
      errors: [
        { code: 'username_taken', param: 'username' },
        { code: 'invalid', param: 'email' },
      ],
    })
    expect(await complete(browser, { username: 'grace' })).toMatchObject({
      errors: [{ code: 'required', param: 'email' }],
    })
    const signedUp: unknown[] = []
    world.auth.signals.on(
      'user_signed_up',
      ({ sociallogin }) => void signedUp.push((sociallogin as SocialLogin | undefined)?.account.provider),
    )
    const values = { username: 'grace', email: 'grace@example.org', password1: 'a password that nobody asked for' }
    expect(await complete(browser, values)).toMatchObject({ kind: 'stage', stage: 'verify_email' })
    expect(signedUp).toEqual(['github'])
    expect(await complete(browser, values)).toBe('nothing waits')
    const user = await auth.kernel.users.byUsername(auth.kernel.database.db, 'grace')
    expect(user).toMatchObject({ email: 'grace@example.org', hasUsablePassword: false, firstName: 'Ada' })
    expect(await addresses(2)).toEqual(['grace@example.org primary'])
    expect((await world.mailTo('grace@example.org')).text).toMatch(/[B-Z]{4}-[B-Z]{4}/)
  })

  it('hides that an address is in use where required', async () => {
    bench = await socialBench({ account: MANDATORY }, { open })
    const { world } = bench
    await world.addUser({ username: 'ada', email: 'ada@example.org' })
    const told = { uid: '5', username: 'x', emails: singleEmail('ada@example.org', false) }
    const free = { uid: '6', username: 'y', emails: singleEmail('free@example.org', false) }
    const [hidden, real] = [await bench.browser().visit('github', told), await bench.browser().visit('github', free)]
    expect(hidden).toEqual(real)
    expect(hidden).toMatchObject({ kind: 'login', outcome: { kind: 'stage', stage: 'verify_email' } })
    expect((await world.mailTo('ada@example.org')).text).toContain('already')
    expect(await users()).toHaveLength(2)

    const browser = bench.browser()
    await browser.visit('github', { uid: '7', username: 'z' })
    expect(await complete(browser, { username: 'z', email: 'ada@example.org' })).toMatchObject({
      kind: 'stage',
      stage: 'verify_email',
    })
    expect(await users()).toHaveLength(2)
  })

  it("names the user's provider where the conflict may be revealed, and doesn't link by address", async () => {
    bench = await socialBench({ account: { ...MANDATORY, emailVerification: 'optional' } }, { open })
    await bench.world.addUser({ username: 'ada', email: 'ada@example.org' })
    const browser = bench.browser()
    const outcome = await browser.visit('google', { uid: '5', username: 'x', emails: singleEmail('ada@example.org') })
    expect(outcome).toMatchObject({ kind: 'signup' })
    expect(await complete(browser, { username: 'x', email: 'ada@example.org' })).toMatchObject({
      errors: [
        {
          code: 'email_taken',
          param: 'email',
          message: expect.stringContaining('connect your {provider} account'),
          values: { provider: 'Google' },
        },
      ],
    })
    expect(await complete(browser, { username: 'x', email: 'mine@example.org' })).toMatchObject({
      kind: 'authenticated',
    })
    expect(await addresses(2)).toEqual(['mine@example.org primary'])
  })
})

it('is closed if the host says so, even between the provider and the form', async () => {
  let isOpen = false
  const adapters = { social: { isOpenForSignup: () => isOpen } }
  bench = await socialBench({ socialaccount: { autoSignup: false } }, { adapters })
  const browser = bench.browser()
  expect(await browser.visit('google', EVE)).toMatchObject({ kind: 'signup_closed' })
  isOpen = true
  expect(await browser.visit('google', EVE)).toMatchObject({ kind: 'signup' })
  isOpen = false
  expect(await complete(browser, { username: 'eve' })).toMatchObject({ code: 'permission_denied' })
  isOpen = true
  bench.world.clock.advance(3_600_001)
  expect(await complete(browser, { username: 'eve' })).toBe('nothing waits')
  expect(await users()).toEqual([])
})

it('takes a phone of the provider where people have phones, and asks the fields of the host', async () => {
  const kept: unknown[] = []
  bench = await socialBench(
    { account: { signupFields: ['username*', 'phone*', 'password1*'], loginMethods: ['username'] } },
    {
      adapters: { account: { sendVerificationCodeSms: async () => {} } },
      signupForm: {
        fields: () => [{ name: 'town', label: 'Town', type: 'text', required: true }],
        signup: async (_request, user, { town }) => void kept.push([user.username, town]),
      },
    },
  )
  const { auth } = bench
  const phone = { phone: '+49 30 901820', verified: true }
  expect(await bench.browser().visit('google', { uid: '1', username: 'eve', phone })).toMatchObject({ kind: 'login' })
  expect(await auth.account.phones.ofUser(auth.kernel.database.db, 1)).toEqual({ phone: '+4930901820', verified: true })

  const browser = bench.browser()
  expect(await browser.visit('google', { uid: '2', username: 'ada', phone })).toMatchObject({ kind: 'signup' })
  expect(await complete(browser, { username: 'ada', phone: '+4930901821' })).toMatchObject({
    errors: [{ code: 'required', param: 'town' }],
  })
  const values = { username: 'ada', phone: '+4930901821', town: 'Harbour' }
  expect(await complete(browser, values)).toMatchObject({ kind: 'stage', stage: 'verify_phone' })
  expect(kept).toEqual([['ada', 'Harbour']])
})

it("keeps a hook's changes to the user while the form is open: users awaiting staff stay inactive", async () => {
  const adapters = {
    social: { populateUser: () => ({ username: 'eve', isActive: false, isStaff: true, isSuperuser: true }) },
  }
  bench = await socialBench({ socialaccount: { autoSignup: false } }, { adapters })
  const browser = bench.browser()
  await browser.visit('google', EVE)
  expect(await complete(browser, { username: 'eve', email: 'eve@example.org' })).toMatchObject({ kind: 'inactive' })
  expect(await users()).toMatchObject([{ username: 'eve', isActive: false, isStaff: true, isSuperuser: true }])
  expect(await browser.whoami()).toBeNull()
})
