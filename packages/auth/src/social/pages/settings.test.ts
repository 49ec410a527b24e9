import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { providerSettings, type SocialWorld, socialWorld } from '../../testing/social-world.ts'
import type { Visited } from '../../testing/visitor.ts'

const CONNECTIONS = '/accounts/3rdparty/'
const FRONTEND = {
  enabled: true,
  only: true,
  frontendUrls: {
    account_confirm_email: '/verify/{key}',
    account_reset_password_from_key: '/reset/{key}',
    account_signup: '/signup',
    socialaccount_login_error: '/failed?from=here',
  },
} as const

let world: SocialWorld
const open = async (settings: AuthSettingsInput): Promise<void> => {
  world = await socialWorld({ settings })
}
afterEach(() => world.close())

const readRedirect = ({ status, location }: Visited): readonly [number, string | null] => [status, location]

describe('sign-ins at providers', () => {
  it('start from a link if the settings allow it', async () => {
    await open({ socialaccount: { loginOnGet: true } })
    const visitor = world.visitor()
    const begun = await visitor.get(
      '/accounts/google/login/?next=/papers/&scope=drive,photos&auth_params=prompt%3Dnone',
    )
    const query = new URL(begun.location ?? '').searchParams
    expect([begun.status, query.get('prompt')]).toEqual([302, 'none'])
    expect(query.get('scope')?.split(' ')).toEqual(expect.arrayContaining(['drive', 'photos']))
    expect(readRedirect(await visitor.get(await world.agree(begun.location)))).toEqual([302, '/papers/'])
  })

  it('are limited per address', async () => {
    await open({ account: { rateLimits: { provider_login: '2/m/ip' } }, socialaccount: { loginOnGet: true } })
    const statuses: number[] = []
    for (const _ of [1, 2, 3]) statuses.push((await world.visitor().get('/accounts/google/login/')).status)
    statuses.push((await world.visitor().post('/accounts/google/login/')).status)
    expect(statuses).toEqual([302, 302, 429, 429])
  })

  it('have the prefix of the settings, or none', async () => {
    await open({ socialaccount: { openidConnectUrlPrefix: '' } })
    world.emulator.addClient('openid_connect', {
      clientId: 'client of openid_connect',
      secret: 'a made-up secret of an app',
      redirectUris: ['http://auth.test/accounts/acme/login/callback/'],
    })
    const visitor = world.visitor()
    expect((await visitor.get('/accounts/login/')).html).toContain('action="/accounts/acme/login/?process=login"')
    expect((await world.through(visitor, 'acme')).status).toBe(302)
    expect([await visitor.whoami(), (await visitor.get('/accounts/none/login/')).status]).toEqual(['grace', 404])
  })

  it('return through a page if the session cookie is strict', async () => {
    await open({ sessionCookieSamesite: 'Strict' })
    const visitor = world.visitor()
    const begun = await visitor.post('/accounts/google/login/?next=/papers/')
    const callback = await world.agree(begun.location)
    const first = await world.visitor().get(callback)
    const [, target = ''] = /<meta http-equiv="refresh" content="0; url=([^"]*)">/.exec(first.html) ?? []
    expect([first.status, target.replaceAll('&amp;', '&')]).toEqual([200, `${callback}&_redir=`])
    expect(first.headers.getSetCookie().some((line) => line.startsWith('sessionid='))).toBe(false)
    expect((await world.visitor().get(`${callback}&_redir=`)).status).toBe(401)
    expect(readRedirect(await visitor.get(`${callback}&_redir=`))).toEqual([302, '/papers/'])
    const posted = await world.visitor().post('/accounts/apple/login/callback/', { state: 'x' })
    const [cookie = ''] = posted.headers.getSetCookie().filter((line) => line.startsWith('apple'))
    expect(cookie).toContain('SameSite=Lax')
  })

  it('require reauthentication for linking, and then continue', async () => {
    await open({ account: { reauthenticationRequired: true } })
    await world.addUser({ username: 'ada', email: 'ada@example.org', password: 'a made-up phrase' })
    const ada = world.visitor()
    await ada.login('ada', 'a made-up phrase')
    world.clock.advance(3_600_000)
    const begun = await ada.post('/accounts/google/login/?process=connect')
    expect(readRedirect(begun)).toEqual([302, expect.stringMatching(/^\/accounts\/reauthenticate\/\?next=/)])
    const confirmed = await ada.post(begun.location ?? '', { password: 'a made-up phrase' })
    const proceed = await ada.follow(confirmed)
    expect(proceed.html).toContain('action="/accounts/google/login/?process=connect"')
    expect(readRedirect(await world.through(ada, 'google', { process: 'connect' }))).toEqual([302, CONNECTIONS])
    world.clock.advance(3_600_000)
    const id = /name="account" value="(\d+)"/.exec((await ada.get(CONNECTIONS)).html)?.[1] ?? ''
    expect((await ada.post(CONNECTIONS, { account: id })).location).toMatch(/^\/accounts\/reauthenticate\//)
    expect((await ada.get(CONNECTIONS)).text).toContain('Google')
  })

  it('are all there is where people have no accounts of their own', async () => {
    await open({ socialaccount: { only: true }, account: { emailVerification: 'none' } })
    const login = await world.visitor().get('/accounts/login/')
    expect(login.html).not.toMatch(/type="password"|accounts\/signup\//)
    expect(login.html).toContain('action="/accounts/google/login/?process=login"')
    const visitor = world.visitor()
    await world.through(visitor, 'google')
    const id = /name="account" value="(\d+)"/.exec((await visitor.get(CONNECTIONS)).html)?.[1] ?? ''
    const refused = await visitor.post(CONNECTIONS, { account: id })
    expect([refused.status, refused.html.includes('role="alert"')]).toEqual([200, true])
  })

  it('redirect to the front end that has the pages', async () => {
    await open({ headless: FRONTEND })
    const visitor = world.visitor()
    for (const path of ['google/login/', '3rdparty/', '3rdparty/login/error/', 'google/login/token/']) {
      expect([path, (await visitor.get(`/accounts/${path}`)).status]).toEqual([path, 404])
    }
    const forged = await visitor.get('/accounts/google/login/callback/?state=made-up&code=made-up')
    expect(readRedirect(forged)).toEqual([302, '/failed?from=here&error=unknown&error_process=login'])
    const lost = await visitor.get('/accounts/apple/login/callback/finish/')
    expect(readRedirect(lost)).toEqual([302, '/failed?from=here&error=unknown&error_process=login'])
  })

  it('come back from Telegram by a page that posts the fragment', async () => {
    const telegram = { APP: { client_id: '1234', secret: '1234:made-up' } }
    await open({ socialaccount: { providers: { telegram } } })
    const visitor = world.visitor()
    const begun = await visitor.post('/accounts/telegram/login/')
    const back = new URL(new URL(begun.location ?? '').searchParams.get('return_to') ?? '')
    const callback = `${back.pathname}${back.search}`
    const page = await visitor.get(callback)
    expect(page.html).toContain('<script src="/accounts/assets/telegram.js" defer></script>')
    expect(page.html).toContain('name="tgAuthResult" value=""')
    const refused = Buffer.from('false').toString('base64')
    expect((await visitor.post(callback, { tgAuthResult: refused })).location).toBe(
      '/accounts/3rdparty/login/cancelled/',
    )
    expect((await visitor.post(callback, { tgAuthResult: refused })).status).toBe(401)
  })

  it('hide hidden providers, and list none if there are none', async () => {
    await open({ socialaccount: { providers: {} } })
    const login = await world.visitor().get('/accounts/login/')
    expect(login.html).not.toContain('auth-providers')
    await world.close()
    world = await socialWorld({})
    const { github, google } = providerSettings(world.emulator)
    await world.close()
    const hidden = { APP: { ...(google as { APP: object }).APP, settings: { hidden: true } } } // as the kit has made it
    await open({ socialaccount: { providers: { github, google: hidden } } })
    const { html } = await world.visitor().get('/accounts/login/')
    expect(Array.from(html.matchAll(/data-provider="(\w+)"/g), ([, id]) => id)).toEqual(['github'])
  })

  it('skip a provider with ambiguous apps, and warn the operator', async () => {
    const app = { client_id: 'one', secret: 'a made-up secret' }
    const providers = { github: { APP: app }, google: { APPS: [app, { ...app, client_id: 'two' }] } }
    await open({ socialaccount: { providers } })
    const visitor = world.visitor()
    const { status, html } = await visitor.get('/accounts/login/')
    expect([status, html.match(/data-provider="\w+"/g)]).toEqual([200, ['data-provider="github"']])
    expect((await visitor.get('/accounts/google/login/')).status).toBe(404)
    expect((await visitor.post('/accounts/google/login/')).status).toBe(404)
    const problem = 'AuthError: The provider google has several apps: all but one must be hidden.'
    expect(world.logged.map(({ level, fields }) => [level, String(fields['error'])])).toContainEqual(['error', problem])
  })

  it('offer brands of OpenID by their names, with the address filled in', async () => {
    const SERVERS = [{ id: 'example', name: 'Example <ID>', openid_url: 'https://id.example.org/?a=b&c' }]
    await open({ socialaccount: { providers: { openid: { SERVERS } } } })
    const visitor = world.visitor()
    const login = await visitor.get('/accounts/login/?next=/papers/')
    const links = Array.from(
      login.html.matchAll(/href="(\/accounts\/openid\/[^"]*)">(.*?)<\/a>/g),
      ([, href = '', name = '']) => [href.replaceAll('&amp;', '&'), name.replace(/^<span.*<\/span>/, '')],
    )
    const openid = 'openid=https%3A%2F%2Fid.example.org%2F%3Fa%3Db%26c'
    expect(links).toEqual([
      [`/accounts/openid/login/?${openid}&process=login&next=%2Fpapers%2F`, 'Example &lt;ID&gt;'],
      ['/accounts/openid/login/?process=login&next=%2Fpapers%2F', 'OpenID'],
    ])
    const page = await visitor.get(links[0]?.[0] ?? '')
    expect(page.html).toContain('value="https://id.example.org/?a=b&amp;c"')
    expect(page.html).toContain('<input type="hidden" name="next" value="/papers/">')
  })

  it('use the app that a hook chooses among several', async () => {
    const app = { client_id: 'one', secret: 'a made-up secret' }
    const providers = { google: { APPS: [app, { ...app, client_id: 'two' }] } }
    world = await socialWorld({
      settings: { socialaccount: { providers } },
      adapters: {
        social: ({ getApp }) => ({ getApp: (request, provider) => getApp(request, provider, 'two') }),
      },
    })
    const visitor = world.visitor()
    expect((await visitor.get('/accounts/login/')).html.match(/data-provider="\w+"/g)).toEqual([
      'data-provider="google"',
    ])
    const { location } = await visitor.post('/accounts/google/login/')
    expect(new URL(location ?? '').searchParams.get('client_id')).toBe('two')
  })
})
