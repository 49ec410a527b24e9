import { InvalidInput } from '../../errors.ts'
import { ADA, linkTo, member, PASSWORD, signUp } from '../effects/effect.ts'
import { CHANGE, type HookChange, MANDATORY } from './hook.ts'

const SCRIPT = { 'x-requested-with': 'XMLHttpRequest' }
const signupRefusal = (): InvalidInput => new InvalidInput([{ code: 'invalid', message: 'Not like this.' }])
const NAMELESS = { account: { signupFields: ['email*', 'password1*'] } } as const

/** Hooks about redirects, messages, scripts, and signup. */
export const PAGE_HOOKS: readonly HookChange[] = [
  {
    hook: 'errorMessages',
    adapter: { errorMessages: { username_password_mismatch: 'No such luck.' } },
    observe: async (world) => (await world.visitor().login('ada', 'wrong')).text.includes('No such luck.'),
    expected: true,
  },
  {
    hook: 'validationError',
    adapter: (defaults) => ({
      validationError: (code, options) => ({ ...defaults.validationError(code, options), message: `Code: ${code}` }),
    }),
    observe: async (world) =>
      (await world.visitor().login('ada', 'wrong')).text.includes('Code: username_password_mismatch'),
    expected: true,
  },
  {
    hook: 'getSignupRedirectUrl',
    adapter: { getSignupRedirectUrl: ({ user }) => `/new/${user?.username ?? ''}` },
    observe: async (world) => (await signUp(world.visitor())).location,
    expected: '/new/ada',
  },
  {
    hook: 'getLoginRedirectUrl',
    adapter: { getLoginRedirectUrl: ({ user }) => `/home/${user?.username ?? ''}` },
    async observe(world) {
      await world.addUser(ADA)
      return (await world.visitor().login('ada', PASSWORD)).location
    },
    expected: '/home/ada',
  },
  {
    hook: 'getLogoutRedirectUrl',
    adapter: { getLogoutRedirectUrl: ({ user }) => `/bye/${user?.username ?? ''}` },
    observe: async (world) => (await (await member(world)).post('/accounts/logout/')).location,
    expected: '/bye/ada',
  },
  {
    hook: 'getPasswordChangeRedirectUrl',
    adapter: { getPasswordChangeRedirectUrl: () => '/changed/' },
    observe: async (world) => (await (await member(world)).post('/accounts/password/change/', CHANGE)).location,
    expected: '/changed/',
  },
  {
    hook: 'getResetPasswordFromKeyUrl',
    adapter: { getResetPasswordFromKeyUrl: (_request, key) => `https://front.test/reset/${key.split('-')[0]}` },
    async observe(world) {
      await world.addUser(ADA)
      await world.visitor().post('/accounts/password/reset/', { email: ADA.email })
      return linkTo(world, ADA.email)
    },
    expected: '/reset/1',
  },
  {
    hook: 'isSafeUrl',
    adapter: { isSafeUrl: (_request, url) => url.startsWith('https://partner.test/') },
    async observe(world) {
      await world.addUser(ADA)
      const away = await world.visitor().login('ada', PASSWORD, { next: 'https://partner.test/x' })
      return [away.location, (await world.visitor().login('ada', PASSWORD, { next: '/here/' })).location]
    },
    expected: ['https://partner.test/x', '/accounts/profile/'],
  },
  {
    hook: 'respondUserInactive',
    adapter: { respondUserInactive: (_request, { username }) => new Response(`closed: ${username}`, { status: 403 }) },
    async observe(world) {
      await world.addUser({ ...ADA, isActive: false })
      const { status, text } = await world.visitor().login('ada', PASSWORD)
      return [status, text]
    },
    expected: [403, 'closed: ada'],
  },
  {
    hook: 'respondEmailVerificationSent',
    settings: MANDATORY,
    adapter: { respondEmailVerificationSent: (_request, user) => `/look-into-your-mail/${user?.username ?? ''}` },
    observe: async (world) => (await signUp(world.visitor())).location,
    expected: '/look-into-your-mail/ada',
  },
  {
    hook: 'addMessage',
    adapter: { addMessage: async (request, level, template) => request.addMessage(level, template) },
    async observe(world) {
      const ada = await member(world)
      return (await ada.get('/accounts/email/')).text.includes('account/messages/logged_in')
    },
    expected: true,
  },
  {
    hook: 'isAjax',
    adapter: { isAjax: (request) => request.headers.has('x-script') },
    async observe(world) {
      const { headers } = await world.visitor().get('/accounts/login/', { 'x-script': '1' })
      return headers.get('content-type')
    },
    expected: 'application/json; charset=utf-8',
  },
  {
    hook: 'ajaxResponse',
    adapter: (defaults) => ({
      ajaxResponse: (request, answer) => defaults.ajaxResponse(request, { ...answer, data: { status: answer.status } }),
    }),
    async observe(world) {
      const eve = world.visitor()
      const { status, html } = await eve.post('/accounts/login/', { login: 'ada', password: 'wrong' }, SCRIPT)
      const { data }: { data?: unknown } = JSON.parse(html) as Record<string, unknown> // one of our responses
      return [status, data]
    },
    expected: [400, { status: 400 }],
  },
  {
    hook: 'ajaxResponseForm',
    adapter: { ajaxResponseForm: (_request, { fields }) => fields.map(({ name }) => name) },
    async observe(world) {
      const { html } = await world.visitor().get('/accounts/login/', SCRIPT)
      return (JSON.parse(html) as Record<string, unknown>)['form'] // one of our responses
    },
    expected: ['login', 'password', 'remember'],
  },
  {
    hook: 'isOpenForSignup',
    adapter: { isOpenForSignup: (request) => request.url.searchParams.has('invited') },
    async observe(world) {
      const [open, closed] = ['/accounts/signup/?invited=1', '/accounts/signup/']
      const forms = [await world.visitor().get(open), await world.visitor().get(closed)]
      return forms.map(({ html }) => html.includes('name="password1"'))
    },
    expected: [true, false],
  },
  {
    hook: 'newUser',
    adapter: { newUser: () => ({ firstName: 'Ada', isStaff: true }) },
    async observe(world) {
      await signUp(world.visitor())
      const { auth } = world
      const user = await auth.kernel.users.byId(auth.kernel.database.db, 1)
      return [user?.firstName, user?.isStaff]
    },
    expected: ['Ada', true],
  },
  {
    hook: 'saveUser',
    adapter: (defaults) => ({
      saveUser: (request, user, values) => defaults.saveUser(request, { ...user, lastName: 'Lovelace' }, values),
    }),
    async observe(world) {
      await signUp(world.visitor())
      const { auth } = world
      return (await auth.kernel.users.byId(auth.kernel.database.db, 1))?.lastName
    },
    expected: 'Lovelace',
  },
  {
    hook: 'populateUsername',
    settings: NAMELESS,
    adapter: { populateUsername: async (_request, user) => ({ ...user, username: 'populated' }) },
    async observe(world) {
      const ada = world.visitor()
      await signUp(ada)
      return ada.whoami()
    },
    expected: 'populated',
  },
  {
    hook: 'generateUniqueUsername',
    settings: NAMELESS,
    adapter: { generateUniqueUsername: async (_request, texts) => `of-${texts.filter(Boolean).join('-')}` },
    async observe(world) {
      const ada = world.visitor()
      await signUp(ada)
      return ada.whoami()
    },
    expected: `of-${ADA.email}-user`,
  },
  {
    hook: 'cleanUsername',
    adapter: { cleanUsername: async (_request, username) => `${username}-clean` },
    async observe(world) {
      const ada = world.visitor()
      await signUp(ada)
      return ada.whoami()
    },
    expected: 'ada-clean',
  },
  {
    hook: 'cleanPassword',
    adapter: {
      cleanPassword: async () => {
        throw signupRefusal()
      },
    },
    async observe(world) {
      const signup = await signUp(world.visitor())
      const change = await (await member(world)).post('/accounts/password/change/', CHANGE)
      return [signup.text.includes('Not like this.'), change.text.includes('Not like this.')]
    },
    expected: [true, true],
  },
  {
    hook: 'setPassword',
    adapter: (defaults) => ({
      setPassword: (request, user, password) => defaults.setPassword(request, user, `${password}!`),
    }),
    async observe(world) {
      await (await member(world)).post('/accounts/password/change/', CHANGE)
      return (await world.visitor().login('ada', `${CHANGE.password1}!`)).status
    },
    expected: 302,
  },
  {
    hook: 'getUserSearchFields',
    adapter: { getUserSearchFields: () => ['nick'] },
    observe: async (world) => world.auth.account.adapter.getUserSearchFields(),
    expected: ['nick'],
  },
  {
    hook: 'userDisplay',
    adapter: { userDisplay: ({ username }) => `~${username}~` },
    observe: async (world) => (await (await member(world)).get('/accounts/email/')).text.includes('~ada~'),
    expected: true,
  },
]
