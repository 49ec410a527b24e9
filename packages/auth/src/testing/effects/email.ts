import type { AuthWorld } from '../auth-world.ts'
import { ADA, codeTo, type Effect, linkTo, member, PASSWORD, maskCode, signUp } from './effect.ts'

const MANDATORY = {
  account: { signupFields: ['username*', 'email*', 'password1*', 'password2*'], emailVerification: 'mandatory' },
} as const
const CODES = { account: { ...MANDATORY.account, emailVerificationByCodeEnabled: true } } as const
const VERIFY = '/accounts/confirm-email/'
const SECOND = 'second@example.org'
const DAY_MS = 86_400_000

const listWorldAddresses = (
  world: AuthWorld,
): Promise<readonly { readonly email: string; readonly verified: boolean }[]> =>
  world.auth.account.emails.ofUser(world.auth.kernel.database.db, 1)

/** The effects of settings about email addresses and mail. */
export const EMAIL_EFFECTS: readonly Effect[] = [
  {
    setting: 'account.changeEmail',
    changed: { account: { changeEmail: true } },
    async observe(world) {
      const ada = await member(world)
      await ada.post('/accounts/email/', { action_add: '', email: SECOND })
      await ada.post(await linkTo(world, SECOND))
      return (await listWorldAddresses(world)).map(({ email }) => email)
    },
    without: [ADA.email, SECOND],
    within: [SECOND],
  },
  {
    setting: 'account.confirmEmailOnGet',
    changed: { account: { confirmEmailOnGet: true } },
    async observe(world) {
      await signUp(world.visitor())
      await world.visitor().get(await linkTo(world, ADA.email))
      return (await listWorldAddresses(world)).map(({ verified }) => verified)
    },
    without: [false],
    within: [true],
  },
  {
    setting: 'account.emailConfirmationAnonymousRedirectUrl',
    changed: { account: { emailConfirmationAnonymousRedirectUrl: '/verified/' } },
    async observe(world) {
      await signUp(world.visitor())
      return (await world.visitor().post(await linkTo(world, ADA.email))).location
    },
    without: '/accounts/login/',
    within: '/verified/',
  },
  {
    setting: 'account.emailConfirmationAuthenticatedRedirectUrl',
    changed: { account: { emailConfirmationAuthenticatedRedirectUrl: '/verified/' } },
    async observe(world) {
      const ada = world.visitor()
      await signUp(ada)
      return (await ada.post(await linkTo(world, ADA.email))).location
    },
    without: '/accounts/profile/',
    within: '/verified/',
  },
  {
    setting: 'account.emailConfirmationExpireDays',
    changed: { account: { emailConfirmationExpireDays: 1 } },
    async observe(world) {
      await signUp(world.visitor())
      world.clock.advance(2 * DAY_MS)
      return (await world.visitor().post(await linkTo(world, ADA.email))).status
    },
    without: 302,
    within: 404,
  },
  {
    setting: 'account.emailConfirmationHmac',
    changed: { account: { emailConfirmationHmac: false } },
    async observe(world) {
      await signUp(world.visitor())
      const { db } = world.auth.kernel.database
      return (await db.selectFrom('account_emailconfirmation').select('id').execute()).length
    },
    without: 0,
    within: 1,
  },
  {
    setting: 'account.emailMaxLength',
    changed: { account: { emailMaxLength: 32 } },
    observe: async (world) => (await signUp(world.visitor(), { email: `${'a'.repeat(30)}@example.org` })).status,
    without: 302,
    within: 200,
  },
  {
    setting: 'account.emailNotifications',
    changed: { account: { emailNotifications: true } },
    async observe(world) {
      const ada = await member(world)
      const password1 = 'another made-up phrase'
      await ada.post('/accounts/password/change/', { oldpassword: PASSWORD, password1, password2: password1 })
      return (await world.mails()).map(({ to, subject }) => [to, subject])
    },
    without: [],
    within: [[ADA.email, '[Example] Your password has been changed']],
  },
  {
    setting: 'account.emailSubjectPrefix',
    changed: { account: { emailSubjectPrefix: 'Ours: ' } },
    async observe(world) {
      await signUp(world.visitor())
      return (await world.mailTo(ADA.email)).subject
    },
    without: '[Example] Welcome! Verify your email address',
    within: 'Ours: Welcome! Verify your email address',
  },
  {
    setting: 'account.emailUnknownAccounts',
    changed: { account: { emailUnknownAccounts: false } },
    async observe(world) {
      await world.visitor().post('/accounts/password/reset/', { email: 'nobody@example.org' })
      return (await world.mails()).map(({ to }) => to)
    },
    without: ['nobody@example.org'],
    within: [],
  },
  {
    setting: 'account.emailVerification',
    base: { account: { signupFields: MANDATORY.account.signupFields } },
    changed: MANDATORY,
    observe: async (world) => (await signUp(world.visitor())).location,
    without: '/accounts/profile/',
    within: VERIFY,
  },
  {
    setting: 'account.emailVerificationByCodeEnabled',
    base: MANDATORY,
    changed: CODES,
    async observe(world) {
      await signUp(world.visitor())
      return /confirm-email\/\S+/.test((await world.mailTo(ADA.email)).text)
    },
    without: true,
    within: false,
  },
  {
    setting: 'account.emailVerificationByCodeFormat',
    base: CODES,
    changed: { account: { emailVerificationByCodeFormat: { numeric: true, length: 6 } } },
    async observe(world) {
      await signUp(world.visitor())
      return maskCode(await codeTo(world, ADA.email))
    },
    without: 'AAAA-AAAA',
    within: '000-000',
  },
  {
    setting: 'account.emailVerificationByCodeMaxAttempts',
    base: CODES,
    changed: { account: { emailVerificationByCodeMaxAttempts: 1 } },
    async observe(world) {
      const ada = world.visitor()
      await signUp(ada)
      return (await ada.post(VERIFY, { code: 'wrong' })).location
    },
    without: null,
    within: '/accounts/login/',
  },
  {
    setting: 'account.emailVerificationByCodeTimeout',
    base: CODES,
    changed: { account: { emailVerificationByCodeTimeout: 10 } },
    async observe(world) {
      const ada = world.visitor()
      await signUp(ada)
      world.clock.advance(11_000)
      await ada.post(VERIFY, { code: await codeTo(world, ADA.email) })
      return ada.whoami()
    },
    without: 'ada',
    within: null,
  },
  {
    setting: 'account.emailVerificationSupportsChange',
    base: CODES,
    changed: { account: { emailVerificationSupportsChange: true } },
    async observe(world) {
      const ada = world.visitor()
      await signUp(ada)
      await ada.post(VERIFY, { action: 'change', email: SECOND })
      return (await world.mails()).map(({ to }) => to)
    },
    without: [ADA.email],
    within: [ADA.email, SECOND],
  },
  {
    setting: 'account.emailVerificationSupportsResend',
    base: CODES,
    changed: { account: { emailVerificationSupportsResend: 1 } },
    async observe(world) {
      const ada = world.visitor()
      await signUp(ada)
      for (const _ of [1, 2]) {
        world.clock.advance(11_000)
        await ada.post(VERIFY, { action: 'resend' })
      }
      return (await world.mails()).length
    },
    without: 1,
    within: 2,
  },
  {
    setting: 'account.loginOnEmailConfirmation',
    base: MANDATORY,
    changed: { account: { loginOnEmailConfirmation: true } },
    async observe(world) {
      const ada = world.visitor()
      await signUp(ada)
      await ada.post(await linkTo(world, ADA.email))
      return ada.whoami()
    },
    without: null,
    within: 'ada',
  },
  {
    setting: 'account.maxEmailAddresses',
    changed: { account: { maxEmailAddresses: 1 } },
    observe: async (world) =>
      (await (await member(world)).post('/accounts/email/', { action_add: '', email: SECOND })).status,
    without: 302,
    within: 200,
  },
  {
    setting: 'account.salt',
    changed: { account: { salt: 'another' } },
    async observe(world) {
      await world.addUser({ ...ADA, verified: false })
      const key = world.auth.kernel.signer.sign(1, 'account', world.clock.now())
      return (await world.visitor().post(`/accounts/confirm-email/${encodeURIComponent(key)}/`)).status
    },
    without: 302,
    within: 404,
  },
  {
    setting: 'account.uniqueEmail',
    base: { account: { preventEnumeration: false } },
    changed: { account: { uniqueEmail: false } },
    async observe(world) {
      await world.addUser(ADA)
      return (await signUp(world.visitor(), { username: 'bob' })).status
    },
    without: 200,
    within: 302,
  },
  {
    setting: 'account.defaultHttpProtocol',
    base: { allowedHosts: ['auth.test'] },
    changed: { account: { defaultHttpProtocol: 'https' } },
    options: { origin: 'http://elsewhere.test' },
    async observe(world) {
      await signUp(world.visitor())
      return /https?:/.exec((await world.mailTo(ADA.email)).text)?.[0]
    },
    without: 'http:',
    within: 'https:',
  },
  {
    setting: 'defaultFromEmail',
    changed: { defaultFromEmail: 'Ours <ours@example.org>' },
    async observe(world) {
      await signUp(world.visitor())
      return (await world.mailTo(ADA.email)).from
    },
    without: 'webmaster@localhost',
    within: 'Ours <ours@example.org>',
  },
]
