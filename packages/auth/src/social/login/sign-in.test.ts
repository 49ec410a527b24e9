import type { SocialLogin } from '../social-login.ts'
import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { InvalidInput } from '../../errors.ts'
import type { SignalName } from '../../compose.ts'
import { singleEmail, type SocialBench, socialBench, type SomebodyThere } from '../testing-bench.ts'

let bench: SocialBench
afterEach(() => bench.world.close())

const PASSWORD = 'a made-up pass phrase'
const ADA = { username: 'ada', email: 'ada@example.org', password: PASSWORD }
const ADA_THERE: SomebodyThere = { uid: '1', username: 'ada', emails: singleEmail('ada@example.org') }

function recordSignals(names: readonly SignalName[]): string[] {
  const seen: string[] = []
  for (const name of names) {
    bench.world.auth.signals.on(name, ({ signal, sender }) => void seen.push(`${signal} of ${sender}`))
  }
  return seen
}
const links = async (userId: number): Promise<readonly string[]> =>
  (await bench.auth.module('social').accounts.ofUser(bench.auth.kernel.database.db, userId)).map(
    ({ provider, uid }) => `${provider} ${uid}`,
  )

describe.each(testDatabases)('a login at a provider on %s', (_name, open) => {
  it('signs in the user of a linked account, and updates its data', async () => {
    bench = await socialBench({ socialaccount: { storeTokens: true } }, { open })
    const { auth, world } = bench
    const { db } = auth.kernel.database
    const browser = bench.browser()
    const tokens = { token: 'access-1', tokenSecret: 'refresh-1', expiresAtMs: 1_800_000_000_000 }
    await browser.visit('google', { ...ADA_THERE, extraData: { picture: 'old' }, tokens })
    await browser.run((request) => auth.account.login.logout(request))
    world.clock.advance(60_000)
    const signals = recordSignals([
      'social_account_updated',
      'pre_update',
      'pre_social_login',
      'social_login',
      'authentication_step_completed',
      'user_signed_up',
      'user_logged_in',
    ])
    const logins: unknown[] = []
    world.auth.signals.on(
      'user_logged_in',
      ({ sociallogin }) => void logins.push((sociallogin as SocialLogin | undefined)?.account.uid),
    )

    const again = { ...tokens, token: 'access-2', tokenSecret: '', expiresAtMs: null }
    const outcome = await browser.visit('google', { uid: '1', extraData: { picture: 'new\0' }, tokens: again })
    expect(outcome).toMatchObject({ kind: 'login', outcome: { kind: 'authenticated', user: { username: 'ada' } } })
    const account = await auth.module('social').accounts.find(db, 'google', '1')
    expect(account).toMatchObject({
      userId: 1,
      extraData: { picture: 'new' },
      lastLoginMs: world.clock.now(),
      dateJoinedMs: world.clock.now() - 60_000,
    })
    expect(await auth.module('social').tokens.ofAccount(db, account?.id ?? 0)).toEqual([
      { token: 'access-2', tokenSecret: 'refresh-1', expiresAtMs: null, appId: null },
    ])
    expect(JSON.stringify(await db.selectFrom('socialaccount_socialtoken').selectAll().execute())).not.toMatch(
      /access-2|refresh-1/,
    )
    expect(signals).toEqual([
      'social_account_updated of SocialLogin',
      'pre_update of SocialAccount',
      'pre_social_login of SocialLogin',
      'social_login of SocialLogin',
      'authentication_step_completed of User',
      'user_logged_in of User',
    ])
    expect(logins).toEqual(['1'])
    expect(await browser.run(async (request) => auth.account.login.records(request))).toEqual([
      { method: 'socialaccount', at: world.clock.now() / 1000, provider: 'google', uid: '1' },
    ])
  })

  it('knows the links and tokens of an old site, and seals what it writes', async () => {
    bench = await socialBench({ socialaccount: { storeTokens: true } }, { open })
    const { auth, world } = bench
    const { db } = auth.kernel.database
    const user = await world.addUser(ADA)
    const time = '2024-05-06 07:08:09.123456'
    await db
      .insertInto('socialaccount_socialaccount')
      .values({
        provider: 'google',
        uid: '1',
        extra_data: '"odd"',
        last_login: time,
        date_joined: time,
        user_id: user.id,
      })
      .execute()
    await db
      .insertInto('socialaccount_socialtoken')
      .values({ token: 'clear', token_secret: 'clear too', expires_at: time, account_id: 1, app_id: null })
      .execute()
    const joinedMs = Date.UTC(2024, 4, 6, 7, 8, 9, 123)
    expect(await auth.module('social').accounts.byId(db, 1)).toMatchObject({
      userId: 1,
      extraData: {},
      dateJoinedMs: joinedMs,
    })
    expect(await auth.module('social').tokens.ofAccount(db, 1)).toEqual([
      { token: 'clear', tokenSecret: 'clear too', expiresAtMs: joinedMs, appId: null },
    ])
    const browser = bench.browser()
    await browser.visit('google', { uid: '1', tokens: { token: 'new', tokenSecret: 'new too', expiresAtMs: null } })
    expect(await browser.whoami()).toBe('ada')
    const rows = await db.selectFrom('socialaccount_socialtoken').select(['token', 'token_secret']).execute()
    expect(rows).toEqual([
      { token: expect.stringMatching(/^sealed:/), token_secret: expect.stringMatching(/^sealed:/) },
    ])
    await world.auth.kernel.users.remove(db, 1)
    expect(await auth.module('social').accounts.byId(db, 1)).toBeNull()
  })

  it('replaces the signed-in user, and refuses inactive ones', async () => {
    bench = await socialBench({}, { open })
    const { auth } = bench
    const browser = bench.browser()
    await browser.visit('google', ADA_THERE)
    const signals = recordSignals(['user_logged_out', 'user_logged_in'])
    await browser.visit('github', { uid: '2', username: 'eve' })
    expect(await browser.whoami()).toBe('eve')
    expect(signals).toEqual(['user_logged_out of User', 'user_logged_in of User'])

    await bench.world.auth.accounts.setActive(1, false)
    const outcome = await browser.visit('google', ADA_THERE)
    expect(outcome).toMatchObject({ kind: 'login', outcome: { kind: 'inactive', redirectTo: '/accounts/inactive/' } })
    expect(await browser.whoami()).toBeNull()
    expect(await auth.module('social').accounts.find(auth.kernel.database.db, 'google', '1')).not.toBeNull()
  })

  it('goes through the stages of every login, and receivers still learn of the provider at its end', async () => {
    const account = { loginByCodeEnabled: true, loginByCodeRequired: ['socialaccount'] } as const
    bench = await socialBench({ account: { ...account, emailVerification: 'none' } }, { open })
    const { world } = bench
    await bench.browser().visit('google', ADA_THERE)
    const code = /^ {4}(\S+)$/m.exec((await world.mailTo('ada@example.org')).text)?.[1] ?? ''
    expect(code).not.toBe('')
    const logins: unknown[] = []
    world.auth.signals.on('user_logged_in', ({ sociallogin }) => void logins.push(sociallogin))
    const browser = bench.browser()
    const outcome = await browser.visit('google', ADA_THERE)
    expect(outcome).toMatchObject({ kind: 'login', outcome: { kind: 'stage', stage: 'login_by_code' } })
    expect(await browser.whoami()).toBeNull()
    await browser.run(async (request) => {
      const login = await bench.auth.account.login.at(request, 'login_by_code')
      return login === null ? null : bench.auth.account.login.resume(request, login)
    })
    expect(await browser.whoami()).toBe('ada')
    expect(logins).toMatchObject([
      { account: { uid: '1' }, app: { clientId: 'google-app', secret: 'google-app-secret' }, existingUser: { id: 1 } },
    ])
  })

  it('finds the user by verified address if the operator allows it', async () => {
    bench = await socialBench({ socialaccount: { emailAuthentication: true } }, { open })
    const { auth, world } = bench
    await world.addUser(ADA)
    const unproved = { ...ADA_THERE, emails: singleEmail('ada@example.org', false) }
    expect(await bench.browser().visit('google', unproved)).toMatchObject({ kind: 'signup' })
    const lookalike = { ...ADA_THERE, emails: singleEmail('ａda@example.org') }
    expect(await bench.browser().visit('google', lookalike)).toMatchObject({ kind: 'signup' })

    const browser = bench.browser()
    expect(await browser.visit('google', ADA_THERE)).toMatchObject({ kind: 'login', outcome: { user: { id: 1 } } })
    expect(await links(1)).toEqual([])
    expect((await auth.kernel.users.byId(auth.kernel.database.db, 1))?.hasUsablePassword).toBe(true)
  })

  it("takes an account back from a creator who didn't own the address", async () => {
    const socialaccount = { emailAuthentication: true, emailAuthenticationAutoConnect: true }
    bench = await socialBench({ socialaccount, account: { emailNotifications: true } }, { open })
    const { auth, world } = bench
    await world.addUser({ ...ADA, verified: false })
    const squatter = world.visitor()
    await squatter.login('ada', PASSWORD)
    expect(await squatter.whoami()).toBe('ada')
    const signals = recordSignals(['social_account_added'])

    const owner = bench.browser()
    await owner.visit('google', ADA_THERE)
    expect(await owner.whoami()).toBe('ada')
    expect(await squatter.whoami()).toBeNull()
    await squatter.login('ada', PASSWORD)
    expect(await squatter.whoami()).toBeNull()
    expect(await auth.kernel.users.byId(auth.kernel.database.db, 1)).toMatchObject({ hasUsablePassword: false })
    expect((await auth.account.emails.ofUser(auth.kernel.database.db, 1)).map(({ verified }) => verified)).toEqual([
      false,
    ])
    expect(await links(1)).toEqual(['google 1'])
    expect(signals).toEqual(['social_account_added of SocialAccount'])
    expect(await world.mailTo('ada@example.org')).toMatchObject({
      subject: expect.stringContaining('An account has been connected'),
      text: expect.stringContaining('Your Google account has been connected'),
    })
  })

  it('lets a hook set the user, and link the account', async () => {
    bench = await socialBench(
      {},
      {
        open,
        adapters: {
          social: {
            async preSocialLogin(request, sociallogin) {
              if (sociallogin.existingUser !== null) return
              const [user] = await bench.auth.kernel.users.byEmail(request.db, 'ada@example.org', {
                preferVerified: false,
                activeOnly: false,
              })
              if (user === undefined) return
              if (sociallogin.account.uid === 'linked')
                await bench.auth.module('social').link(request, sociallogin, user)
              else sociallogin.existingUser = user
            },
          },
        },
      },
    )
    await bench.world.addUser(ADA)
    for (const uid of ['known', 'linked']) {
      const browser = bench.browser()
      await browser.visit('google', { uid })
      expect(await browser.whoami()).toBe('ada')
    }
    expect(await links(1)).toEqual(['google linked'])
  })
})

it('reports the reason that a hook gives', async () => {
  bench = await socialBench(
    {},
    {
      adapters: {
        social: {
          preSocialLogin() {
            throw new InvalidInput([{ code: 'not_from_here', message: 'Not from here.' }])
          },
        },
      },
    },
  )
  expect(await bench.browser().visit('google', ADA_THERE)).toMatchObject({
    kind: 'failed',
    error: { code: 'not_from_here' },
  })
})
