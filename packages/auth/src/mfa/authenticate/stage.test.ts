import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { ADA, codeTo, PASSWORD } from '../../testing/effects/effect.ts'
import type { Visitor } from '../../testing/visitor.ts'
import type { User } from '../../kernel/users/user.ts'
import { hear, type MfaWorld, mfaWorld, SECRET, SECRET_URL, SEED, SEED_CODES } from '../testing-bench.ts'

const STAGE = '/accounts/2fa/authenticate/'
const HOME = '/accounts/profile/'
const KEY = { name: 'a key', credential: {} }

describe.each(testDatabases)('the second step of a login on %s', (_name, open) => {
  let world: MfaWorld
  afterEach(() => world.close())

  const begin = async (settings: AuthSettingsInput = {}): Promise<User> => {
    world = await mfaWorld(open, settings)
    return world.addUser(ADA)
  }
  const withApp = async (settings: AuthSettingsInput = {}): Promise<User> => {
    const ada = await begin(settings)
    await world.imported(ada, 'totp', { secret: SECRET })
    await world.imported(ada, 'recovery_codes', { seed: SEED, used_mask: 0 })
    return ada
  }
  const login = (browser: Visitor = world.visitor()): ReturnType<Visitor['login']> => browser.login('ada', PASSWORD)

  it('is passed by a code of the app, or by a recovery code', async () => {
    await withApp()
    for (const code of [world.appCode(SECRET_URL), SEED_CODES[0] ?? '']) {
      const ada = world.visitor()
      expect((await login(ada)).location).toBe(STAGE)
      expect(await ada.whoami()).toBeNull()
      expect((await ada.post(STAGE, { code: '000000' })).text).toContain('Incorrect code.')
      expect(await ada.whoami()).toBeNull()
      expect((await ada.post(STAGE, { code })).location).toBe(HOME)
      expect(await ada.whoami()).toBe('ada')
    }
  })

  it('goes on to where the login was to lead', async () => {
    await withApp()
    const ada = world.visitor()
    const stage = await ada.login('ada', PASSWORD, { next: '/accounts/email/' })
    const done = await ada.post(stage.location ?? '', { code: SEED_CODES[0] ?? '' })
    expect(done.location).toBe('/accounts/email/')
  })

  it.each([
    ['a key', async (ada: User) => world.imported(ada, 'webauthn', KEY), STAGE],
    ['recovery codes alone', async (ada: User) => world.imported(ada, 'recovery_codes', { seed: SEED }), HOME],
    ['nothing', () => Promise.resolve(), HOME],
  ])('with %s', async (_why, add, location) => {
    await add(await begin())
    expect((await login()).location).toBe(location)
  })

  it('is skipped while the module is off', async () => {
    await withApp({ mfa: { enabled: false } })
    expect((await login()).location).toBe(HOME)
  })

  it('is the same for a factor of a kind that is not offered any more', async () => {
    const user = await withApp({ mfa: { supportedTypes: ['recovery_codes'] } })
    await world.imported(user, 'webauthn', KEY)
    const ada = world.visitor()
    expect((await ada.follow(await login(ada))).at).toBe(STAGE)
    expect((await ada.post(STAGE, { code: world.appCode(SECRET_URL) })).location).toBe(HOME)
  })

  it('emits its signals in order', async () => {
    await withApp()
    const ada = world.visitor()
    const heard = hear(world)
    world.auth.signals.on('user_logged_in', () => void heard.push('user_logged_in'))
    await login(ada)
    await ada.post(STAGE, { code: world.appCode(SECRET_URL) })
    expect(heard.map((line) => line.replace(/ .*"(method":"\w+)".*/, ' $1').replace(/ A.*/, ''))).toEqual([
      'authentication_step_completed method":"password',
      'authentication_step_completed method":"mfa',
      'authenticator_used',
      'user_logged_in',
    ])
  })

  it('follows a login by code too', async () => {
    await withApp({ account: { loginByCodeEnabled: true } })
    const ada = world.visitor()
    await ada.post('/accounts/login/code/', { email: ADA.email })
    const done = await ada.post('/accounts/login/code/confirm/', { code: await codeTo(world, ADA.email) })
    expect([done.location, await ada.whoami()]).toEqual([STAGE, null])
  })

  it('is asked of JSON clients too', async () => {
    await withApp({ headless: { enabled: true } })
    for (const client of ['app', 'browser'] as const) {
      const ada = world.api(client)
      const first = await ada.post('auth/login', { username: 'ada', password: PASSWORD })
      const stage = { id: 'mfa_authenticate', is_pending: true, types: ['recovery_codes', 'totp'] }
      expect(first).toMatchObject({ status: 401, body: { meta: { is_authenticated: false } } })
      expect(first).toHaveProperty('body.data.flows', expect.arrayContaining([stage]))
      const code = client === 'app' ? SEED_CODES[0] : SEED_CODES[1]
      expect(await ada.post('auth/2fa/authenticate', { code })).toMatchObject({
        status: 200,
        body: { data: { user: { username: 'ada' } } },
      })
    }
  })

  it("is still required after another user's passkey login in the same session", async () => {
    const ada = await withApp()
    const eve = await world.addUser({ username: 'eve' })
    const key = await world.imported(eve, 'webauthn', KEY)
    const { login: logins } = world.auth.account
    const stages: unknown[] = []
    const browser = world.browser()
    await browser(async (visit) => {
      const record = { method: 'mfa', id: key.id, type: 'webauthn', passwordless: true }
      await logins.record(visit, record, eve)
      stages.push(await logins.begin(visit, { user: ada }))
      await logins.record(visit, { ...record, id: key.id }, eve)
      stages.push(await logins.begin(visit, { user: eve }))
    })
    expect(stages).toMatchObject([{ kind: 'stage', stage: 'mfa_authenticate' }, { kind: 'authenticated' }])
  })

  it('signs in one of two requests with the same code', async () => {
    await withApp()
    const [one, two] = [world.visitor(), world.visitor()]
    await Promise.all([login(one), login(two)])
    const code = world.appCode(SECRET_URL)
    const done = await Promise.all([one.post(STAGE, { code }), two.post(STAGE, { code })])
    expect(done.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 302])
    const names = [await one.whoami(), await two.whoami()]
    expect(names.filter((name) => name !== null)).toEqual(['ada'])
  })
})

describe.each(testDatabases)('reauthentication methods on %s', (_name, open) => {
  it('are the password, a code, a key, in this order, as far as there are any', async () => {
    const world = await mfaWorld(open, { mfa: { supportedTypes: ['totp', 'webauthn', 'recovery_codes'] } })
    const [ada, eve] = [await world.person('ada'), await world.addUser({ username: 'eve' })]
    const ways = (user: User): Promise<readonly string[]> =>
      ada.browser(async (visit) =>
        (await world.auth.account.adapter.getReauthenticationMethods(visit, user)).map(({ id, url }) => `${id} ${url}`),
      )
    expect(await ways(ada.user)).toEqual(['reauthenticate /accounts/reauthenticate/'])
    await world.imported(ada.user, 'webauthn', KEY)
    await world.imported(ada.user, 'totp', { secret: SECRET })
    expect(await ways(ada.user)).toEqual([
      'reauthenticate /accounts/reauthenticate/',
      'mfa_reauthenticate /accounts/2fa/reauthenticate/',
      'mfa_reauthenticate_webauthn /accounts/2fa/webauthn/reauthenticate/',
    ])
    expect(await ways(eve)).toEqual([])
    await world.imported(eve, 'recovery_codes', { seed: SEED })
    expect(await ways(eve)).toEqual(['mfa_reauthenticate /accounts/2fa/reauthenticate/'])
    await world.close()
  })
})
