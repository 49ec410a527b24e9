import type { AuthWorld } from '../auth-world.ts'
import type { Visitor } from '../visitor.ts'
import { ADA, codeTo, type Effect, linkTo, member, PASSWORD, maskCode, signUp } from './effect.ts'

const CODES = { account: { passwordResetByCodeEnabled: true } } as const
const CONFIRM = '/accounts/password/reset/confirm/'
const NEW = 'another made-up phrase'
/** Of the text `password`. */
const OLD_HASH = 'pbkdf2_sha256$1000000$seasalt$YAIKAoSUTEdxN9PnpbX3zRB+moycA+WW4OS32mkutqM='
const NEW_PAIR = { password1: NEW, password2: NEW }

const askReset = async (world: AuthWorld): Promise<Visitor> => {
  await world.addUser(ADA)
  const ada = world.visitor()
  await ada.post('/accounts/password/reset/', { email: ADA.email })
  return ada
}
const signUpWithPassword = (world: AuthWorld, password: string): ReturnType<Visitor['post']> =>
  signUp(world.visitor(), { password1: password, password2: password })

/** The effects of settings about passwords and password resets. */
export const PASSWORD_EFFECTS: readonly Effect[] = [
  {
    setting: 'account.loginOnPasswordReset',
    changed: { account: { loginOnPasswordReset: true } },
    async observe(world) {
      const ada = await askReset(world)
      const page = await ada.get(await linkTo(world, ADA.email))
      await ada.post(page.location ?? '', NEW_PAIR)
      return ada.whoami()
    },
    without: null,
    within: 'ada',
  },
  {
    setting: 'account.logoutOnPasswordChange',
    changed: { account: { logoutOnPasswordChange: true } },
    async observe(world) {
      const ada = await member(world)
      await ada.post('/accounts/password/change/', { oldpassword: PASSWORD, ...NEW_PAIR })
      return ada.whoami()
    },
    without: 'ada',
    within: null,
  },
  {
    setting: 'account.passwordInputRenderValue',
    changed: { account: { passwordInputRenderValue: true } },
    async observe(world) {
      const eve = world.visitor()
      const [page, script] = [await eve.login('ada', 'typed in vain'), { 'x-requested-with': 'XMLHttpRequest' }]
      const fields = { login: 'ada', password: 'typed in vain' }
      const json: unknown = JSON.parse((await eve.post('/accounts/login/', fields, script)).html)
      const echoed = JSON.stringify((json as { form: unknown }).form).includes('typed in vain') // one of our responses
      return [page.html.includes('value="typed in vain"'), echoed]
    },
    without: [false, false],
    within: [true, false],
  },
  {
    setting: 'account.passwordMinLength',
    base: { passwordValidators: [] },
    changed: { account: { passwordMinLength: 12 } },
    observe: async (world) => (await signUpWithPassword(world, 'ten4chars.')).status,
    without: 302,
    within: 200,
  },
  {
    setting: 'passwordValidators',
    changed: { passwordValidators: [] },
    observe: async (world) => (await signUpWithPassword(world, '12345678')).status,
    without: 200,
    within: 302,
  },
  {
    setting: 'account.passwordStrength',
    base: { passwordValidators: [] },
    changed: { account: { passwordStrength: 3 } },
    observe: async (world) => (await signUpWithPassword(world, 'password1')).status,
    without: 302,
    within: 200,
  },
  {
    setting: 'account.passwordResetByCodeEnabled',
    changed: CODES,
    async observe(world) {
      await world.addUser(ADA)
      const asked = await world.visitor().post('/accounts/password/reset/', { email: ADA.email })
      return [asked.location, (await world.visitor().get(CONFIRM)).status]
    },
    without: ['/accounts/password/reset/done/', 404],
    within: [CONFIRM, 302],
  },
  {
    setting: 'account.passwordResetByCodeFormat',
    base: CODES,
    changed: { account: { passwordResetByCodeFormat: { length: 10 } } },
    async observe(world) {
      await askReset(world)
      return maskCode(await codeTo(world, ADA.email))
    },
    without: 'AAAA-AAAA',
    within: 'AAAA-AAAA-AA',
  },
  {
    setting: 'account.passwordResetByCodeMaxAttempts',
    base: CODES,
    changed: { account: { passwordResetByCodeMaxAttempts: 1 } },
    observe: async (world) => (await (await askReset(world)).post(CONFIRM, { code: 'wrong' })).location,
    without: null,
    within: '/accounts/login/',
  },
  {
    setting: 'account.passwordResetByCodeTimeout',
    base: CODES,
    changed: { account: { passwordResetByCodeTimeout: 10 } },
    async observe(world) {
      const ada = await askReset(world)
      world.clock.advance(11_000)
      return (await ada.post(CONFIRM, { code: await codeTo(world, ADA.email) })).location
    },
    without: '/accounts/password/reset/complete/',
    within: '/accounts/password/reset/',
  },
  {
    setting: 'passwordResetTimeout',
    changed: { passwordResetTimeout: 10 },
    async observe(world) {
      const ada = await askReset(world)
      world.clock.advance(11_000)
      return (await ada.get(await linkTo(world, ADA.email))).status
    },
    without: 302,
    within: 200,
  },
  {
    setting: 'passwordHashers',
    changed: { passwordHashers: ['argon2'] },
    async observe(world) {
      const { auth } = world
      const { id } = await world.addUser(ADA)
      await auth.kernel.users.setPassword(auth.kernel.database.db, id, 'md5$seasalt$1e9bf2bf5606aa5c39852cc30f0f6f22')
      return (await world.visitor().login('ada', 'password')).status
    },
    without: 302,
    within: 200,
  },
  {
    setting: 'passwordRenewHashes',
    changed: { passwordRenewHashes: false },
    async observe(world) {
      const { auth } = world
      const { id } = await world.addUser(ADA)
      const { db } = auth.kernel.database
      await auth.kernel.users.setPassword(db, id, OLD_HASH)
      await world.visitor().login('ada', 'password')
      return (await auth.kernel.users.loadPasswordHash(db, id)) === OLD_HASH
    },
    without: false,
    within: true,
  },
]
