import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from './kernel/settings/settings.ts'
import { type AuthWorld, authWorld, ORIGIN } from './testing/auth-world.ts'
import { ADA, codeTo, linkTo, member, PASSWORD, signUp } from './testing/effects/effect.ts'
import { CHANGE, MANDATORY, VERIFY_CODES } from './testing/hooks/hook.ts'
import type { Visitor } from './testing/visitor.ts'

const NEW_PAIR = { password1: CHANGE.password1, password2: CHANGE.password2 }
const RESET = '/accounts/password/reset/'

let world: AuthWorld
const open = async (options: Parameters<typeof authWorld>[0] = {}): Promise<void> => {
  world = await authWorld(options)
}
afterEach(() => world.close())

describe('the routes of the contract', () => {
  it('sign up with an address alone, as configured, and sign in with "remember me"', async () => {
    await open({
      settings: {
        account: { loginMethods: ['email'], signupFields: ['email*', 'password1*', 'password2*'] },
        loginRedirectUrl: '/home/',
      },
    })
    const ada = world.visitor()
    expect(
      (await ada.post('/accounts/signup/', { email: ADA.email, password1: PASSWORD, password2: PASSWORD })).location,
    ).toBe('/home/')
    expect((await ada.post('/accounts/logout/')).location).toBe('/')
    const again = await ada.login(ADA.email, PASSWORD, { remember: 'on' })
    expect([
      again.location,
      again.headers.getSetCookie().some((line) => /sessionid=.*Max-Age=1209600/.test(line)),
    ]).toEqual(['/home/', true])
  })

  it('change a password, and set one only if there is none', async () => {
    await open()
    const ada = await member(world)
    expect((await ada.post('/accounts/password/set/', NEW_PAIR)).location).toBe('/accounts/password/change/')
    expect((await ada.post('/accounts/password/change/', CHANGE)).location).toBe('/accounts/password/change/')
    expect((await world.visitor().login('ada', CHANGE.password1)).status).toBe(302)
    const { location } = await world.visitor().get('/accounts/password/change/')
    expect(location).toBe('/accounts/login/?next=/accounts/password/change/')
  })

  it('reset by link, where the page of the code is not there', async () => {
    await open()
    await world.addUser(ADA)
    const ada = world.visitor()
    expect((await ada.post(RESET, { email: ADA.email })).location).toBe(`${RESET}done/`)
    expect((await ada.post(`${RESET}confirm/`, { code: 'x' })).status).toBe(404)
    const { location } = await ada.get(await linkTo(world, ADA.email))
    expect(location).toBe(`${RESET}key/1-set-password/`)
    expect((await ada.post(location ?? '', NEW_PAIR)).location).toBe(`${RESET}key/done/`)
  })

  it('reset by code', async () => {
    await open({ settings: { account: { passwordResetByCodeEnabled: true } } })
    await world.addUser(ADA)
    const ada = world.visitor()
    expect((await ada.post(RESET, { email: ADA.email })).location).toBe(`${RESET}confirm/`)
    const { location } = await ada.post(`${RESET}confirm/`, { code: await codeTo(world, ADA.email) })
    expect(location).toBe(`${RESET}complete/`)
    expect((await ada.post(location ?? '', NEW_PAIR)).location).toBe(`${RESET}done/`)
  })

  it.each([
    ['a link', MANDATORY],
    ['a code', VERIFY_CODES],
  ])('wait at /accounts/verify-email/ for %s', async (_why, settings) => {
    await open({ settings })
    const ada = world.visitor()
    await ada.follow(await signUp(ada)) // shows the message
    const [real, alias] = [await ada.get('/accounts/confirm-email/'), await ada.get('/accounts/verify-email/')]
    const page = ({ html }: { html: string }): string => html.replaceAll(/value="[A-Za-z0-9]{64}"/g, '')
    expect([alias.status, page(alias)]).toEqual([200, page(real)])
  })
})

describe('people without a verified address', () => {
  const away = async (visitor: Visitor, path: string): Promise<readonly [number, string | null] | null> => {
    const cookie = [...visitor.cookies].map((pair) => pair.join('=')).join('; ')
    const request = new Request(`${ORIGIN}${path}`, { headers: { cookie, host: new URL(ORIGIN).host } })
    const from = { remoteAddress: '192.0.2.1' }
    const answer = await world.auth.guards.redirectUnverified(request, from, { allow: ['/static/', '/about'] })
    for (const line of answer?.headers.getSetCookie() ?? []) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=')
      visitor.cookies.set(name, value)
    }
    return answer === null ? null : [answer.status, answer.headers.get('location')]
  }
  /** Signed in first, and without a verified address since. */
  const unverified = async (settings: AuthSettingsInput): Promise<Visitor> => {
    await open({ settings })
    const ada = await member(world)
    await world.auth.kernel.database.db.updateTable('account_emailaddress').set({ verified: false }).execute()
    return ada
  }

  it('are led to the page of the verification, and get a link once', async () => {
    const ada = await unverified(MANDATORY)
    const there = [302, '/accounts/verify-email/?next=/papers%3Fx%3D1']
    expect(await away(ada, '/papers?x=1')).toEqual(there)
    expect(await away(ada, '/papers?x=1')).toEqual(there)
    expect((await world.mails()).map(({ to }) => to)).toEqual([ADA.email])
    expect((await ada.get('/accounts/verify-email/')).status).toBe(200)
    await ada.post(await linkTo(world, ADA.email))
    expect(await away(ada, '/papers?x=1')).toBeNull()
  })

  it('get a code if configured, and continue once it is entered', async () => {
    const ada = await unverified(VERIFY_CODES)
    const [, page] = (await away(ada, '/papers')) ?? []
    expect(page).toBe('/accounts/verify-email/?next=/papers')
    expect((await ada.post(page ?? '', { code: await codeTo(world, ADA.email) })).location).toBe('/papers')
    expect(await away(ada, '/papers')).toBeNull()
  })

  it.each(['/accounts/email/', '/static/style.css', '/about'])('may see %s', async (path) => {
    expect(await away(await unverified(MANDATORY), path)).toBeNull()
  })

  it('go on where verification is not mandatory, as strangers do everywhere', async () => {
    expect(await away(await unverified({}), '/papers')).toBeNull()
    await world.close()
    await open({ settings: MANDATORY })
    expect(await away(world.visitor(), '/papers')).toBeNull()
  })

  it('and without any address add one first', async () => {
    const ada = await unverified(MANDATORY)
    await world.auth.kernel.database.db.deleteFrom('account_emailaddress').execute()
    await world.auth.kernel.database.db.updateTable('auth_user').set({ email: '' }).execute()
    expect(await away(ada, '/papers')).toEqual([302, '/accounts/email/?next=/papers'])
  })
})

describe('without pages', () => {
  const FRONT = {
    account_confirm_email: 'https://app.test/verify?key={key}',
    account_reset_password_from_key: '/reset/{key}',
    account_signup: '/join',
  } as const

  it('none is there, and links of mails lead to the front end', async () => {
    await open({ settings: { headless: { only: true, frontendUrls: FRONT } } })
    for (const path of ['', 'login/', 'signup/', 'email/', 'confirm-email/', 'password/reset/']) {
      expect([path, (await world.visitor().get(`/accounts/${path}`)).status]).toEqual([path, 404])
    }
    const ada = await world.addUser(ADA)
    await world.auth.visit(
      new Request(`${ORIGIN}/`, { headers: { host: new URL(ORIGIN).host } }),
      { remoteAddress: '192.0.2.1' },
      async (visit) => {
        const { adapter } = world.auth.account
        expect(
          adapter.getEmailConfirmationUrl(visit, {
            emailAddress: null,
            email: ADA.email,
            user: ada,
            key: 'a:b',
            code: null,
          }),
        ).toBe('https://app.test/verify?key=a%3Ab')
        expect(adapter.getResetPasswordFromKeyUrl(visit, '1-2-3')).toBe(`${ORIGIN}/reset/1-2-3`)
        await adapter.sendAccountAlreadyExistsMail(visit, ADA.email)
        return null
      },
    )
    expect((await world.mailTo(ADA.email)).text).not.toContain('/accounts/')
  })

  it.each([
    ['account_confirm_email', { account_reset_password_from_key: '/reset/{key}' }],
    ['account_reset_password_from_key', { account_confirm_email: '/verify/{key}' }],
  ])('a link without a page of the front end is refused at the start: %s', async (missing, frontendUrls) => {
    await open()
    await expect(authWorld({ settings: { headless: { only: true, frontendUrls } } })).rejects.toThrow(missing)
  })
})

describe('at the start', () => {
  it.each([
    ['signupFields', { signupFields: ['phone*', 'password1*'] }],
    ['loginMethods', { loginMethods: ['username', 'phone'] }],
  ] as const)('phones in %s need the hook that sends messages', async (_why, account) => {
    await open()
    await expect(authWorld({ settings: { account } })).rejects.toThrow('sendVerificationCodeSms')
    const adapters = { account: { sendVerificationCodeSms: async () => {} } }
    await (await authWorld({ settings: { account }, adapters })).close()
  })

  it.each([
    [{}, 1],
    [{ trustedProxyCount: 1 }, 0],
    [{ trustedClientIpHeader: 'X-Real-IP' }, 0],
  ])('a proxy missing from the settings %o is reported once', async (settings, warnings) => {
    await open({ settings })
    for (const _ of [1, 2]) await world.visitor().get('/accounts/login/', { 'x-forwarded-for': '203.0.113.1' })
    expect(world.logged.filter(({ message }) => message.includes('X-Forwarded-For'))).toHaveLength(warnings)
  })

  it('cookies over http are reported, except in development', async () => {
    await open({ settings: { development: false, sessionCookieSecure: false, csrfCookieSecure: false } })
    const told = world.logged.map(({ message }) => message.split(' ')[0])
    expect(told).toEqual(expect.arrayContaining(['SESSION_COOKIE_SECURE', 'CSRF_COOKIE_SECURE']))
    await world.close()
    await open({ settings: { sessionCookieSecure: false, csrfCookieSecure: false } })
    expect(world.logged).toEqual([])
  })
})
