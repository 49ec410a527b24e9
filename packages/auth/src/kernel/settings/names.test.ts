import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { settingsFromEnvironment, settingsFromNames } from './names.ts'
import { SETTING_TABLE } from './setting-table.ts'
import { type AuthSettings, resolveSettings } from './settings.ts'
import { readRefusal } from './testing/refusal.ts'

type Names = Readonly<Record<string, unknown>>

const resolveNames = (names: Names) => resolveSettings(settingsFromNames(names))

it('takes the settings of the contract by copying them', () => {
  const { settings, warnings } = resolveNames({
    ACCOUNT_AUTHENTICATION_METHOD: 'email',
    ACCOUNT_EMAIL_REQUIRED: true,
    ACCOUNT_USERNAME_REQUIRED: false,
    ACCOUNT_EMAIL_VERIFICATION: 'mandatory',
    ACCOUNT_EMAIL_NOTIFICATIONS: true,
    LOGIN_REDIRECT_URL: '/dashboard/',
    ACCOUNT_LOGOUT_REDIRECT_URL: '/bye/',
    EMAIL_CONFIRMATION_AUTHENTICATED_REDIRECT_URL: '/in/',
    EMAIL_CONFIRMATION_ANONYMOUS_REDIRECT_URL: '/out/',
    SOCIALACCOUNT_PROVIDERS: {
      google: { APP: { client_id: 'id', secret: 'made-up', key: '' }, SCOPE: ['email'], AUTH_PARAMS: { hd: 'x' } },
    },
    MFA_ENABLED: true,
    MFA_SUPPORTED_AUTHENTICATORS: [
      'authpkg.mfa.authenticators.Totp',
      'authpkg.mfa.authenticators.WebAuthn',
      'authpkg.mfa.authenticators.RecoveryCodes',
    ],
    AUTHPKG_HEADLESS_ENABLED: true,
    AUTHPKG_HEADLESS_TOKEN_STRATEGY: 'authpkg.headless.tokens.StrategyJWT',
    AUTHPKG_HEADLESS_TOKEN_JWT_SECRET_KEY: 'made-up-made-up-made-up-made-up-!',
    AUTHPKG_HEADLESS_TOKEN_JWT_ALGORITHM: 'HS256',
    ACCOUNT_RATE_LIMITS: { signup: '5/hour', password_reset: '5/hour' },
    SECURE_SSL_REDIRECT: true,
    SESSION_COOKIE_SECURE: true,
    CSRF_COOKIE_SECURE: true,
    EMAIL_BACKEND: 'django.core.mail.backends.smtp.EmailBackend',
    SITE_ID: 1,
    INSTALLED_APPS: [
      'django.contrib.auth',
      'django.contrib.messages',
      'django.contrib.sites',
      'authpkg',
      'authpkg.account',
      'authpkg.socialaccount',
      'authpkg.socialaccount.providers.google',
    ],
    // The other names of such a module don't belong to this package.
    DATABASES: {},
    DEBUG: false,
    SECRET_KEY: 'made-up',
  })
  const perHour = [{ amount: 5, periodMs: 3_600_000, per: 'ip' }]
  expect(settings.account).toMatchObject({
    loginMethods: ['email'],
    signupFields: [
      { name: 'email', required: true },
      { name: 'password1', required: true },
      { name: 'password2', required: true },
    ],
    emailVerification: 'mandatory',
    emailNotifications: true,
    logoutRedirectUrl: '/bye/',
    signupRedirectUrl: '/dashboard/',
    emailConfirmationAuthenticatedRedirectUrl: '/in/',
    emailConfirmationAnonymousRedirectUrl: '/out/',
  })
  expect(settings.account.rateLimits).toMatchObject({ signup: perHour, reset_password: perHour })
  expect(settings.account.rateLimits.login).toEqual([{ amount: 30, periodMs: 60_000, per: 'ip' }])
  expect(settings.mfa).toMatchObject({ enabled: true, supportedTypes: ['totp', 'webauthn', 'recovery_codes'] })
  expect(settings.headless).toMatchObject({ enabled: true, tokenStrategy: 'jwt', jwtAlgorithm: 'HS256' })
  expect(settings.headless.jwtPrivateKey).toBe('made-up-made-up-made-up-made-up-!')
  expect(settings.socialaccount.providers).toMatchObject({ google: { SCOPE: ['email'] } })
  expect(settings).toMatchObject({ secureSslRedirect: true, emailBackend: 'smtp', loginRedirectUrl: '/dashboard/' })
  expect(warnings).toEqual([
    'ACCOUNT_AUTHENTICATION_METHOD: deprecated. Use ACCOUNT_LOGIN_METHODS=email instead.',
    'ACCOUNT_EMAIL_REQUIRED, ACCOUNT_USERNAME_REQUIRED: deprecated. ' +
      'Use ACCOUNT_SIGNUP_FIELDS=email*,password1*,password2* instead.',
  ])
})

describe('the apps of a site', () => {
  const modules = ({ socialaccount, mfa, headless, usersessions, idpOidc }: AuthSettings) =>
    Object.entries({ socialaccount, mfa, headless, usersessions, idpOidc }).flatMap(([name, { enabled }]) =>
      enabled ? [name] : [],
    )

  it.each<[apps: readonly string[] | string, on: readonly string[]]>([
    [['django.contrib.auth', 'authpkg', 'authpkg.account'], []],
    [['authpkg.mfa'], ['mfa']],
    [['allauth.mfa.apps.MFAConfig'], ['mfa']],
    [['gatepost.usersessions', 'mfa', 'shop.mfa'], ['usersessions']],
    [['authpkg.socialaccount', 'authpkg.socialaccount.providers.google'], ['socialaccount']],
    [['authpkg.socialaccount.providers.google'], []],
    ['authpkg, authpkg.headless, authpkg.idp.oidc', ['headless', 'idpOidc']],
  ])('%j turn on %j', (INSTALLED_APPS, on) => {
    expect(modules(resolveNames({ INSTALLED_APPS }).settings)).toEqual(on)
  })

  it('turn on the site table', () => {
    expect(resolveNames({ INSTALLED_APPS: ['django.contrib.sites'], SITE_ID: 2 }).settings.sitesEnabled).toBe(true)
    expect(resolveNames({ SITE_ID: 2 }).settings.sitesEnabled).toBe(false)
  })

  it("yield to a module's own setting", () => {
    expect(modules(resolveNames({ INSTALLED_APPS: ['authpkg.mfa'], MFA_ENABLED: false }).settings)).toEqual([])
  })

  it.each(['authpkg.mfaa', 'allauth.', 'authpkg.socialaccount.providers.', 'authpkg.socialaccount.providers.x.y', 7])(
    'are checked: %j',
    (app) => {
      expect(readRefusal(() => settingsFromNames({ INSTALLED_APPS: [app] }))).toContain('INSTALLED_APPS must be a list')
    },
  )
})

describe('settings of a module that is off', () => {
  it.each<[sentence: string, names: Names]>([
    [
      "MFA_SUPPORTED_TYPES, MFA_TOTP_DIGITS can't take effect because MFA_ENABLED is off. Set MFA_ENABLED to true, or " +
        'remove these settings.',
      { MFA_SUPPORTED_AUTHENTICATORS: ['authpkg.mfa.authenticators.Totp'], MFA_TOTP_DIGITS: 8 },
    ],
    ['Set MFA_ENABLED to true, or remove the setting.', { MFA_ENABLED: false, MFA_TOTP_DIGITS: '8' }],
    ['SOCIALACCOUNT_PROVIDERS', { SOCIALACCOUNT_PROVIDERS: { google: {} } }],
    ['HEADLESS_TOKEN_STRATEGY', { AUTHPKG_HEADLESS_TOKEN_STRATEGY: 'authpkg.headless.tokens.StrategyJWT' }],
    ['USERSESSIONS_TRACK_ACTIVITY', { USERSESSIONS_TRACK_ACTIVITY: true }],
    ['IDP_OIDC_ENABLED', { IDP_OIDC_ACCESS_TOKEN_EXPIRES_IN: 60, INSTALLED_APPS: ['authpkg.mfa'] }],
  ])('are refused: %s', (sentence, names) => {
    expect(readRefusal(() => resolveNames(names))).toContain(sentence)
  })

  it('are accepted if they equal the defaults or an app turns it on', () => {
    expect(readRefusal(() => resolveNames({ SOCIALACCOUNT_ONLY: false, MFA_TOTP_DIGITS: 6 }))).toBe('')
    expect(readRefusal(() => resolveNames({ MFA_TOTP_DIGITS: 8, INSTALLED_APPS: ['authpkg.mfa'] }))).toBe('')
    expect(readRefusal(() => resolveNames({ HEADLESS_ONLY: true, HEADLESS_CLIENTS: 'app' }))).not.toContain('off')
  })
})

describe('spellings', () => {
  it.each<[names: Names, part: object]>([
    [{ AUTHPKG_TRUSTED_PROXY_COUNT: 2 }, { trustedProxyCount: 2 }],
    [{ GATEPOST_TRUSTED_PROXY_COUNT: '2' }, { trustedProxyCount: 2 }],
    [{ GATEPOST_HEADLESS_TOKEN_STRATEGY: 'session' }, { headless: { tokenStrategy: 'session' } }],
    [{ HEADLESS_TOKEN_STRATEGY: 'x.tokens.SessionTokenStrategy' }, { headless: { tokenStrategy: 'session' } }],
    [
      { ACCOUNT_PASSWORD_RESET_BY_CODE_CODE_FORMAT: { length: 6, numeric: true } },
      { account: { passwordResetByCodeFormat: { numeric: true, dashed: true, length: 6 } } },
    ],
    [
      { EMAIL_BACKEND: 'django.core.mail.backends.filebased.EmailBackend', EMAIL_FILE_PATH: '/tmp/mail' },
      { emailBackend: 'file' },
    ],
    [{ EMAIL_BACKEND: 'django.core.mail.backends.locmem.EmailBackend' }, { emailBackend: 'locmem' }],
    [{ EMAIL_BACKEND: 'django.core.mail.backends.dummy.EmailBackend' }, { emailBackend: 'dummy' }],
    [
      {
        LANGUAGES: [
          ['en', 'English'],
          ['zh-Hans', 'Chinese'],
        ],
      },
      { languages: ['en', 'zh-hans'] },
    ],
    [
      { PASSWORD_HASHERS: ['django.contrib.auth.hashers.PBKDF2PasswordHasher'] },
      { passwordHashers: ['argon2', 'pbkdf2_sha256'] },
    ],
    [
      {
        AUTH_PASSWORD_VALIDATORS: [
          { NAME: 'django.contrib.auth.password_validation.MinimumLengthValidator', OPTIONS: { min_length: 9 } },
        ],
      },
      { passwordValidators: [{ id: 'minimum_length', minLength: 9 }] },
    ],
    [
      {
        ACCOUNT_ADAPTER: 'allauth.account.adapter.DefaultAccountAdapter',
        ACCOUNT_FORMS: { login: 'authpkg.account.forms.LoginForm' },
      },
      {},
    ],
    [{ ACCOUNT_EMAIL_SUBJECT_PREFIX: '' }, { account: { emailSubjectPrefix: '' } }],
  ])('%j', (names, part) => {
    expect(resolveNames(names).settings).toMatchObject(part)
  })

  it.each<[name: string, text: string, part: object]>([
    ['ACCOUNT_LOGIN_METHODS', 'email,username', { account: { loginMethods: ['email', 'username'] } }],
    ['ACCOUNT_LOGIN_METHODS', '["email"]', { account: { loginMethods: ['email'] } }],
    [
      'ACCOUNT_SIGNUP_FIELDS',
      'username*, email*, password1*',
      {
        account: {
          signupFields: [
            { name: 'username', required: true },
            { name: 'email', required: true },
            { name: 'password1', required: true },
          ],
        },
      },
    ],
    ['ACCOUNT_CHANGE_EMAIL', 'On', { account: { changeEmail: true } }],
    ['ACCOUNT_LOGIN_TIMEOUT', '60', { account: { loginTimeout: 60 } }],
    ['ACCOUNT_SESSION_REMEMBER', 'null', { account: { sessionRemember: null } }],
    ['ACCOUNT_SESSION_REMEMBER', 'false', { account: { sessionRemember: false } }],
    ['ACCOUNT_PREVENT_ENUMERATION', 'strict', { account: { preventEnumeration: 'strict' } }],
    ['ACCOUNT_LOGIN_BY_CODE_REQUIRED', '1', { account: { loginByCodeRequired: ['password', 'mfa', 'socialaccount'] } }],
    ['ACCOUNT_LOGIN_BY_CODE_REQUIRED', 'mfa', { account: { loginByCodeRequired: ['mfa'] } }],
    ['ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND', 'true', { account: { emailVerificationSupportsResend: 2 } }],
    ['ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND', '5', { account: { emailVerificationSupportsResend: 5 } }],
    [
      'ACCOUNT_RATE_LIMITS',
      '{"signup":"1/d"}',
      { account: { rateLimits: { signup: [{ amount: 1, periodMs: 86_400_000, per: 'ip' }] } } },
    ],
    ['ACCOUNT_RATE_LIMITS', 'false', { account: { rateLimits: { signup: null, login: null } } }],
    ['AUTH_USER_TABLE', '{"idType":"uuid"}', { userTable: { table: 'auth_user', idType: 'uuid' } }],
    ['AUTH_PASSWORD_VALIDATORS', 'common_password', { passwordValidators: [{ id: 'common_password' }] }],
  ])('of the environment: %s=%s', (name, text, part) => {
    expect(resolveSettings(settingsFromEnvironment({ [name]: text })).settings).toMatchObject(part)
  })
})

describe('names', () => {
  it.each<[name: string, sentence: string]>([
    ['ACCOUNT_LOGIN_METHOD', 'ACCOUNT_LOGIN_METHOD is not a setting; did you mean ACCOUNT_LOGIN_METHODS?'],
    ['MFA_TOTP_DIGIT', 'MFA_TOTP_DIGIT is not a setting; did you mean MFA_TOTP_DIGITS?'],
    ['HEADLESS_ONLYY', 'did you mean HEADLESS_ONLY?'],
    ['AUTHPKG_TRUSTED_PROXIES_COUNT', 'did you mean GATEPOST_TRUSTED_PROXY_COUNT?'],
    ['GATEPOST_TRUSTED_PROXY_COUNTS', 'did you mean GATEPOST_TRUSTED_PROXY_COUNT?'],
  ])('that are not known are refused: %s', (name, sentence) => {
    expect(readRefusal(() => settingsFromNames({ [name]: 'x' }))).toContain(sentence)
    expect(readRefusal(() => settingsFromEnvironment({ [name]: 'x' }))).toContain(sentence)
  })

  it('that only start like ours are rejected in code and noted in an environment', () => {
    expect(readRefusal(() => settingsFromNames({ ACCOUNT_ID: '123' }))).toContain('ACCOUNT_ID is not a setting.')
    const { settings, warnings } = resolveSettings(settingsFromEnvironment({ ACCOUNT_ID: '123' }))
    expect(settings).toEqual(resolveSettings({}).settings)
    expect(warnings).toEqual(["ACCOUNT_ID isn't a setting of this package and is ignored."])
  })

  it.each([
    'PATH',
    'EMAIL_SUBJECT_PREFIX',
    'GATEPOST_PORT',
    'GATEPOST_DATA_DIR',
    'GATEPOST_SECRET_KEY',
    '__proto__',
    'DEBUG',
  ])('of others are left alone: %s', (name) => {
    expect(resolveSettings(settingsFromEnvironment({ [name]: 'x' }))).toEqual(resolveSettings({}))
  })

  it.each(['ACCOUNT_SERVICE_HOST', 'ACCOUNT_PORT', 'ACCOUNT_PORT_80_TCP_ADDR', 'HEADLESS_SERVICE_PORT_HTTP'])(
    'that container platforms set are left alone: %s',
    (name) => {
      expect(resolveSettings(settingsFromEnvironment({ [name]: 'x' }))).toEqual(resolveSettings({}))
    },
  )

  it('for code are rejected with advice', () => {
    const sentence = readRefusal(() =>
      settingsFromNames({
        ACCOUNT_ADAPTER: 'my.Adapter',
        MFA_ADAPTER: 'my.Adapter',
        MFA_FORMS: { x: 'my.Form' },
        ACCOUNT_USER_DISPLAY: 'my.show',
      }),
    )
    expect(sentence).toContain(
      'ACCOUNT_ADAPTER must be a class, or an object of hooks. A class path only works for the default adapter.',
    )
    expect(sentence).toContain("MFA_ADAPTER isn't supported. Class paths aren't supported. Pass the hooks")
    expect(sentence).toContain("MFA_FORMS isn't supported.")
    expect(sentence).toContain('ACCOUNT_USER_DISPLAY must be a function')
  })

  it('with empty values count as not set in the environment', () => {
    expect(settingsFromEnvironment({ ACCOUNT_RATE_LIMITS: '', ACCOUNT_LOGIN_TIMEOUT: '' })).toEqual(
      settingsFromNames({}),
    )
  })

  it('report all problems at once, without values of secrets', () => {
    const sentence = readRefusal(() =>
      settingsFromNames({
        ACCOUNT_LOGIN_TIMEOUT: 'soon',
        SESSION_COOKIE_AGE: -1,
        HEADLESS_JWT_PRIVATE_KEY: 'made-up\u0000',
      }),
    )
    expect(sentence).toContain('ACCOUNT_LOGIN_TIMEOUT must be')
    expect(sentence).toContain('SESSION_COOKIE_AGE must be')
    expect(sentence).toContain('HEADLESS_JWT_PRIVATE_KEY must be')
    expect(sentence).not.toContain('made-up')
  })
})

it('refuses any value of any name with AuthError or takes it', () => {
  const name = fc.oneof(fc.constantFrom(...SETTING_TABLE.flatMap((row) => [row.name, ...row.aliases])), fc.string())
  const value = fc.oneof(
    fc.anything({ withNullPrototype: true, withMap: true, withSet: true, withBigInt: true }),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 6 }), (entries) => {
      expect(readRefusal(() => resolveNames(Object.fromEntries(entries)))).toBeTypeOf('string')
    }),
    { numRuns: 1_000 },
  )
})
