import { afterEach, describe, expect, it } from 'vitest'
import { ImmediateResponse } from '../../errors.ts'
import { type AuthWorld, authWorld, ORIGIN } from '../../testing/auth-world.ts'

const LOGIN = '/accounts/login/'
const HOME = '/accounts/profile/'
const PASSWORD = 'a made-up pass phrase'
const ADA = { username: 'Ada', email: 'ada@example.org', password: PASSWORD }
const EITHER = { account: { loginMethods: ['username', 'email'], emailVerification: 'none' } } as const

let world: AuthWorld
const open = async (options: Parameters<typeof authWorld>[0] = { settings: EITHER }): Promise<AuthWorld> => {
  world = await authWorld(options)
  return world
}
afterEach(() => world.close())

describe('where a login leads', () => {
  const targets: readonly [next: string, location: string][] = [
    ['/x?a=1', '/x?a=1'],
    ['x', 'x'],
    [`${ORIGIN}/x`, '/x'],
    ['https://a.example.com/', 'https://a.example.com/'],
    ['', HOME],
    ['//evil.example/', HOME],
    ['///evil.example', HOME],
    ['https:evil.example', HOME],
    ['https://evil.example/', HOME],
    ['\\\\evil.example', HOME],
    ['/\\evil.example', HOME],
    ['\t//evil.example', HOME],
    ['javascript:alert(1)', HOME],
    [`${ORIGIN}@evil.example/`, HOME],
  ]
  it.each(targets)('%j', async (next, location) => {
    await open({ settings: { ...EITHER, allowedHosts: ['auth.test', '.example.com'] } })
    await world.addUser(ADA)
    expect((await world.visitor().login('Ada', PASSWORD, { next })).location).toBe(location)
    const query = new URLSearchParams({ next })
    const visitor = world.visitor()
    await visitor.get(LOGIN)
    expect((await visitor.post(`${LOGIN}?${query.toString()}`, { login: 'Ada', password: PASSWORD })).location).toBe(
      location,
    )
  })

  it('passes next on to every page before the login', async () => {
    await open()
    const page = await world.visitor().get(`${LOGIN}?next=/a%22b`)
    expect(page.html).toContain('name="next" value="/a&quot;b"')
    expect(page.html).toContain('/accounts/signup/?next=/a%22b')
  })

  it('can be the name of a page', async () => {
    await open({ settings: { ...EITHER, loginRedirectUrl: 'account_email' } })
    await world.addUser(ADA)
    expect((await world.visitor().login('Ada', PASSWORD)).location).toBe('/accounts/email/')
  })

  it('redirects a signed-in user, unless the site disables it', async () => {
    await open()
    await world.addUser(ADA)
    const ada = world.visitor()
    await ada.login('Ada', PASSWORD)
    expect((await ada.get(`${LOGIN}?next=/x`)).location).toBe('/x')
    expect((await ada.login('Ada', 'wrong')).location).toBe(HOME)
    await world.close()
    await open({ settings: { account: { ...EITHER.account, authenticatedLoginRedirects: false } } })
    await world.addUser(ADA)
    const again = world.visitor()
    await again.login('Ada', PASSWORD)
    expect((await again.get(LOGIN)).status).toBe(200)
  })
})

describe('hooks of a login', () => {
  it.each([
    ['a path', async () => '/closed/', { status: 302, location: '/closed/' }],
    ['a response', async () => new Response('closed', { status: 418 }), { status: 418, text: 'closed' }],
    [
      'an immediate response',
      async () => {
        throw new ImmediateResponse(new Response('at once', { status: 418 }))
      },
      { status: 418, text: 'at once' },
    ],
  ])('preLogin stops it with %s', async (_why, preLogin, answer) => {
    await open({ settings: EITHER, adapters: { account: { preLogin } } })
    await world.addUser(ADA)
    const ada = world.visitor()
    expect(await ada.login('Ada', PASSWORD)).toMatchObject(answer)
    expect(await ada.whoami()).toBeNull()
  })

  it('authenticate can use another source; the limits stay', async () => {
    const settings = { account: { ...EITHER.account, rateLimits: { login_failed: '2/m/key' } } } as const
    await open({
      settings,
      adapters: {
        account: (defaults) => ({
          authenticate: async (request, credentials) =>
            credentials.password === 'from elsewhere'
              ? world.auth.kernel.users.byUsername(request.db, credentials.username ?? '')
              : defaults.authenticate(request, credentials),
        }),
      },
    })
    await world.addUser(ADA)
    expect((await world.visitor().login('Ada', PASSWORD)).location).toBe(HOME)
    expect((await world.visitor().login('Ada', 'from elsewhere')).location).toBe(HOME)
    for (const _ of [1, 2]) await world.visitor().login('Ada', 'wrong')
    expect((await world.visitor().login('Ada', 'from elsewhere')).text).toContain('Too many attempts')
  })

  it('postLogin sets the redirect; errorMessages overrides the texts', async () => {
    const account = { postLogin: async () => '/welcome/', errorMessages: { username_password_mismatch: 'Nope.' } }
    await open({ settings: EITHER, adapters: { account } })
    await world.addUser(ADA)
    expect((await world.visitor().login('Ada', 'wrong')).text).toContain('Nope.')
    expect((await world.visitor().login('Ada', PASSWORD)).location).toBe('/welcome/')
  })

  it('is closed to POST on sites where accounts come only from providers', async () => {
    await open({ settings: { socialaccount: { only: true, enabled: true }, account: { emailVerification: 'none' } } })
    expect((await world.visitor().login('Ada', PASSWORD)).status).toBe(403)
  })
})
