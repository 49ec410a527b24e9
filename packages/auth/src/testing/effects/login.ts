import { ADA, codeTo, type Effect, member, PASSWORD, maskCode, signUp } from './effect.ts'

const CODES = { account: { loginByCodeEnabled: true } } as const
const REQUIRED = { account: { loginByCodeRequired: true } } as const
const MANDATORY = {
  account: { signupFields: ['username*', 'email*', 'password1*', 'password2*'], emailVerification: 'mandatory' },
} as const
const CONFIRM = '/accounts/login/code/confirm/'
const DAY_MS = 86_400_000

/** The effects of settings about login, logout, sessions, and rate limits. */
export const LOGIN_EFFECTS: readonly Effect[] = [
  {
    setting: 'account.authenticatedLoginRedirects',
    changed: { account: { authenticatedLoginRedirects: false } },
    observe: async (world) => (await (await member(world)).get('/accounts/login/')).status,
    without: 302,
    within: 200,
  },
  {
    setting: 'account.loginMethods',
    changed: { account: { loginMethods: ['email'] } },
    async observe(world) {
      await world.addUser(ADA)
      const byName = await world.visitor().login('ada', PASSWORD)
      return [byName.status, (await world.visitor().login(ADA.email, PASSWORD)).status]
    },
    without: [302, 200],
    within: [200, 302],
  },
  {
    setting: 'account.loginByCodeEnabled',
    changed: CODES,
    observe: async (world) => (await world.visitor().get('/accounts/login/code/')).status,
    without: 404,
    within: 200,
  },
  {
    setting: 'account.loginByCodeFormat',
    base: CODES,
    changed: { account: { loginByCodeFormat: { numeric: true, dashed: false, length: 6 } } },
    async observe(world) {
      await world.addUser(ADA)
      await world.visitor().post('/accounts/login/code/', { email: ADA.email })
      return maskCode(await codeTo(world, ADA.email))
    },
    without: 'AAAA-AAAA',
    within: '000000',
  },
  {
    setting: 'account.loginByCodeMaxAttempts',
    base: CODES,
    changed: { account: { loginByCodeMaxAttempts: 1 } },
    async observe(world) {
      await world.addUser(ADA)
      const ada = world.visitor()
      await ada.post('/accounts/login/code/', { email: ADA.email })
      return (await ada.post(CONFIRM, { code: 'wrong' })).location
    },
    without: null,
    within: '/accounts/login/code/',
  },
  {
    setting: 'account.loginByCodeRequired',
    changed: REQUIRED,
    async observe(world) {
      await world.addUser(ADA)
      return (await world.visitor().login('ada', PASSWORD)).location
    },
    without: '/accounts/profile/',
    within: CONFIRM,
  },
  {
    setting: 'account.loginByCodeSupportsResend',
    base: CODES,
    changed: { account: { loginByCodeSupportsResend: 1 } },
    async observe(world) {
      await world.addUser(ADA)
      const ada = world.visitor()
      await ada.post('/accounts/login/code/', { email: ADA.email })
      for (const _ of [1, 2]) await ada.post(CONFIRM, { action: 'resend' })
      return (await world.mails()).length
    },
    without: 1,
    within: 2,
  },
  {
    setting: 'account.loginByCodeTimeout',
    base: CODES,
    changed: { account: { loginByCodeTimeout: 10 } },
    async observe(world) {
      await world.addUser(ADA)
      const ada = world.visitor()
      await ada.post('/accounts/login/code/', { email: ADA.email })
      world.clock.advance(11_000)
      return (await ada.post(CONFIRM, { code: await codeTo(world, ADA.email) })).location
    },
    without: '/accounts/profile/',
    within: '/accounts/login/code/',
  },
  {
    setting: 'account.loginTimeout',
    base: REQUIRED,
    changed: { account: { loginTimeout: 10 } },
    async observe(world) {
      await world.addUser(ADA)
      const ada = world.visitor()
      await ada.login('ada', PASSWORD)
      world.clock.advance(11_000)
      return (await ada.get(CONFIRM)).location
    },
    without: null,
    within: '/accounts/login/',
  },
  {
    setting: 'account.logoutOnGet',
    changed: { account: { logoutOnGet: true } },
    async observe(world) {
      const ada = await member(world)
      await ada.get('/accounts/logout/')
      return ada.whoami()
    },
    without: 'ada',
    within: null,
  },
  {
    setting: 'account.logoutRedirectUrl',
    changed: { account: { logoutRedirectUrl: '/bye/' } },
    observe: async (world) => (await (await member(world)).post('/accounts/logout/')).location,
    without: '/',
    within: '/bye/',
  },
  {
    setting: 'account.preventEnumeration',
    base: MANDATORY,
    changed: { account: { preventEnumeration: false } },
    async observe(world) {
      await world.addUser(ADA)
      const signup = await signUp(world.visitor(), { username: 'eve' })
      const reset = await world.visitor().post('/accounts/password/reset/', { email: 'nobody@example.org' })
      return [signup.status, reset.status]
    },
    without: [302, 302],
    within: [200, 200],
  },
  {
    setting: 'account.rateLimits',
    changed: { account: { rateLimits: { login: '1/m/ip' } } },
    async observe(world) {
      const eve = world.visitor()
      await eve.login('ada', 'wrong')
      return (await eve.login('ada', 'wrong')).status
    },
    without: 200,
    within: 429,
  },
  {
    setting: 'account.reauthenticationRequired',
    changed: { account: { reauthenticationRequired: true } },
    async observe(world) {
      const ada = await member(world)
      world.clock.advance(400_000)
      return (await ada.post('/accounts/email/', { action_add: '', email: 'b@example.org' })).location
    },
    without: '/accounts/email/',
    within: '/accounts/reauthenticate/?next=/accounts/email/',
  },
  {
    setting: 'account.reauthenticationTimeout',
    base: { account: { reauthenticationRequired: true } },
    changed: { account: { reauthenticationTimeout: 500 } },
    async observe(world) {
      const ada = await member(world)
      world.clock.advance(400_000)
      return (await ada.post('/accounts/email/', { action_add: '', email: 'b@example.org' })).location
    },
    without: '/accounts/reauthenticate/?next=/accounts/email/',
    within: '/accounts/email/',
  },
  {
    setting: 'account.sessionCookieAge',
    base: { account: { sessionRemember: true } },
    changed: { account: { sessionCookieAge: 3600 } },
    async observe(world) {
      await world.addUser(ADA)
      const { headers } = await world.visitor().login('ada', PASSWORD)
      return /sessionid=.*Max-Age=(\d+)/.exec(headers.getSetCookie().join('\n'))?.[1]
    },
    without: '1209600',
    within: '3600',
  },
  {
    setting: 'account.sessionRemember',
    changed: { account: { sessionRemember: true } },
    async observe(world) {
      await world.addUser(ADA)
      const asks = (await world.visitor().get('/accounts/login/')).html.includes('name="remember"')
      const { headers } = await world.visitor().login('ada', PASSWORD)
      return [asks, /sessionid=.*Max-Age/.test(headers.getSetCookie().join('\n'))]
    },
    without: [true, false],
    within: [false, true],
  },
  {
    setting: 'sessionCookieAge',
    base: { sessionIdleAge: 30 * 86_400 },
    changed: { sessionCookieAge: 86_400 },
    async observe(world) {
      const ada = await member(world)
      world.clock.advance(2 * DAY_MS)
      return ada.whoami()
    },
    without: 'ada',
    within: null,
  },
  {
    setting: 'sessionIdleAge',
    changed: { sessionIdleAge: 3600 },
    async observe(world) {
      const ada = await member(world)
      world.clock.advance(2 * 3_600_000)
      return ada.whoami()
    },
    without: 'ada',
    within: null,
  },
  {
    setting: 'loginUrl',
    changed: { loginUrl: '/sign-in/' },
    observe: async (world) => (await world.visitor().get('/accounts/email/')).location,
    without: '/accounts/login/?next=/accounts/email/',
    within: '/sign-in/?next=/accounts/email/',
  },
  {
    setting: 'loginRedirectUrl',
    changed: { loginRedirectUrl: 'account_email' },
    async observe(world) {
      await world.addUser(ADA)
      return (await world.visitor().login('ada', PASSWORD)).location
    },
    without: '/accounts/profile/',
    within: '/accounts/email/',
  },
  {
    setting: 'logoutRedirectUrl',
    changed: { logoutRedirectUrl: '/bye/' },
    observe: async (world) => (await (await member(world)).post('/accounts/logout/')).location,
    without: '/',
    within: '/bye/',
  },
]
