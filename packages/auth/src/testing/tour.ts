import type { AccountAdapterOverrides } from '../account/adapter.ts'
import type { AuthSettingsInput } from '../kernel/settings/settings.ts'
import type { AuthWorld } from './auth-world.ts'
import { ADA, codeTo, linkTo, member, PASSWORD, signUp } from './effects/effect.ts'
import { CHANGE, LOGIN_CODES, MANDATORY, NOTIFIED, VERIFY_CODES } from './hooks/hook.ts'

/** A tour of pages with certain settings. */
export interface Tour {
  readonly settings: AuthSettingsInput
  readonly adapter?: AccountAdapterOverrides
  walk(world: AuthWorld): Promise<void>
}

const PHONE = '+31612345678'
const SECOND = 'second@example.org'
const EMAIL = '/accounts/email/'
const CONFIRM = '/accounts/confirm-email/'
const RESET = '/accounts/password/reset/'
const NEW_PAIR = { password1: CHANGE.password1, password2: CHANGE.password2 }

/** Tours that together show every page of accounts and trigger every mail and message. */
export const TOURS: Readonly<Record<string, Tour>> = {
  'pages of strangers': {
    settings: LOGIN_CODES,
    async walk(world) {
      const paths = ['login/', 'signup/', 'inactive/', 'login/code/', 'password/reset/', 'password/reset/done/']
      const eve = world.visitor()
      for (const path of [...paths, 'password/reset/key/done/', 'password/reset/key/1-x-y/', 'confirm-email/']) {
        await eve.get(`/accounts/${path}`)
      }
      await eve.post('/accounts/login/code/', { email: 'nobody@example.org' })
      await eve.get('/accounts/login/code/confirm/')
      await world.addUser(ADA)
      await eve.post('/accounts/login/code/', { email: ADA.email })
    },
  },
  'a sign-up that is closed': {
    settings: {},
    adapter: { isOpenForSignup: () => false },
    walk: async (world) => void (await world.visitor().get('/accounts/signup/')),
  },
  'addresses by link': {
    settings: { account: { ...NOTIFIED.account } },
    async walk(world) {
      const ada = world.visitor()
      await signUp(ada)
      const link = await linkTo(world, ADA.email)
      await ada.get(link)
      await ada.post(link)
      await ada.post(EMAIL, { action_add: '', email: SECOND })
      const second = await linkTo(world, SECOND)
      await ada.post(EMAIL, { action_primary: '', email: SECOND })
      await ada.post(second)
      await ada.post(EMAIL, { action_primary: '', email: SECOND })
      await ada.post(EMAIL, { action_remove: '', email: SECOND })
      await ada.post(EMAIL, { action_remove: '', email: ADA.email })
      await ada.get(EMAIL)
      await ada.get('/accounts/logout/')
      await ada.post('/accounts/logout/')
    },
  },
  'an address that somebody else has verified': {
    settings: {},
    async walk(world) {
      await world.addUser({ ...ADA, username: 'first', verified: false })
      await world.addUser({ ...ADA, verified: false })
      const { auth } = world
      for (const id of [1, 2]) {
        const key = encodeURIComponent(auth.kernel.signer.sign(id, 'account', world.clock.now()))
        await world.visitor().post(`/accounts/confirm-email/${key}/`)
      }
    },
  },
  'a sign-up that meets an account': {
    settings: MANDATORY,
    async walk(world) {
      await world.addUser(ADA)
      await signUp(world.visitor(), { username: 'eve' })
    },
  },
  'one address, by code': {
    settings: { account: { ...VERIFY_CODES.account, ...NOTIFIED.account, changeEmail: true } },
    async walk(world) {
      const ada = await member(world)
      await ada.get(EMAIL)
      await ada.post(EMAIL, { action_add: '', email: SECOND })
      await ada.get(CONFIRM)
      await ada.post(CONFIRM, { code: await codeTo(world, SECOND) })
    },
  },
  'a password by link': {
    settings: { account: { ...NOTIFIED.account } },
    async walk(world) {
      const ada = await member(world)
      await ada.get('/accounts/password/change/')
      await ada.post('/accounts/password/change/', CHANGE)
      await ada.get('/accounts/reauthenticate/')
      await world.visitor().post(RESET, { email: ADA.email })
      const eve = world.visitor()
      const { location } = await eve.get(await linkTo(world, ADA.email))
      await eve.get(location ?? '')
      await eve.post(location ?? '', NEW_PAIR)
    },
  },
  'a password by code': {
    settings: { account: { ...LOGIN_CODES.account, ...NOTIFIED.account, passwordResetByCodeEnabled: true } },
    async walk(world) {
      await world.addUser({ username: 'ada', email: ADA.email })
      const ada = world.visitor()
      await ada.post(RESET, { email: ADA.email })
      await ada.get(`${RESET}confirm/`)
      await ada.post('/accounts/login/code/', { email: ADA.email })
      await ada.post('/accounts/login/code/confirm/', { code: await codeTo(world, ADA.email) })
      await ada.get('/accounts/password/set/')
      await ada.post('/accounts/password/set/', NEW_PAIR)
    },
  },
  'a phone': {
    settings: {
      account: { signupFields: ['username*', 'phone*', 'password1*'], emailVerification: 'none' },
    },
    adapter: { sendVerificationCodeSms: async () => {}, generatePhoneVerificationCode: () => 'CODE' },
    async walk(world) {
      const ada = world.visitor()
      await signUp(ada, { phone: PHONE })
      await ada.get('/accounts/phone/verify/')
      await ada.post('/accounts/phone/verify/', { code: 'CODE' })
      await ada.get('/accounts/phone/change/')
    },
  },
  'a guard of verified addresses': {
    settings: {},
    async walk(world) {
      const ada = await member(world, { ...ADA, verified: false })
      const cookie = [...ada.cookies].map((pair) => pair.join('=')).join('; ')
      const request = new Request('http://auth.test/paper', { headers: { cookie, host: 'auth.test' } })
      await world.auth.guards.verifiedEmailRequired(request, { remoteAddress: '192.0.2.1' })
    },
  },
  'a limit': {
    settings: { account: { rateLimits: { login: '1/m/ip' } } },
    async walk(world) {
      for (const _ of [1, 2]) await world.visitor().login('ada', PASSWORD)
    },
  },
}
