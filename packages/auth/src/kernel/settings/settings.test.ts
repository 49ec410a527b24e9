import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type AuthSettingsInput, resolveSettings } from './settings.ts'

const rate = (amount: number, seconds: number, per: string) => ({ amount, periodMs: seconds * 1_000, per })

describe('defaults', () => {
  const { settings, warnings } = resolveSettings()

  it('are those of the reference', () => {
    expect(warnings).toEqual([])
    expect(settings.account).toMatchObject({
      loginMethods: ['username'],
      emailVerification: 'optional',
      loginTimeout: 900,
    })
    expect(settings).toMatchObject({
      loginUrl: '/accounts/login/',
      loginRedirectUrl: '/accounts/profile/',
      sessionCookieAge: 1_209_600,
    })
    expect(settings.account.rateLimits).toMatchObject({
      login_failed: [rate(10, 60, 'ip'), rate(5, 300, 'key')],
      confirm_email: [rate(1, 180, 'key')],
      verify_phone: [rate(1, 30, 'key'), rate(3, 60, 'ip')],
    })
  })

  it('are safer where the reference is not', () => {
    expect(settings).toMatchObject({ sessionCookieSecure: true, csrfCookieSecure: true, sessionCookieSamesite: 'Lax' })
    expect(settings.passwordValidators.map(({ id }) => id).toSorted()).toEqual([
      'common_password',
      'minimum_length',
      'numeric_password',
      'user_attribute_similarity',
    ])
  })

  it('are frozen, however deep', () => {
    expect(() => Object.assign(settings.account, { loginTimeout: 1 })).toThrow(TypeError)
    expect(() => Object.assign(settings.account.rateLimits, { login: null })).toThrow(TypeError)
    expect(Object.isFrozen(settings.userTable.columns)).toBe(true)
  })

  it('of every setting are accepted as input', () => {
    expect(resolveSettings(settings).settings).toEqual(settings)
  })
})

describe('values that follow from others', () => {
  it.each<[why: string, input: AuthSettingsInput, part: object]>([
    [
      'login below the mount point',
      { pathPrefix: '/id/' },
      { loginUrl: '/id/login/', account: { emailConfirmationAnonymousRedirectUrl: '/id/login/' } },
    ],
    ['sign-up goes where login goes', { loginRedirectUrl: '/me/' }, { account: { signupRedirectUrl: '/me/' } }],
    ['logout', { logoutRedirectUrl: '/bye/' }, { account: { logoutRedirectUrl: '/bye/' } }],
    [
      'logout by its own setting',
      { logoutRedirectUrl: '/bye/', account: { logoutRedirectUrl: '/x/' } },
      { account: { logoutRedirectUrl: '/x/' } },
    ],
    ['logout to the root', { account: { logoutRedirectUrl: null } }, { account: { logoutRedirectUrl: '/' } }],
    [
      'development',
      { development: true },
      {
        sessionCookieSecure: false,
        csrfCookieSecure: false,
        emailBackend: 'console',
        mfa: { trustCookieSecure: false },
      },
    ],
    ['development with a mail server', { development: true, emailHost: 'mail.example.org' }, { emailBackend: 'smtp' }],
    [
      'the code format',
      { userCodeFormat: { numeric: true } },
      {
        account: { loginByCodeFormat: { numeric: true, dashed: true, length: 9 } },
        idpOidc: { userCodeFormat: { length: 9 } },
      },
    ],
    [
      'the cookie of trust',
      { sessionCookieDomain: 'example.org', sessionCookieSamesite: 'Strict' },
      { mfa: { trustCookieDomain: 'example.org', trustCookieSamesite: 'Strict' } },
    ],
    [
      'verification of provider logins',
      { account: { emailVerification: 'none' } },
      { socialaccount: { emailVerification: 'none' } },
    ],
    [
      'required address of provider logins',
      { account: { signupFields: ['username*', 'email*', 'password1*'] } },
      { socialaccount: { emailRequired: true, queryEmail: true } },
    ],
    [
      'the second limit of confirm_email',
      {
        account: {
          emailVerification: 'mandatory',
          emailVerificationByCodeEnabled: true,
          signupFields: ['username*', 'email*'],
        },
      },
      { account: { rateLimits: { confirm_email: [rate(1, 10, 'key')] } } },
    ],
    [
      'a custom limit for confirm_email',
      {
        account: {
          emailVerification: 'mandatory',
          emailVerificationByCodeEnabled: true,
          signupFields: ['username*', 'email*'],
          rateLimits: { confirm_email: '1/180s/key' },
        },
      },
      { account: { rateLimits: { confirm_email: [rate(1, 180, 'key')] } } },
    ],
    [
      'passkeys without webauthn',
      { mfa: { enabled: true, passkeyLoginEnabled: true } },
      { mfa: { passkeyLoginEnabled: false } },
    ],
    [
      'password2 is as required as password1',
      { account: { signupFields: ['username*', 'password1', 'password2*'] } },
      {
        account: {
          signupFields: [
            { name: 'username', required: true },
            { name: 'password1', required: false },
            { name: 'password2', required: false },
          ],
        },
      },
    ],
    [
      'a column of another name',
      { account: { userModelUsernameField: 'handle' } },
      { userTable: { columns: { username: 'handle' } } },
    ],
    [
      'a user table without names',
      {
        userTable: { columns: { username: null } },
        account: { loginMethods: ['email'], signupFields: ['email*', 'password1*'] },
      },
      { account: { userModelUsernameField: null } },
    ],
    [
      'the least length alone',
      { account: { passwordMinLength: 12 } },
      { passwordValidators: expect.arrayContaining([{ id: 'minimum_length', minLength: 12 }]) },
    ],
    ['the life of a remembered session', { sessionCookieAge: 7_200 }, { account: { sessionCookieAge: 7_200 } }],
  ])('%s', (_why, input, part) => {
    expect(resolveSettings(input).settings).toMatchObject(part)
  })
})

it('shows no secret when the settings are printed', () => {
  const privateKey = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
  const { settings } = resolveSettings({
    emailHostPassword: 'made-up-1',
    headless: { enabled: true, jwtPrivateKey: 'made-up-2' },
    idpOidc: { enabled: true, privateKey },
    socialaccount: { enabled: true, providers: { github: { APP: { secret: 'made-up-4' } } } },
  })
  expect(JSON.stringify(settings)).not.toContain('made-up')
  expect(JSON.stringify({ ...settings, ...settings.idpOidc })).not.toContain('PRIVATE KEY')
  expect(JSON.stringify({ ...settings, ...settings.headless })).not.toContain('made-up')
  expect(settings.headless.jwtPrivateKey).toBe('made-up-2')
})

it("does not modify the caller's object", () => {
  const provider = { SCOPE: ['email'] }
  const input = {
    account: { loginMethods: ['email' as const] },
    socialaccount: { enabled: true, providers: { github: provider } },
  }
  const { settings } = resolveSettings(input)
  provider.SCOPE.push('name')
  input.account.loginMethods.pop()
  expect(settings.account.loginMethods).toEqual(['email'])
  expect(settings.socialaccount.providers).toEqual({ github: { SCOPE: ['email'] } })
})
