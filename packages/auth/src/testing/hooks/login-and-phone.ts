import type { AccountAdapterOverrides } from '../../account/adapter.ts'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { ADA, codeTo, member, PASSWORD, signUp } from '../effects/effect.ts'
import { CHANGE, type HookChange, LOGIN_CODES } from './hook.ts'

const PHONE = '+31612345678'
const VERIFY = '/accounts/phone/verify/'
const PHONES = {
  account: {
    loginMethods: ['username', 'phone'],
    signupFields: ['username*', 'phone*', 'password1*'],
    emailVerification: 'none',
    loginByCodeEnabled: true,
  },
} as const satisfies AuthSettingsInput

/** Describes a hook about phone numbers. @param expected The hooks' log, and where the last response leads. */
function phoneHook(
  hook: string,
  overrides: (told: string[]) => AccountAdapterOverrides,
  observe: (world: Parameters<HookChange['observe']>[0], told: string[]) => Promise<unknown>,
  expected: unknown,
): HookChange {
  const told: string[] = []
  return {
    hook,
    settings: PHONES,
    adapter: {
      sendVerificationCodeSms: async (_request, _user, phone, code) => void told.push(`${phone} ${code}`),
      ...overrides(told),
    },
    observe: (world) => observe(world, told),
    expected,
  }
}
const lastSentCode = (told: readonly string[]): string => told.at(-1)?.split(' ')[1] ?? ''

/** Hooks about login, codes, and phone numbers. */
export const LOGIN_HOOKS: readonly HookChange[] = [
  {
    hook: 'preLogin',
    adapter: { preLogin: async (_request, { user }) => `/not-now/${user?.username ?? ''}` },
    async observe(world) {
      await world.addUser(ADA)
      return (await world.visitor().login('ada', PASSWORD)).location
    },
    expected: '/not-now/ada',
  },
  {
    hook: 'postLogin',
    adapter: { postLogin: async (_request, { user }) => `/after/${user.username}` },
    async observe(world) {
      await world.addUser(ADA)
      return (await world.visitor().login('ada', PASSWORD)).location
    },
    expected: '/after/ada',
  },
  {
    hook: 'login',
    adapter: { login: async () => {} },
    observe: async (world) => (await member(world)).whoami(),
    expected: null,
  },
  {
    hook: 'logout',
    adapter: { logout: async () => {} },
    async observe(world) {
      const ada = await member(world)
      await ada.post('/accounts/logout/')
      return ada.whoami()
    },
    expected: 'ada',
  },
  {
    hook: 'preAuthenticate',
    settings: { account: { rateLimits: { login_failed: '1/m/key' } } },
    adapter: { preAuthenticate: async () => ({ giveBack: async () => {} }) },
    async observe(world) {
      const eve = world.visitor()
      for (const _ of [1, 2]) await eve.login('ada', 'wrong')
      return (await eve.login('ada', 'wrong')).text.includes('Too many attempts')
    },
    expected: false,
  },
  {
    hook: 'authenticate',
    adapter: (defaults) => ({
      authenticate: (request, credentials) =>
        defaults.authenticate(request, { ...credentials, password: credentials.password.toLowerCase() }),
    }),
    async observe(world) {
      await world.addUser(ADA)
      return (await world.visitor().login('ada', PASSWORD.toUpperCase())).status
    },
    expected: 302,
  },
  {
    hook: 'authenticationFailed',
    adapter: {
      authenticationFailed: async (request, credentials) =>
        request.addMessage('warning', `Seen: ${JSON.stringify(credentials)}`),
    },
    observe: async (world) => (await world.visitor().login('ada', 'wrong')).text.includes('Seen: {"username":"ada"}'),
    expected: true,
  },
  {
    hook: 'reauthenticate',
    adapter: { reauthenticate: async (_request, _user, password) => password === 'open sesame' },
    async observe(world) {
      const ada = await member(world)
      return (await ada.post('/accounts/reauthenticate/?next=/x', { password: 'open sesame' })).location
    },
    expected: '/x',
  },
  {
    hook: 'getLoginStages',
    settings: { account: { loginByCodeRequired: true } },
    adapter: { getLoginStages: () => [] },
    observe: async (world) => (await member(world)).whoami(),
    expected: 'ada',
  },
  {
    hook: 'getReauthenticationMethods',
    settings: { account: { reauthenticationRequired: true } },
    adapter: { getReauthenticationMethods: async () => [{ id: 'card', description: 'Your card', url: '/card/' }] },
    async observe(world) {
      const ada = await member(world)
      world.clock.advance(400_000)
      return (await ada.post('/accounts/email/', { action_add: '', email: 'b@example.org' })).location
    },
    expected: '/card/?next=/accounts/email/',
  },
  {
    hook: 'isLoginByCodeRequired',
    adapter: { isLoginByCodeRequired: async (_request, { user }) => user?.username === 'ada' },
    async observe(world) {
      await world.addUser(ADA)
      return (await world.visitor().login('ada', PASSWORD)).location
    },
    expected: '/accounts/login/code/confirm/',
  },
  {
    hook: 'mayAdminister',
    settings: { idpOidc: { enabled: true } },
    adapter: { mayAdminister: async (_request, user) => user.username !== 'ada' },
    async observe(world) {
      await world.addUser({ ...ADA, isStaff: true })
      const ada = world.visitor()
      await ada.login('ada', PASSWORD)
      return (await ada.get('/accounts/admin/clients/')).status
    },
    expected: 403,
  },
  {
    hook: 'revokeAccess',
    adapter: { revokeAccess: () => Promise.reject(new Error('the tokens are locked')) },
    async observe(world) {
      const { id } = await world.addUser(ADA)
      return world.auth.accounts.setPassword(id, CHANGE.password1).catch(String)
    },
    expected: 'Error: the tokens are locked',
  },
  {
    hook: 'getClientIp',
    settings: { account: { rateLimits: { login: '1/m/ip' } } },
    adapter: { getClientIp: () => null },
    observe: async (world) => (await world.visitor().login('ada', 'wrong')).status,
    expected: 403,
  },
  {
    hook: 'getHttpUserAgent',
    settings: { account: { emailNotifications: true } },
    adapter: { getHttpUserAgent: () => 'A browser of the host' },
    async observe(world) {
      const ada = await member(world)
      const password1 = 'another made-up phrase'
      await ada.post('/accounts/password/change/', { oldpassword: PASSWORD, password1, password2: password1 })
      return (await world.mailTo(ADA.email)).text.includes('Browser: A browser of the host')
    },
    expected: true,
  },
  {
    hook: 'generateLoginCode',
    settings: LOGIN_CODES,
    adapter: { generateLoginCode: () => 'HOST-CODE' },
    async observe(world) {
      await world.addUser(ADA)
      await world.visitor().post('/accounts/login/code/', { email: ADA.email })
      return codeTo(world, ADA.email)
    },
    expected: 'HOST-CODE',
  },
  {
    hook: 'generatePasswordResetCode',
    settings: { account: { passwordResetByCodeEnabled: true } },
    adapter: { generatePasswordResetCode: () => 'HOST-CODE' },
    async observe(world) {
      await world.addUser(ADA)
      await world.visitor().post('/accounts/password/reset/', { email: ADA.email })
      return codeTo(world, ADA.email)
    },
    expected: 'HOST-CODE',
  },
  phoneHook(
    'generatePhoneVerificationCode',
    () => ({ generatePhoneVerificationCode: () => 'HOST-CODE' }),
    async (world, told) => {
      await signUp(world.visitor(), { phone: PHONE })
      return told
    },
    [`${PHONE} HOST-CODE`],
  ),
  phoneHook(
    'sendVerificationCodeSms',
    (told) => ({
      sendVerificationCodeSms: async (_request, user, phone) => void told.push(`${user?.username} ${phone}`),
    }),
    async (world, told) => {
      await signUp(world.visitor(), { phone: PHONE })
      return told
    },
    [`ada ${PHONE}`],
  ),
  phoneHook(
    'phoneFormField',
    () => ({
      phoneFormField: (options = {}) => ({ name: 'phone', label: 'Mobile', type: 'tel', required: true, ...options }),
    }),
    async (world) => {
      const paths = ['/accounts/signup/', '/accounts/login/code/'] as const
      return Promise.all(paths.map(async (path) => (await world.visitor().get(path)).text.includes('Mobile')))
    },
    [true, true],
  ),
  phoneHook(
    'cleanPhone',
    () => ({ cleanPhone: async () => '+4930901820' }),
    async (world, told) => {
      await signUp(world.visitor(), { phone: PHONE })
      return told[0]?.split(' ')[0]
    },
    '+4930901820',
  ),
  phoneHook(
    'sendUnknownAccountSms',
    (told) => ({ sendUnknownAccountSms: async (_request, phone) => void told.push(`unknown ${phone}`) }),
    async (world, told) => {
      await world.visitor().post('/accounts/login/code/', { phone: PHONE })
      return told
    },
    [`unknown ${PHONE}`],
  ),
  phoneHook(
    'sendAccountAlreadyExistsSms',
    (told) => ({ sendAccountAlreadyExistsSms: async (_request, phone) => void told.push(`exists ${phone}`) }),
    async (world, told) => {
      await signUp(world.visitor(), { phone: PHONE })
      world.clock.advance(60_000)
      await signUp(world.visitor(), { username: 'eve', phone: PHONE })
      return told.at(-1)
    },
    `exists ${PHONE}`,
  ),
  phoneHook(
    'getPhone',
    () => ({ getPhone: async () => ({ phone: '+4930901820', verified: true }) }),
    async (world) => {
      const ada = world.visitor()
      await signUp(ada, { phone: PHONE })
      return [await ada.whoami(), (await ada.get('/accounts/phone/change/')).text.includes('+4930901820')]
    },
    ['ada', true],
  ),
  phoneHook(
    'setPhone',
    () => ({ setPhone: async () => false }),
    async (world) =>
      (await signUp(world.visitor(), { phone: PHONE })).text.includes('account with this phone number already exists'),
    true,
  ),
  phoneHook(
    'setPhoneVerified',
    (told) => ({
      setPhoneVerified: async (_request, user, phone) => told.push(`verified ${user.username} ${phone}`) > 0,
    }),
    async (world, told) => {
      const ada = world.visitor()
      await signUp(ada, { phone: PHONE })
      await ada.post(VERIFY, { code: lastSentCode(told) })
      return told.at(-1)
    },
    `verified ada ${PHONE}`,
  ),
  phoneHook(
    'getUserByPhone',
    () => ({ getUserByPhone: async (request) => request.user }),
    async (world, told) => {
      const ada = world.visitor()
      await signUp(ada, { phone: PHONE })
      await ada.post(VERIFY, { code: lastSentCode(told) })
      return (await world.visitor().login(PHONE, PASSWORD)).status
    },
    200,
  ),
]
