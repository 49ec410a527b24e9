import { sql } from 'kysely'
import { type AuthWorld, ORIGIN } from '../auth-world.ts'
import { ADA, codeTo, type Effect, member, PASSWORD, maskCode, signUp } from './effect.ts'

const LOGIN = '/accounts/login/'
const ONE_LOGIN = { account: { rateLimits: { login: '1/m/ip' } } } as const

/** Returns the `Set-Cookie` lines of a login. */
async function cookieLines(world: AuthWorld): Promise<string> {
  await world.addUser(ADA)
  const ada = world.visitor()
  const page = await ada.get(LOGIN)
  const signedIn = await ada.login('ada', PASSWORD)
  return [...page.headers.getSetCookie(), ...signedIn.headers.getSetCookie()].join('\n')
}
/** Creates the effect of a cookie setting. @param pattern Matches the cookie lines only with the setting. */
const cookieEffect = (setting: string, changed: Effect['changed'], pattern: RegExp): Effect => ({
  setting,
  changed,
  observe: async (world) => pattern.test(await cookieLines(world)),
  without: false,
  within: true,
})
/** Returns the results of two logins with these headers, with a rate limit of one per minute and IP address. */
const tryTwoLogins = async (world: AuthWorld, header: string): Promise<unknown> => {
  const statuses: number[] = []
  for (const address of ['203.0.113.1', '203.0.113.2']) {
    const visitor = world.visitor()
    await visitor.get(LOGIN)
    statuses.push((await visitor.post(LOGIN, { login: 'ada', password: 'wrong' }, { [header]: address })).status)
  }
  return statuses
}
/** Returns the status of the login page when requested with another host name. */
const fetchLoginByHost = async (world: AuthWorld, host: string): Promise<number> =>
  (await world.auth.fetch(new Request(`http://${host}${LOGIN}`, { headers: { host } }))).status
const siteRow = (world: AuthWorld): Promise<unknown> =>
  sql`insert into django_site (id, domain, name) values (1, 'one.test', 'One'), (2, 'two.test', 'Two')`.execute(
    world.auth.kernel.database.db,
  )
const title = async (world: AuthWorld, language?: string): Promise<string | undefined> =>
  /<title>(.*)<\/title>/.exec((await world.visitor(language === undefined ? {} : { language }).get(LOGIN)).html)?.[1]
const loadPageLanguage = async (world: AuthWorld, language?: string): Promise<string | undefined> =>
  /<html lang="([^"]*)"/.exec((await world.visitor(language === undefined ? {} : { language }).get(LOGIN)).html)?.[1]

/** The effects of settings of the whole package and the host. */
export const HOST_EFFECTS: readonly Effect[] = [
  cookieEffect('development', { development: false }, /sessionid=.*; Secure/),
  cookieEffect('sessionCookieSecure', { sessionCookieSecure: true }, /sessionid=.*; Secure/),
  cookieEffect('sessionCookieName', { sessionCookieName: 'sid' }, /^sid=/m),
  cookieEffect('sessionCookieDomain', { sessionCookieDomain: 'auth.test' }, /sessionid=.*; Domain=auth\.test/),
  cookieEffect('sessionCookiePath', { sessionCookiePath: '/accounts/' }, /sessionid=.*; Path=\/accounts\//),
  cookieEffect('sessionCookieHttponly', { sessionCookieHttponly: false }, /sessionid=(?!.*HttpOnly)/),
  cookieEffect('sessionCookieSamesite', { sessionCookieSamesite: 'Strict' }, /sessionid=.*; SameSite=Strict/),
  cookieEffect('csrfCookieSecure', { csrfCookieSecure: true }, /csrftoken=.*; Secure/),
  cookieEffect('csrfCookieAge', { csrfCookieAge: 3600 }, /csrftoken=.*; Max-Age=3600/),
  {
    setting: 'pathPrefix',
    changed: { pathPrefix: '/people/' },
    async observe(world) {
      const paths = ['/accounts/login/', '/people/login/'] as const
      return Promise.all(paths.map(async (path) => (await world.visitor().get(path)).status))
    },
    without: [200, 404],
    within: [404, 200],
  },
  {
    setting: 'trustedProxyCount',
    base: ONE_LOGIN,
    changed: { trustedProxyCount: 1 },
    observe: (world) => tryTwoLogins(world, 'x-forwarded-for'),
    without: [200, 429],
    within: [200, 200],
  },
  {
    setting: 'trustedClientIpHeader',
    base: ONE_LOGIN,
    changed: { trustedClientIpHeader: 'X-Real-IP' },
    observe: (world) => tryTwoLogins(world, 'x-real-ip'),
    without: [200, 429],
    within: [200, 200],
  },
  {
    setting: 'userCodeFormat',
    base: { account: { loginByCodeEnabled: true } },
    changed: { userCodeFormat: { numeric: true } },
    async observe(world) {
      await world.addUser(ADA)
      await world.visitor().post('/accounts/login/code/', { email: ADA.email })
      return maskCode(await codeTo(world, ADA.email))
    },
    without: 'AAAA-AAAA',
    within: '000-000-000',
  },
  {
    setting: 'installedApps',
    changed: { installedApps: ['gatepost.mfa'] },
    async observe(world) {
      return (await (await member(world)).get('/accounts/2fa/')).status
    },
    without: 404,
    within: 200,
  },
  {
    setting: 'sitesEnabled',
    changed: { sitesEnabled: true },
    async observe(world) {
      await siteRow(world)
      return title(world)
    },
    without: 'Sign in · Example',
    within: 'Sign in · One',
  },
  {
    setting: 'siteId',
    base: { sitesEnabled: true },
    changed: { siteId: 2 },
    async observe(world) {
      await siteRow(world)
      return title(world)
    },
    without: 'Sign in · One',
    within: 'Sign in · Two',
  },
  {
    setting: 'siteName',
    changed: { siteName: 'Ours' },
    observe: (world) => title(world),
    without: 'Sign in · Example',
    within: 'Sign in · Ours',
  },
  {
    setting: 'siteDomain',
    changed: { siteDomain: 'ours.test' },
    async observe(world) {
      await signUp(world.visitor())
      return (await world.mailTo(ADA.email)).text.includes('\nours.test')
    },
    without: false,
    within: true,
  },
  {
    setting: 'languages',
    changed: { languages: ['en', 'fr'] },
    observe: (world) => loadPageLanguage(world, 'de'),
    without: 'de',
    within: 'en',
  },
  {
    setting: 'languageCode',
    changed: { languageCode: 'de' },
    observe: (world) => loadPageLanguage(world),
    without: 'en',
    within: 'de',
  },
  {
    setting: 'allowedHosts',
    changed: { allowedHosts: ['.other.test'] },
    async observe(world) {
      await world.addUser(ADA)
      const next = 'http://www.other.test/x'
      const login = await world.visitor().login('ada', PASSWORD, { next })
      return [await fetchLoginByHost(world, 'www.other.test'), login.location]
    },
    without: [400, '/accounts/profile/'],
    within: [200, 'http://www.other.test/x'],
  },
  {
    setting: 'csrfTrustedOrigins',
    changed: { csrfTrustedOrigins: ['http://other.test'] },
    async observe(world) {
      const eve = world.visitor()
      await eve.get(LOGIN)
      return (await eve.post(LOGIN, { login: 'ada', password: 'x' }, { origin: 'http://other.test' })).status
    },
    without: 403,
    within: 200,
  },
  {
    setting: 'secureSslRedirect',
    changed: { secureSslRedirect: true },
    async observe(world) {
      const { status, headers } = await world.auth.fetch(
        new Request(`${ORIGIN}${LOGIN}`, { headers: { host: 'auth.test' } }),
      )
      return [status, headers.get('location')]
    },
    without: [200, null],
    within: [301, `https://auth.test${LOGIN}`],
  },
]
