import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'

const SIGNUP = '/accounts/signup/'
const PASSWORD = 'a made-up pass phrase'
const BY_EMAIL = {
  loginMethods: ['email'],
  signupFields: ['email*', 'password1*', 'password2*'],
} as const
const ADA = { email: 'ada@example.org', password1: PASSWORD, password2: PASSWORD }

type Options = NonNullable<Parameters<typeof authWorld>[0]>
type Account = NonNullable<NonNullable<Options['settings']>['account']>

let world: AuthWorld
const open = async (account: Account = {}, options: Options = {}): Promise<AuthWorld> => {
  world = await authWorld({ ...options, settings: { account: { ...BY_EMAIL, emailVerification: 'none', ...account } } })
  return world
}
afterEach(() => world.close())

const users = async (): Promise<readonly string[]> =>
  (await world.auth.kernel.users.list(world.auth.kernel.database.db, { limit: 100, after: null })).map(
    ({ username, email }) => `${username} ${email}`,
  )

describe('signing up', () => {
  it('stores the account, signs in, and emits the signals in order', async () => {
    await open({ emailVerification: 'optional' })
    const heard: string[] = []
    for (const name of ['user_signed_up', 'email_confirmation_sent', 'user_logged_in', 'email_added'] as const)
      world.auth.signals.on(name, () => void heard.push(name))
    const ada = world.visitor()
    const answer = await ada.post(SIGNUP, { ...ADA, email: '  Ada@Example.org ' })
    expect([answer.status, answer.location]).toEqual([302, '/accounts/profile/'])
    expect(await ada.whoami()).toBe('ada')
    expect(await users()).toEqual(['ada ada@example.org'])
    expect(heard).toEqual(['user_signed_up', 'email_confirmation_sent', 'user_logged_in'])
    expect((await world.mailTo('ada@example.org')).text).toContain('/accounts/confirm-email/')
    const { auth } = world
    const rows = await auth.account.emails.ofUser(auth.kernel.database.db, 1)
    expect(rows).toMatchObject([{ email: 'ada@example.org', verified: false, primary: true }])
    expect(
      auth.kernel.passwords.isUsable((await auth.kernel.users.loadPasswordHash(auth.kernel.database.db, 1)) ?? ''),
    ).toBe(true)
    const again = world.visitor()
    await again.login('ada@example.org', PASSWORD)
    expect(await again.whoami()).toBe('ada')
  })

  it.each([
    ['none', 'none', 0],
    ['optional', 'optional', 1],
  ] as const)('without waiting when verification is %s', async (_why, emailVerification, mails) => {
    await open({ emailVerification })
    const ada = world.visitor()
    await ada.post(SIGNUP, ADA)
    expect(await ada.whoami()).toBe('ada')
    expect(await world.mails()).toHaveLength(mails)
  })

  it('redirects to a safe `next`, or to the configured page', async () => {
    await open({ signupRedirectUrl: '/welcome/' })
    expect((await world.visitor().post(SIGNUP, { ...ADA, next: '/plan?x=1' })).location).toBe('/plan?x=1')
    const evil = await world.visitor().post(SIGNUP, { ...ADA, email: 'b@example.org', next: 'https://evil.test/' })
    expect(evil.location).toBe('/welcome/')
  })

  it.each([
    ['an address of no form', { email: 'ada' }, 'Enter a valid value.'],
    ['an address with a line break', { email: 'ada@example.org\r\nBcc: x@y.org' }, 'Enter a valid value.'],
    [
      'a long address',
      { email: `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(30)}.org` },
      'no more than 254',
    ],
    ['no address', { email: '' }, 'This field is required.'],
    ['another password the second time', { password2: 'something else' }, "The passwords don't match."],
    ['a common password', { password1: 'password', password2: 'password' }, 'password'],
    [
      'a password like the address',
      { email: 'charlemagne@example.org', password1: 'charlemagne1', password2: 'charlemagne1' },
      'too similar to',
    ],
  ])('refuses %s, and shows the form again without the password', async (_why, fields, error) => {
    await open()
    const answer = await world.visitor().post(SIGNUP, { ...ADA, ...fields })
    expect(answer.status).toBe(200)
    expect(answer.text).toContain(error)
    expect(answer.html).not.toContain(PASSWORD)
    expect(await users()).toEqual([])
    expect(await world.mails()).toEqual([])
  })

  it('prefills the address of a link', async () => {
    await open()
    const visitor = world.visitor()
    expect((await visitor.get(`${SIGNUP}?email=ada%40example.org`)).html).toContain('value="ada@example.org"')
    expect((await visitor.get(`${SIGNUP}?email=%22%3E%3Cscript%3E`)).html).not.toContain('<script>')
  })

  it('redirects signed-in users, and shows the closed page when closed', async () => {
    await open({}, { adapters: { account: { isOpenForSignup: () => false } } })
    const closed = await world.visitor().post(SIGNUP, ADA)
    expect([closed.status, await users()]).toEqual([200, []])
    expect(closed.text).toContain('Sign-up is closed')
    await world.addUser({ email: 'bob@example.org', username: 'bob', password: PASSWORD })
    const bob = world.visitor()
    await bob.login('bob@example.org', PASSWORD)
    expect((await bob.get(SIGNUP)).location).toBe('/accounts/profile/')
  })

  it('creates an account without a usable password if none is given', async () => {
    await open({ signupFields: ['email*', 'password1'] })
    await world.visitor().post(SIGNUP, { email: 'ada@example.org' })
    const { auth } = world
    const encoded = (await auth.kernel.users.loadPasswordHash(auth.kernel.database.db, 1)) ?? ''
    expect(encoded).toMatch(/^!.{40}$/)
    const visitor = world.visitor()
    await visitor.login('ada@example.org', '')
    expect(await visitor.whoami()).toBeNull()
  })

  it('asks for the address twice if the settings say so', async () => {
    await open({ signupFields: ['email*', 'email2*', 'password1*'] })
    const wrong = await world.visitor().post(SIGNUP, { ...ADA, email2: 'adda@example.org' })
    expect(wrong.text).toContain("The email addresses don't match.")
    expect((await world.visitor().post(SIGNUP, { ...ADA, email2: 'ADA@example.org' })).status).toBe(302)
  })

  it('treats a stashed address as verified, once', async () => {
    await open(
      { emailVerification: 'mandatory' },
      {
        pages: (auth) => [
          {
            name: 'invitation',
            path: '/invitation/',
            access: 'anon',
            GET: async (request) => {
              auth.account.adapter.stashVerifiedEmail(request, 'ada@example.org')
              return { kind: 'redirect', to: auth.kernel.url('account_signup') }
            },
          },
        ],
      },
    )
    const ada = world.visitor()
    const form = await ada.follow(await ada.get('/invitation/'))
    expect(form.html).toContain('value="ada@example.org"')
    await ada.post(SIGNUP, ADA)
    expect(await ada.whoami()).toBe('ada')
    const { auth } = world
    expect(await auth.account.emails.ofUser(auth.kernel.database.db, 1)).toMatchObject([
      { verified: true, primary: true },
    ])
    expect(await world.mails()).toEqual([])
  })

  it('stores what a host adds in the same transaction', async () => {
    await open(
      {},
      {
        adapters: {
          account: (defaults) => ({
            async saveUser(request, user, values) {
              const saved = await defaults.saveUser(request, user, values)
              if (values['city'] === 'Atlantis') throw new Error('no such city')
              return saved
            },
          }),
        },
        forms: {
          signup: (base) => ({
            ...base,
            fields: (request) => [
              ...base.fields(request),
              { name: 'city', label: 'City', type: 'text', required: true },
            ],
          }),
        },
      },
    )
    const visitor = world.visitor()
    expect((await visitor.get(SIGNUP)).html).toContain('name="city"')
    expect((await visitor.post(SIGNUP, { ...ADA, city: 'Atlantis' })).status).toBe(500)
    expect(await users()).toEqual([])
    expect((await visitor.post(SIGNUP, { ...ADA, city: 'Bath' })).status).toBe(302)
  })

  it('returns data to scripts, without the password', async () => {
    await open()
    const script = { accept: 'application/json' }
    const refused = await world.visitor().post(SIGNUP, { ...ADA, email: 'x' }, script)
    expect(refused.status).toBe(400)
    expect(refused.html).not.toContain(PASSWORD)
    const { form }: { form: { fields: Record<string, { errors: string[] }>; field_order: string[] } } = JSON.parse(
      refused.html,
    )
    expect(form.field_order).toEqual(['email', 'password1', 'password2'])
    expect(form.fields['email']?.errors).toHaveLength(1)
    const taken = await world.visitor().post(SIGNUP, ADA, script)
    expect([taken.status, JSON.parse(taken.html)]).toEqual([200, { location: '/accounts/profile/' }])
  })

  it('counts attempts per visitor', async () => {
    await open({ rateLimits: { signup: '2/m/ip' } })
    const visitor = world.visitor()
    await visitor.post(SIGNUP, { email: 'x' })
    await visitor.post(SIGNUP, { email: 'x' })
    const refused = await visitor.post(SIGNUP, ADA)
    expect([refused.status, await users()]).toEqual([429, []])
  })
})

describe('usernames', () => {
  const NAMED = { signupFields: ['username*', 'email', 'password1*'], loginMethods: ['username'] } as const

  it.each([
    ['of letters, digits and signs', 'a.d-a_1@+', 'a.d-a_1@+'],
    ['of another script', 'Зоя', 'Зоя'],
    ['in compatibility letters, in their plain form', 'Ａda', 'Ada'],
  ])('%s are taken', async (_why, username, stored) => {
    await open(NAMED)
    await world.visitor().post(SIGNUP, { username, password1: PASSWORD })
    expect(await users()).toEqual([`${stored} `])
  })

  it.each([
    ['with a blank inside', 'a b', 'Enter a valid value.'],
    ['with an invisible mark', 'ada\u200b\u202e', 'Enter a valid value.'],
    ['too long', 'a'.repeat(151), 'Use no more than'],
    ['too short', 'ab', 'Use at least'],
    ['that nobody may have', 'ADMIN', "isn't allowed"],
    ['that nobody may have, in other letters', 'ａdmin', "isn't allowed"],
    ['that somebody has in other case', 'GRACE', 'is already taken'],
    ['that somebody has in compatibility letters', 'ｇrace', 'is already taken'],
  ])('%s are refused', async (_why, username, error) => {
    await open({ ...NAMED, usernameMinLength: 3, usernameBlacklist: ['admin'] })
    await world.addUser({ username: 'Grace' })
    const answer = await world.visitor().post(SIGNUP, { username, password1: PASSWORD })
    expect(answer.status).toBe(200)
    expect(answer.text).toContain(error)
    expect(await users()).toEqual(['Grace '])
  })

  it('are stored in lower case if the settings say so', async () => {
    await open({ ...NAMED, preserveUsernameCasing: false })
    await world.visitor().post(SIGNUP, { username: 'Ada', password1: PASSWORD })
    expect(await users()).toEqual(['ada '])
  })

  it('are derived from the address if not asked for, and always unique', async () => {
    await open({ usernameMinLength: 5 })
    await world.addUser({ username: 'Grace' })
    await world.visitor().post(SIGNUP, { ...ADA, email: 'Gráce@example.org' })
    await world.visitor().post(SIGNUP, { ...ADA, email: 'зоя@example.org' })
    const [, grace = '', zoe = ''] = await users()
    expect(grace).toMatch(/^grace\d+ gráce@example\.org$/)
    expect(zoe).toMatch(/^user\w+ зоя@example\.org$/)
  })
})

describe('the honeypot field', () => {
  const TRAP = { signupFormHoneypotField: 'website' } as const

  it.each([
    ['by link', { emailVerification: 'mandatory' }],
    ['by code', { emailVerification: 'mandatory', emailVerificationByCodeEnabled: true }],
    ['none', { emailVerification: 'none' }],
  ] as const)(
    'gives a program the answer of a real sign-up and nothing else (verification %s)',
    async (_why, account) => {
      await open({ ...TRAP, ...account })
      expect((await world.visitor().get(SIGNUP)).html).toContain('name="website"')
      const real = await world.visitor().post(SIGNUP, { ...ADA, website: '' })
      const before = [await users(), (await world.mails()).length]
      const caught = world.visitor()
      const answer = await caught.post(SIGNUP, { ...ADA, email: 'bot@example.org', website: 'https://spam.test/' })
      expect([answer.status, answer.location]).toEqual([real.status, real.location])
      expect([await users(), (await world.mails()).length]).toEqual(before)
      expect(await caught.whoami()).toBeNull()
      if (account.emailVerification === 'none') return
      expect((await caught.follow(answer)).at).toBe('/accounts/confirm-email/')
    },
  )
})
