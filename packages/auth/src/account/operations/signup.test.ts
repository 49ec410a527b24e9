import { afterEach, describe, expect, it } from 'vitest'
import { InvalidInput } from '../../errors.ts'
import type { SignupForm } from '../../kernel/forms/form.ts'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { everywhere, statusAndErrors, observableResponse, statusAndPendingFlows } from '../../testing/api-cases.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'

type Account = NonNullable<AuthSettingsInput['account']>

const PASSWORD = 'tangerine-orbit-42'
const EMAIL_FIRST: Account = { loginMethods: ['email'], signupFields: ['email*', 'password1*', 'password2*'] }
const BY_CODE: Account = { ...EMAIL_FIRST, emailVerification: 'mandatory', emailVerificationByCodeEnabled: true }

let world: AuthWorld
let texts: string[]
afterEach(() => world.close())

describe.each(everywhere)('auth/signup, %s', (_name, client, open) => {
  async function opened(account: Account, options: { isOpen?: boolean; signupForm?: SignupForm } = {}) {
    texts = []
    const sms = {
      sendVerificationCodeSms: async (_request: unknown, _user: unknown, phone: string) => void texts.push(phone),
      sendAccountAlreadyExistsSms: async (_request: unknown, phone: string) => void texts.push(`exists ${phone}`),
      isOpenForSignup: () => options.isOpen ?? true,
    }
    const { signupForm } = options
    const settings = { headless: { enabled: true }, account }
    world = await authWorld({ settings, adapters: { account: sms }, ...(signupForm && { signupForm }) }, open)
    return world.api(client)
  }
  const userCount = async (): Promise<number> => {
    const { auth } = world
    const rows = await auth.kernel.database.db.selectFrom('account_emailaddress').select('id').execute()
    return rows.length
  }

  it('signs up and in if nothing has to be verified', async () => {
    const api = await opened({ signupFields: ['username*', 'email', 'password1*'], emailVerification: 'none' })
    const given = { username: 'ada', email: 'Ada@Example.org', password: PASSWORD }
    const answer = await api.post('auth/signup', given)
    expect(answer.body).toMatchObject({ status: 200, data: { user: { username: 'ada', email: 'ada@example.org' } } })
    expect(answer.body).toMatchObject({ data: { methods: [] } })
    expect((await api.post('auth/signup', given)).status).toBe(400) // taken addresses are reported before the state is
    const other = { username: 'bob', password: PASSWORD }
    expect((await api.post('auth/signup', other)).body).toEqual({ status: 409 })
    expect((await world.api(client).post('auth/signup', other)).status).toBe(200)
  })

  it('rejects invalid input', async () => {
    const api = await opened({
      signupFields: ['username*', 'email*', 'phone', 'password1*', 'password2*'],
      emailVerification: 'none',
      usernameBlacklist: ['root'],
    })
    const fine = { username: 'grace', email: 'grace@example.org', password: PASSWORD }
    const table: readonly (readonly [given: object, ...errors: string[]])[] = [
      [{}, 'required username', 'required email', 'required password'],
      [{ ...fine, email: 'grace' }, 'invalid email'],
      [{ ...fine, username: ['x'], phone: ['+49'] }, 'invalid username', 'invalid_phone phone'],
      [{ ...fine, username: 'root' }, 'username_blacklisted username'],
      [{ ...fine, phone: '0301234' }, 'invalid_phone phone'],
      [{ ...fine, password: 'grace@example.org' }, 'password_too_similar password'],
      [{ ...fine, password: '12345678' }, 'password_too_common password', 'password_entirely_numeric password'],
      [{ ...fine, password: 'x', username: 'root' }, 'username_blacklisted username', 'password_too_short password'],
    ]
    for (const [given, ...errors] of table) {
      expect([given, ...statusAndErrors(await api.post('auth/signup', given))]).toEqual([given, 400, ...errors])
    }
    expect(await userCount()).toBe(0)
  })

  it('accepts phone numbers as people write them', async () => {
    const api = await opened({ signupFields: ['phone*', 'password1*'], loginMethods: ['phone'] })
    const answer = await api.post('auth/signup', { phone: '+49 30 / 1234-5678', password: PASSWORD })
    expect([...statusAndPendingFlows(answer), ...texts]).toEqual([401, 'verify_phone', '+493012345678'])
  })

  it('stores the password without the blanks around it', async () => {
    const api = await opened({ ...EMAIL_FIRST, emailVerification: 'none' })
    await api.post('auth/signup', { email: 'ada@example.org', password: ` ${PASSWORD} ` })
    const login = { email: 'ada@example.org', password: PASSWORD }
    expect((await world.api(client).post('auth/login', login)).status).toBe(200)
    expect((await world.api(client).post('auth/login', { ...login, password: ` ${PASSWORD} ` })).status).toBe(200)
  })

  it('is closed if the host says so, and reports input errors first', async () => {
    const api = await opened(EMAIL_FIRST, { isOpen: false })
    expect((await api.post('auth/signup', { email: 'ada@example.org', password: PASSWORD })).body).toEqual({
      status: 403,
    })
    expect((await api.post('auth/signup', {})).status).toBe(400)
    expect(await userCount()).toBe(0)
  })

  it('is rate limited', async () => {
    const api = await opened({ ...EMAIL_FIRST, rateLimits: { signup: '1/m/ip' } })
    expect((await api.post('auth/signup', {})).status).toBe(400)
    const answer = await api.post('auth/signup', { email: 'ada@example.org', password: PASSWORD })
    expect([answer.status, answer.body, answer.headers.get('retry-after')]).toEqual([429, { status: 429 }, '60'])
  })

  it.each([
    ['by link', { ...EMAIL_FIRST, emailVerification: 'mandatory' }],
    ['by code', BY_CODE],
  ] as const)('looks the same for an address in use, verified %s', async (_how, account) => {
    await opened(account)
    await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD })
    const tell = async (email: string): Promise<readonly unknown[]> => {
      const api = world.api(client)
      const answers = [await api.post('auth/signup', { email, password: 'velvet-plinth-77' })]
      expect(statusAndPendingFlows(answers[0] ?? (await api.get('auth/session')))).toEqual([401, 'verify_email'])
      answers.push(await api.get('auth/session'))
      for (let tries = 0; tries < 4; tries++) answers.push(await api.post('auth/email/verify', { key: 'BBBB-BBBB' }))
      answers.push(await api.get('auth/session'))
      return answers.map(observableResponse)
    }
    expect(await tell('Ada@example.org')).toEqual(await tell('eve@example.org'))
    expect((await world.mailTo('ada@example.org')).text).not.toMatch(/[B-Z]{4}-[B-Z]{4}/)
    expect(await userCount()).toBe(2)
  })

  it('reports a taken address if that may be revealed', async () => {
    const api = await opened({ ...BY_CODE, preventEnumeration: false })
    await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD })
    const answer = await api.post('auth/signup', { email: 'ada@example.org', password: PASSWORD })
    expect(statusAndErrors(answer)).toEqual([400, 'email_taken email'])
  })

  it("has the host's own fields, and stores them", async () => {
    const kept: unknown[] = []
    const signupForm: SignupForm = {
      fields: () => [
        { name: 'color', label: 'Color', type: 'text', required: true },
        { name: 'terms', label: 'Terms', type: 'checkbox', required: true },
      ],
      async clean(_request, values) {
        if (values['color'] === 'none') throw new InvalidInput([{ code: 'invalid', message: 'No.', param: 'color' }])
        return values
      },
      signup: async (_request, user, { color, terms }) => void kept.push(user.email, color, terms),
    }
    const api = await opened({ ...EMAIL_FIRST, emailVerification: 'none' }, { signupForm })
    const fine = { email: 'ada@example.org', password: PASSWORD }
    expect(statusAndErrors(await api.post('auth/signup', fine))).toEqual([400, 'required color', 'required terms'])
    expect(statusAndErrors(await api.post('auth/signup', { ...fine, color: 'red', terms: false }))).toEqual([
      400,
      'required terms',
    ])
    expect(statusAndErrors(await api.post('auth/signup', { ...fine, color: 'none', terms: true }))).toEqual([
      400,
      'invalid color',
    ])
    expect((await api.post('auth/signup', { ...fine, color: 'red', terms: true })).status).toBe(200)
    expect(kept).toEqual(['ada@example.org', 'red', true])
  })

  it('pretends success to a program that fills in the honeypot', async () => {
    await opened({ ...BY_CODE, signupFormHoneypotField: 'website' })
    const tell = async (given: object): Promise<readonly unknown[]> => {
      const api = world.api(client)
      const answers = [await api.post('auth/signup', { password: PASSWORD, ...given })]
      answers.push(await api.post('auth/email/verify', { key: 'BBBB-BBBB' }))
      return answers.map(observableResponse)
    }
    expect(await tell({ email: 'bot@example.org', website: 'x' })).toEqual(await tell({ email: 'ada@example.org' }))
    expect(await userCount()).toBe(1)
    expect((await world.mails()).map(({ to }) => to)).toEqual(['ada@example.org'])
  })

  it('creates one account for two parallel sign-ups', async () => {
    await opened({ signupFields: ['username*', 'email*', 'password1*'], emailVerification: 'none' })
    const given = { username: 'ada', email: 'ada@example.org', password: PASSWORD }
    const answers = await Promise.all([1, 2, 3].map(() => world.api(client).post('auth/signup', given)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400])
    expect(await userCount()).toBe(1)
  })
})
