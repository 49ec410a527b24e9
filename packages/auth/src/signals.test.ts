import { afterEach, describe, expect, it } from 'vitest'
import type { SignalName } from './compose.ts'
import type { AuthSettingsInput } from './kernel/settings/settings.ts'
import { type AuthWorld, authWorld } from './testing/auth-world.ts'
import { ADA, codeTo, linkTo, member, PASSWORD, signUp } from './testing/effects/effect.ts'
import { CHANGE, LOGIN_CODES, MANDATORY, VERIFY_CODES } from './testing/hooks/hook.ts'

const NAMES = [
  'user_signed_up',
  'user_logged_in',
  'user_logged_out',
  'authentication_step_completed',
  'password_set',
  'password_changed',
  'password_reset',
  'email_confirmed',
  'email_confirmation_sent',
  'email_changed',
  'email_added',
  'email_removed',
  'login_code_rejected',
  'password_reset_code_rejected',
  'email_verification_code_rejected',
  '_add_email',
] as const satisfies readonly SignalName[]
const SECOND = 'second@example.org'
const NEW_PAIR = { password1: CHANGE.password1, password2: CHANGE.password2 }
const EMAIL = '/accounts/email/'

let world: AuthWorld
afterEach(() => world.close())

/** What is heard from now on, one text each: name, sender, arguments. */
function hear(): string[] {
  const heard: string[] = []
  for (const name of NAMES)
    world.auth.signals.on(name, ({ signal, sender, request, ...event }) => {
      expect(request).toMatchObject({ method: expect.any(String) })
      heard.push(`${signal} ${sender} ${Object.entries(event).map(argument).join(' ')}`)
    })
  return heard
}

/** Users by name, addresses by their text, everything else as JSON. */
function argument([name, value]: readonly [string, unknown]): string {
  if (name === 'user') return `user=${readMemberText(value, 'username')}`
  if (name.endsWith('email_address')) return `${name}=${value === null ? 'null' : readMemberText(value, 'email')}`
  if (name === 'confirmation') return `confirmation=${readMemberText(value, 'email')}`
  return `${name}=${JSON.stringify(value)}`
}
const readMemberText = (value: unknown, name: string): string =>
  typeof value === 'object' && value !== null ? String(Reflect.get(value, name)) : '?'

const SIGNED_IN = 'user_logged_in User user=ada response={"redirectTo":"/accounts/profile/"}'
const cases: readonly [
  why: string,
  settings: AuthSettingsInput,
  act: (hear: () => string[]) => Promise<string[]>,
  heard: readonly string[],
][] = [
  [
    'a sign-up',
    {},
    async (from) => {
      const heard = from()
      await signUp(world.visitor())
      return heard
    },
    [
      'user_signed_up User user=ada',
      'email_confirmation_sent EmailConfirmation confirmation=ada@example.org signup=true',
      SIGNED_IN,
    ],
  ],
  [
    'a sign-up that meets an account',
    MANDATORY,
    async (from) => {
      await world.addUser(ADA)
      const heard = from()
      await signUp(world.visitor(), { username: 'eve' })
      return heard
    },
    [],
  ],
  [
    'a sign-up whose address is verified by code, after a wrong one',
    VERIFY_CODES,
    async (from) => {
      const heard = from()
      const ada = world.visitor()
      await signUp(ada)
      await ada.post('/accounts/confirm-email/', { code: 'wrong' })
      await ada.post('/accounts/confirm-email/', { code: await codeTo(world, ADA.email) })
      return heard
    },
    [
      'user_signed_up User user=ada',
      'email_confirmation_sent CodeProcess confirmation=ada@example.org signup=true',
      'email_verification_code_rejected CodeProcess user=ada last_attempt=false',
      'email_confirmed User email_address=ada@example.org user=ada',
      SIGNED_IN,
    ],
  ],
  [
    'a login and a logout',
    {},
    async (from) => {
      await world.addUser(ADA)
      const heard = from()
      const ada = world.visitor()
      await ada.login('ada', 'wrong')
      await ada.login('ada', PASSWORD)
      await ada.post('/accounts/logout/')
      return heard
    },
    [
      'authentication_step_completed User username="ada" method="password" user=ada',
      SIGNED_IN,
      'user_logged_out User user=ada',
    ],
  ],
  [
    'a login by code, after wrong ones of another',
    LOGIN_CODES,
    async (from) => {
      await world.addUser(ADA)
      const heard = from()
      const ada = world.visitor()
      const confirm = '/accounts/login/code/confirm/'
      await ada.post('/accounts/login/code/', { email: ADA.email })
      for (const code of ['wrong', 'wrong', 'wrong']) await ada.post(confirm, { code })
      await ada.post('/accounts/login/code/', { email: ADA.email })
      await ada.post(confirm, { code: await codeTo(world, ADA.email) })
      return heard
    },
    [
      'login_code_rejected CodeProcess last_attempt=false user=ada',
      'login_code_rejected CodeProcess last_attempt=false user=ada',
      'login_code_rejected CodeProcess last_attempt=true user=ada',
      'authentication_step_completed User email="ada@example.org" method="code" user=ada',
      SIGNED_IN,
    ],
  ],
  [
    'a change of the password, and a confirmation by it',
    {},
    async (from) => {
      const ada = await member(world)
      const heard = from()
      await ada.post('/accounts/password/change/', CHANGE)
      await ada.post('/accounts/reauthenticate/', { password: CHANGE.password1 })
      return heard
    },
    [
      'password_changed User user=ada',
      'authentication_step_completed User reauthenticated=true method="password" user=ada',
    ],
  ],
  [
    'a first password',
    LOGIN_CODES,
    async (from) => {
      await world.addUser({ username: 'ada', email: ADA.email })
      const ada = world.visitor()
      await ada.post('/accounts/login/code/', { email: ADA.email })
      await ada.post('/accounts/login/code/confirm/', { code: await codeTo(world, ADA.email) })
      const heard = from()
      await ada.post('/accounts/password/set/', NEW_PAIR)
      return heard
    },
    ['password_set User user=ada'],
  ],
  [
    'a reset by link that signs in',
    { account: { loginOnPasswordReset: true } },
    async (from) => {
      await world.addUser(ADA)
      const ada = world.visitor()
      await ada.post('/accounts/password/reset/', { email: ADA.email })
      const heard = from()
      const form = await ada.get(await linkTo(world, ADA.email))
      await ada.post(form.location ?? '', NEW_PAIR)
      return heard
    },
    [
      'password_reset User user=ada',
      'authentication_step_completed User method="password_reset" user=ada',
      'user_logged_in User user=ada response={"redirectTo":"/accounts/password/reset/key/done/"}',
    ],
  ],
  [
    'a reset by code, after a wrong one',
    { account: { passwordResetByCodeEnabled: true } },
    async (from) => {
      await world.addUser({ ...ADA, verified: false })
      const ada = world.visitor()
      await ada.post('/accounts/password/reset/', { email: ADA.email })
      const heard = from()
      const [confirm, complete] = ['/accounts/password/reset/confirm/', '/accounts/password/reset/complete/']
      await ada.post(confirm, { code: 'wrong' })
      await ada.post(confirm, { code: await codeTo(world, ADA.email) })
      await ada.post(complete, NEW_PAIR)
      return heard
    },
    [
      'password_reset_code_rejected CodeProcess last_attempt=false user=ada',
      'email_confirmed User email_address=ada@example.org user=ada',
      'password_reset User user=ada',
    ],
  ],
  [
    'an address that is added, verified by link, made primary, and the old one removed',
    {},
    async (from) => {
      const ada = await member(world)
      const heard = from()
      await ada.post(EMAIL, { action_add: '', email: SECOND })
      await ada.post(await linkTo(world, SECOND))
      await ada.post(EMAIL, { action_primary: '', email: SECOND })
      await ada.post(EMAIL, { action_remove: '', email: ADA.email })
      return heard
    },
    [
      '_add_email User user=ada email="second@example.org"',
      'email_added User user=ada email_address=second@example.org',
      'email_confirmation_sent EmailConfirmation confirmation=second@example.org signup=false',
      'email_confirmed User email_address=second@example.org user=ada',
      'email_changed EmailAddress user=ada from_email_address=ada@example.org to_email_address=second@example.org',
      'email_removed EmailAddress user=ada email_address=ada@example.org',
    ],
  ],
  [
    'an address that is added by code, where a user has one',
    { account: { ...VERIFY_CODES.account, changeEmail: true } },
    async (from) => {
      const ada = await member(world)
      const heard = from()
      await ada.post(EMAIL, { action_add: '', email: SECOND })
      await ada.post('/accounts/confirm-email/', { code: await codeTo(world, SECOND) })
      return heard
    },
    [
      '_add_email User user=ada email="second@example.org"',
      'email_confirmation_sent CodeProcess confirmation=second@example.org signup=false',
      'email_added User user=ada email_address=second@example.org',
      'email_confirmed User email_address=second@example.org user=ada',
      'email_changed EmailAddress user=ada from_email_address=ada@example.org to_email_address=second@example.org',
    ],
  ],
]

describe('receivers of signals', () => {
  it.each(cases)('hear of %s', async (_why, settings, act, heard) => {
    world = await authWorld({ settings })
    expect(await act(hear)).toEqual(heard)
  })

  it('may ask for one sender, end, and break what was going on', async () => {
    world = await authWorld()
    const { signals } = world.auth
    const heard: string[] = []
    signals.on('user_signed_up', ({ user }) => void heard.push(user.username), { sender: 'User' })
    signals.on('user_signed_up', () => void heard.push('never'), { sender: 'EmailAddress' })
    const end = signals.on('user_logged_in', () => {
      throw new Error('a receiver that fails')
    })
    expect((await signUp(world.visitor())).status).toBe(500)
    expect(heard).toEqual(['ada'])
    end()
    expect((await world.visitor().login('ada', PASSWORD)).status).toBe(302)
  })
})
