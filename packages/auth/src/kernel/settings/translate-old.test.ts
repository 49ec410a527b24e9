import { describe, expect, it } from 'vitest'
import { settingsFromNames } from './names.ts'
import { resolveSettings } from './settings.ts'
import { readRefusal } from './testing/refusal.ts'

type Names = Readonly<Record<string, unknown>>

const resolveOldNames = (names: Names) => resolveSettings(settingsFromNames(names))
const formatSignupFields = (names: Names): string =>
  resolveOldNames(names)
    .settings.account.signupFields.map(({ name, required }) => name + (required ? '*' : ''))
    .join(' ')

describe('old names', () => {
  it.each<[why: string, names: Names, fields: string]>([
    ['a required user name', { ACCOUNT_EMAIL_REQUIRED: true }, 'email* username* password1* password2*'],
    ['no user name', { ACCOUNT_USERNAME_REQUIRED: false }, 'email password1* password2*'],
    ['the address twice', { ACCOUNT_SIGNUP_EMAIL_ENTER_TWICE: 'on' }, 'email email2 username* password1* password2*'],
    ['the password once', { ACCOUNT_SIGNUP_PASSWORD_ENTER_TWICE: false }, 'email username* password1*'],
    ['the password once, older', { ACCOUNT_SIGNUP_PASSWORD_VERIFICATION: '0' }, 'email username* password1*'],
    [
      'an old name that agrees',
      {
        ACCOUNT_EMAIL_REQUIRED: true,
        ACCOUNT_USERNAME_REQUIRED: false,
        ACCOUNT_SIGNUP_FIELDS: ['password1*', 'email*', 'password2*'],
      },
      'password1* email* password2*',
    ],
  ])('give fields of the sign-up: %s', (_why, names, fields) => {
    expect(formatSignupFields({ ACCOUNT_LOGIN_METHODS: ['email', 'username'], ...names })).toBe(fields)
  })

  it.each<[method: string, methods: readonly string[]]>([
    ['username', ['username']],
    ['email', ['email']],
    ['username_email', ['username', 'email']],
  ])('give login methods: %s', (method, methods) => {
    expect(resolveOldNames({ ACCOUNT_AUTHENTICATION_METHOD: method }).settings.account.loginMethods).toEqual(methods)
  })

  it.each<[why: string, names: Names, action: 'login_failed' | 'confirm_email', rates: unknown]>([
    [
      'attempts',
      { ACCOUNT_LOGIN_ATTEMPTS_LIMIT: 3 },
      'login_failed',
      [
        { amount: 10, periodMs: 60_000, per: 'ip' },
        { amount: 3, periodMs: 300_000, per: 'key' },
      ],
    ],
    [
      'their period',
      { ACCOUNT_LOGIN_ATTEMPTS_TIMEOUT: '60' },
      'login_failed',
      [
        { amount: 10, periodMs: 60_000, per: 'ip' },
        { amount: 5, periodMs: 60_000, per: 'key' },
      ],
    ],
    ['no limit', { ACCOUNT_LOGIN_ATTEMPTS_LIMIT: null }, 'login_failed', null],
    [
      'a pause between links',
      { ACCOUNT_EMAIL_CONFIRMATION_COOLDOWN: 60 },
      'confirm_email',
      [{ amount: 1, periodMs: 60_000, per: 'key' }],
    ],
    [
      'beside other limits',
      { ACCOUNT_EMAIL_CONFIRMATION_COOLDOWN: 60, ACCOUNT_RATE_LIMITS: { signup: '1/d' } },
      'confirm_email',
      [{ amount: 1, periodMs: 60_000, per: 'key' }],
    ],
    ['all limits off', { ACCOUNT_EMAIL_CONFIRMATION_COOLDOWN: 60, ACCOUNT_RATE_LIMITS: false }, 'confirm_email', null],
    [
      'none for codes',
      {
        ACCOUNT_EMAIL_CONFIRMATION_COOLDOWN: 60,
        ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED: true,
        ACCOUNT_EMAIL_VERIFICATION: 'mandatory',
        ACCOUNT_EMAIL_REQUIRED: true,
      },
      'confirm_email',
      [{ amount: 1, periodMs: 10_000, per: 'key' }],
    ],
  ])('give rate limits: %s', (_why, names, action, rates) => {
    expect(resolveOldNames(names).settings.account.rateLimits[action]).toEqual(rates)
  })

  it('let the name of a route go before the path', () => {
    const { settings } = resolveOldNames({ LOGIN_REDIRECT_URL: '/a/', LOGIN_REDIRECT_URLNAME: 'home' })
    expect(settings.loginRedirectUrl).toBe('home')
  })

  it.each<[names: Names, warning: string]>([
    [
      { EMAIL_CONFIRMATION_DAYS: 5 },
      'EMAIL_CONFIRMATION_DAYS: deprecated. Use ACCOUNT_EMAIL_CONFIRMATION_EXPIRE_DAYS=5 instead.',
    ],
    [{ ACCOUNT_SESSION_COOKIE_AGE: 60 }, 'ACCOUNT_SESSION_COOKIE_AGE is deprecated. Use SESSION_COOKIE_AGE instead.'],
    [
      { ACCOUNT_EMAIL_VERIFICATION: false },
      'ACCOUNT_EMAIL_VERIFICATION: true and false are deprecated. Use ACCOUNT_EMAIL_VERIFICATION=optional instead.',
    ],
  ])('are told about: %j', (names, warning) => {
    expect(resolveOldNames(names).warnings).toContain(warning)
  })

  it.each<[names: Names, sentence: string]>([
    [
      { ACCOUNT_AUTHENTICATION_METHOD: 'email', ACCOUNT_LOGIN_METHODS: ['username'] },
      'ACCOUNT_AUTHENTICATION_METHOD (deprecated) conflicts with ACCOUNT_LOGIN_METHODS: it would mean email.',
    ],
    [
      { ACCOUNT_EMAIL_REQUIRED: true, ACCOUNT_SIGNUP_FIELDS: ['email', 'password1*'] },
      'ACCOUNT_EMAIL_REQUIRED (deprecated) conflicts with ACCOUNT_SIGNUP_FIELDS: it would mean email*,username*,password1*,password2*.',
    ],
    [
      { ACCOUNT_LOGIN_ATTEMPTS_LIMIT: 3, ACCOUNT_RATE_LIMITS: { login_failed: '1/m' } },
      'ACCOUNT_LOGIN_ATTEMPTS_LIMIT (deprecated) conflicts with ACCOUNT_RATE_LIMITS',
    ],
    [
      { ACCOUNT_SIGNUP_PASSWORD_ENTER_TWICE: true, ACCOUNT_SIGNUP_PASSWORD_VERIFICATION: false },
      'have different values',
    ],
    [
      { HEADLESS_ENABLED: true, AUTHPKG_HEADLESS_ENABLED: false },
      'HEADLESS_ENABLED and AUTHPKG_HEADLESS_ENABLED are names of the same setting but have different values.',
    ],
  ])('are refused when they contradict the new ones: %j', (names, sentence) => {
    expect(readRefusal(() => settingsFromNames(names))).toContain(sentence)
  })
})
