import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import type { AuthWorld } from '../auth-world.ts'
import type { Visitor } from '../visitor.ts'
import { ADA, type Effect, member, maskCode, signUp } from './effect.ts'

const VERIFY = '/accounts/phone/verify/'
const PHONE = '+31612345678'

/** Settings of a site whose users have phone numbers. */
const WITH_PHONES = {
  account: { signupFields: ['username*', 'phone*', 'password1*'], emailVerification: 'none' },
} as const satisfies AuthSettingsInput
const phones = (): Pick<Effect, 'base' | 'options'> & { readonly codes: string[] } => {
  const codes: string[] = []
  const sendVerificationCodeSms = async (_request: unknown, _user: unknown, _phone: string, code: string) =>
    void codes.push(code)
  return { base: WITH_PHONES, options: { adapters: { account: { sendVerificationCodeSms } } }, codes }
}
/** Creates an effect on signup with a phone number. @param observe Returns what the phone verification page shows. */
function phoneSignupEffect(
  setting: string,
  changed: AuthSettingsInput,
  [without, within]: readonly [unknown, unknown],
  observe: (ada: Visitor, codes: readonly string[], world: AuthWorld) => Promise<unknown>,
): Effect {
  const { codes, ...site } = phones()
  return {
    setting,
    changed,
    ...site,
    without,
    within,
    async observe(world) {
      codes.length = 0
      const ada = world.visitor()
      await signUp(ada, { phone: PHONE })
      return observe(ada, codes, world)
    },
  }
}

/** The effects of settings about signup, usernames, and phone numbers. */
export const SIGNUP_EFFECTS: readonly Effect[] = [
  {
    setting: 'account.signupFields',
    changed: { account: { signupFields: ['email*', 'email2*', 'password1*'] } },
    async observe(world) {
      const { html } = await world.visitor().get('/accounts/signup/')
      return Array.from(html.matchAll(/<input class="auth-input[^>]* name="(\w+)"/g), ([, name]) => name)
    },
    without: ['username', 'email', 'password1', 'password2'],
    within: ['email', 'email2', 'password1'],
  },
  {
    setting: 'account.signupFormHoneypotField',
    changed: { account: { signupFormHoneypotField: 'website' } },
    async observe(world) {
      const eve = world.visitor()
      const shown = (await eve.get('/accounts/signup/')).html.includes('name="website"')
      await signUp(eve, { website: 'https://spam.test/' })
      return [shown, await eve.whoami()]
    },
    without: [false, 'ada'],
    within: [true, null],
  },
  {
    setting: 'account.signupRedirectUrl',
    changed: { account: { signupRedirectUrl: '/welcome/' } },
    observe: async (world) => (await signUp(world.visitor())).location,
    without: '/accounts/profile/',
    within: '/welcome/',
  },
  {
    setting: 'account.preserveUsernameCasing',
    changed: { account: { preserveUsernameCasing: false } },
    async observe(world) {
      const ada = world.visitor()
      await signUp(ada, { username: 'AdaL' })
      return ada.whoami()
    },
    without: 'AdaL',
    within: 'adal',
  },
  {
    setting: 'account.usernameBlacklist',
    changed: { account: { usernameBlacklist: ['Admin'] } },
    observe: async (world) => (await signUp(world.visitor(), { username: 'aDMIN' })).status,
    without: 302,
    within: 200,
  },
  {
    setting: 'account.usernameMinLength',
    changed: { account: { usernameMinLength: 4 } },
    observe: async (world) => (await signUp(world.visitor())).status,
    without: 302,
    within: 200,
  },
  {
    setting: 'account.usernameValidators',
    changed: { account: { usernameValidators: [(name) => (name.startsWith('x') ? null : 'It must begin with x.')] } },
    observe: async (world) => (await signUp(world.visitor())).text.includes('It must begin with x.'),
    without: false,
    within: true,
  },
  {
    setting: 'account.userDisplay',
    changed: { account: { userDisplay: ({ email }) => `<${email}>` } },
    observe: async (world) =>
      (await (await member(world)).get('/accounts/email/')).html.includes('&lt;ada@example.org&gt;'),
    without: false,
    within: true,
  },
  {
    setting: 'account.userModelEmailField',
    changed: { account: { userModelEmailField: null } },
    async observe(world) {
      await signUp(world.visitor())
      const { auth } = world
      return (await auth.kernel.users.byUsername(auth.kernel.database.db, 'ada'))?.email
    },
    without: ADA.email,
    within: '',
  },
  {
    setting: 'account.userModelUsernameField',
    base: { account: { loginMethods: ['email'], signupFields: ['email*', 'password1*'] } },
    changed: { account: { userModelUsernameField: null } },
    async observe(world) {
      const ada = world.visitor()
      await signUp(ada)
      return ada.whoami()
    },
    without: 'ada',
    within: ADA.email,
  },
  phoneSignupEffect(
    'account.phoneVerificationCodeFormat',
    { account: { phoneVerificationCodeFormat: { numeric: true, dashed: false, length: 6 } } },
    ['AAAA-AAAA', '000000'],
    async (_ada, codes) => maskCode(codes.at(-1) ?? ''),
  ),
  phoneSignupEffect(
    'account.phoneVerificationEnabled',
    { account: { phoneVerificationEnabled: false } },
    [null, 'ada'],
    async (ada) => ada.whoami(),
  ),
  phoneSignupEffect(
    'account.phoneVerificationMaxAttempts',
    { account: { phoneVerificationMaxAttempts: 1 } },
    [null, '/accounts/login/'],
    async (ada) => (await ada.post(VERIFY, { code: 'wrong' })).location,
  ),
  phoneSignupEffect(
    'account.phoneVerificationSupportsChange',
    { account: { phoneVerificationSupportsChange: 1 } },
    [1, 2],
    async (ada, codes) => {
      await ada.post(VERIFY, { action: 'change', phone: '+31687654321' })
      return codes.length
    },
  ),
  phoneSignupEffect(
    'account.phoneVerificationSupportsResend',
    { account: { phoneVerificationSupportsResend: 1 } },
    [1, 2],
    async (ada, codes, world) => {
      for (const _ of [1, 2]) {
        world.clock.advance(31_000)
        await ada.post(VERIFY, { action: 'resend' })
      }
      return codes.length
    },
  ),
  phoneSignupEffect(
    'account.phoneVerificationTimeout',
    { account: { phoneVerificationTimeout: 10 } },
    ['ada', null],
    async (ada, codes, world) => {
      world.clock.advance(11_000)
      await ada.post(VERIFY, { code: codes.at(-1) ?? '' })
      return ada.whoami()
    },
  ),
]
