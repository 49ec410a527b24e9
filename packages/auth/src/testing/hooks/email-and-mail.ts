import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { ADA, codeTo, linkTo, member, signUp } from '../effects/effect.ts'
import { CHANGE, type HookChange, MANDATORY, NOTIFIED, VERIFY_CODES } from './hook.ts'

const SECOND = 'second@example.org'
const emailRefusal = (): InvalidInput => new InvalidInput([{ code: 'invalid', message: 'Not from there.' }])

/** Hooks about email addresses and mail. */
export const EMAIL_HOOKS: readonly HookChange[] = [
  {
    hook: 'stashVerifiedEmail',
    adapter: (defaults) => ({
      stashVerifiedEmail: (request, email) => defaults.stashVerifiedEmail(request, `invited-${email}`),
    }),
    pages: (auth) => [
      {
        name: 'invitation',
        path: 'invitation/',
        access: 'anon',
        GET: async (request) => {
          auth.account.adapter.stashVerifiedEmail(request, ADA.email)
          return { kind: 'redirect', to: auth.kernel.url('account_signup') }
        },
      },
    ],
    async observe(world) {
      const ada = world.visitor()
      return (await ada.follow(await ada.get('/accounts/invitation/'))).html.includes(`value="invited-${ADA.email}"`)
    },
    expected: true,
  },
  {
    hook: 'unstashVerifiedEmail',
    settings: MANDATORY,
    adapter: { unstashVerifiedEmail: () => ADA.email },
    async observe(world) {
      const ada = world.visitor()
      await signUp(ada)
      return [await ada.whoami(), (await world.mails()).length]
    },
    expected: ['ada', 0],
  },
  {
    hook: 'isEmailVerified',
    settings: MANDATORY,
    adapter: { isEmailVerified: (_request, email) => email.endsWith('@example.org') },
    async observe(world) {
      const ada = world.visitor()
      await signUp(ada)
      return [await ada.whoami(), (await world.mails()).length]
    },
    expected: ['ada', 0],
  },
  {
    hook: 'canDeleteEmail',
    adapter: { canDeleteEmail: async () => false },
    async observe(world) {
      const ada = await member(world)
      await ada.post('/accounts/email/', { action_remove: '', email: ADA.email })
      return (await ada.get('/accounts/email/')).text.includes(`You can't remove ${ADA.email}`)
    },
    expected: true,
  },
  {
    hook: 'cleanEmail',
    adapter: {
      cleanEmail: async () => {
        throw emailRefusal()
      },
    },
    observe: async (world) => (await signUp(world.visitor())).text.includes('Not from there.'),
    expected: true,
  },
  {
    hook: 'validateUniqueEmail',
    adapter: {
      validateUniqueEmail: async () => {
        throw emailRefusal()
      },
    },
    observe: async (world) => (await signUp(world.visitor())).text.includes('Not from there.'),
    expected: true,
  },
  {
    hook: 'confirmEmail',
    adapter: { confirmEmail: async () => false },
    async observe(world) {
      await signUp(world.visitor())
      return (await world.visitor().post(await linkTo(world, ADA.email))).location
    },
    expected: null,
  },
  {
    hook: 'getEmailConfirmationUrl',
    adapter: { getEmailConfirmationUrl: (_request, { key }) => `https://front.test/verify/${key?.length ?? 0}` },
    async observe(world) {
      await signUp(world.visitor())
      return /https:\/\/front\.test\/verify\/[1-9]/.test((await world.mailTo(ADA.email)).text)
    },
    expected: true,
  },
  {
    hook: 'getEmailVerificationRedirectUrl',
    adapter: { getEmailVerificationRedirectUrl: async (_request, { email }) => `/verified/${email}` },
    async observe(world) {
      await signUp(world.visitor())
      return (await world.visitor().post(await linkTo(world, ADA.email))).location
    },
    expected: `/verified/${ADA.email}`,
  },
  {
    hook: 'getEmailConfirmationRedirectUrl',
    adapter: { getEmailConfirmationRedirectUrl: () => '/as-of-old/' },
    async observe(world) {
      await signUp(world.visitor())
      const { location } = await world.visitor().post(await linkTo(world, ADA.email))
      return [location, world.logged.some(({ message }) => message.includes('getEmailConfirmationRedirectUrl'))]
    },
    expected: ['/as-of-old/', true],
  },
  {
    hook: 'shouldSendConfirmationMail',
    adapter: { shouldSendConfirmationMail: async () => false },
    async observe(world) {
      await signUp(world.visitor())
      return (await world.mails()).length
    },
    expected: 0,
  },
  {
    hook: 'generateEmailConfirmationKey',
    settings: { account: { emailConfirmationHmac: false } },
    adapter: { generateEmailConfirmationKey: () => 'a-key-of-the-host' },
    async observe(world) {
      await signUp(world.visitor())
      return linkTo(world, ADA.email)
    },
    expected: '/accounts/confirm-email/a-key-of-the-host/',
  },
  {
    hook: 'generateEmailVerificationCode',
    settings: VERIFY_CODES,
    adapter: { generateEmailVerificationCode: () => 'HOST-CODE' },
    async observe(world) {
      await signUp(world.visitor())
      return codeTo(world, ADA.email)
    },
    expected: 'HOST-CODE',
  },
  {
    hook: 'formatEmailSubject',
    adapter: { formatEmailSubject: (_request, subject) => subject.toUpperCase() },
    async observe(world) {
      await signUp(world.visitor())
      return (await world.mailTo(ADA.email)).subject
    },
    expected: 'WELCOME! VERIFY YOUR EMAIL ADDRESS',
  },
  {
    hook: 'getFromEmail',
    adapter: { getFromEmail: ({ site }) => `hello@${site.name.toLowerCase()}.test` },
    async observe(world) {
      await signUp(world.visitor())
      return (await world.mailTo(ADA.email)).from
    },
    expected: 'hello@example.test',
  },
  {
    hook: 'renderMail',
    adapter: (defaults) => ({
      renderMail: async (request, prefix, email, context) => ({
        ...(await defaults.renderMail(request, prefix, email, context)),
        headers: { 'X-Kind': prefix },
      }),
    }),
    async observe(world) {
      await signUp(world.visitor())
      return (await world.mailTo(ADA.email)).headers['X-Kind']
    },
    expected: 'account/email/email_confirmation_signup',
  },
  {
    hook: 'sendMail',
    adapter: (defaults) => ({
      sendMail: (request, prefix, email, context) => defaults.sendMail(request, prefix, `copy+${email}`, context),
    }),
    async observe(world) {
      await signUp(world.visitor())
      return (await world.mails()).map(({ to }) => to)
    },
    expected: [`copy+${ADA.email}`],
  },
  {
    hook: 'sendMailToUsers',
    adapter: (defaults) => ({
      sendMailToUsers: async (prefix, context, users) => {
        const request = context['request'] as Visit // every mail's context has it
        for (const { email } of users) await defaults.sendMail(request, prefix, `${email}.test`, context)
      },
    }),
    async observe(world) {
      await signUp(world.visitor())
      return (await world.mails()).map(({ to }) => to)
    },
    expected: [`${ADA.email}.test`],
  },
  {
    hook: 'sendConfirmationMail',
    adapter: { sendConfirmationMail: async () => {} },
    async observe(world) {
      await signUp(world.visitor())
      return (await world.mails()).length
    },
    expected: 0,
  },
  {
    hook: 'sendAccountAlreadyExistsMail',
    settings: MANDATORY,
    adapter: (defaults) => ({
      sendAccountAlreadyExistsMail: (request, email) =>
        defaults.sendMail(request, 'account/email/email_confirm', email, {}),
    }),
    async observe(world) {
      await world.addUser(ADA)
      await signUp(world.visitor(), { username: 'eve' })
      return (await world.mailTo(ADA.email)).subject
    },
    expected: '[Example] An email address has been verified',
  },
  {
    hook: 'sendPasswordResetMail',
    adapter: { sendPasswordResetMail: async () => {} },
    async observe(world) {
      await world.addUser(ADA)
      await world.visitor().post('/accounts/password/reset/', { email: ADA.email })
      return (await world.mails()).length
    },
    expected: 0,
  },
  {
    hook: 'sendNotificationMail',
    settings: NOTIFIED,
    adapter: (defaults) => ({
      sendNotificationMail: (request, prefix, user) =>
        defaults.sendNotificationMail(request, prefix, user, { email: SECOND }),
    }),
    async observe(world) {
      await (await member(world)).post('/accounts/password/change/', CHANGE)
      return (await world.mails()).map(({ to }) => to)
    },
    expected: [SECOND],
  },
]
