import { resolveSettings } from '@gatepost/auth'
import { describe, expect, it } from 'vitest'
import { ConfigError, type Environment, readConfig } from './config.ts'

const readSettings = (env: Environment): ReturnType<typeof resolveSettings>['settings'] =>
  resolveSettings(readConfig(env).accountSettings()).settings

const https = 'https://gate.example.org'

describe('settings of accounts', () => {
  it('suit one machine by default: by e-mail, mail on the console, cookies over http', () => {
    const { warnings, settings } = resolveSettings(readConfig({}).accountSettings())
    expect(warnings).toEqual([])
    expect(settings).toMatchObject({
      siteName: 'Gatepost',
      loginRedirectUrl: '/console/',
      emailBackend: 'console',
      sessionCookieSecure: false,
      csrfCookieSecure: false,
      account: { loginMethods: ['email'], emailVerification: 'optional', preventEnumeration: true },
    })
    expect(settings.account.signupFields.map(({ name, required }) => [name, required])).toEqual([
      ['email', true],
      ['password1', true],
      ['password2', true],
    ])
  })

  it('require a verified address where anyone may sign up, unless they say otherwise', () => {
    const open = { GATEPOST_SIGNUP: 'open' }
    expect(readSettings(open).account.emailVerification).toBe('mandatory')
    const optional = { ...open, ACCOUNT_EMAIL_VERIFICATION: 'optional' }
    expect(readSettings(optional).account.emailVerification).toBe('optional')
  })

  it('have second factors, passkeys, sessions and the JSON API, each of which can be switched off', () => {
    expect(readSettings({})).toMatchObject({
      mfa: {
        enabled: true,
        supportedTypes: ['recovery_codes', 'totp', 'webauthn'],
        passkeyLoginEnabled: true,
        passkeySignupEnabled: false,
        trustEnabled: true,
      },
      usersessions: { enabled: true, trackActivity: true },
      headless: { enabled: true, only: false, tokenStrategy: 'session' },
    })
    const off = readSettings({ MFA_ENABLED: 'false', USERSESSIONS_ENABLED: '0', HEADLESS_ENABLED: 'off' })
    expect([off.mfa.enabled, off.usersessions.enabled, off.headless.enabled]).toEqual([false, false, false])
    expect(readSettings({ HEADLESS_ENABLED: 'off', GATEPOST_PUBLIC_URL: `${https}/chat` }).headless.enabled).toBe(false)
    expect(() => readConfig({ MFA_ENABLED: 'false', MFA_TOTP_DIGITS: '8' })).toThrow(
      "MFA_TOTP_DIGITS can't take effect because MFA_ENABLED is off",
    )
    const elsewhere = { SOCIALACCOUNT_ONLY: 'on', ACCOUNT_EMAIL_VERIFICATION: 'none' }
    expect(readSettings(elsewhere).mfa.enabled).toBe(false)
    const others = { MFA_SUPPORTED_TYPES: 'totp', MFA_TRUST_ENABLED: 'false', GATEPOST_HEADLESS_TOKEN_STRATEGY: 'jwt' }
    expect(readSettings({ ...others, HEADLESS_JWT_ALGORITHM: 'HS256' })).toMatchObject({
      mfa: { enabled: true, supportedTypes: ['totp'], passkeyLoginEnabled: false, trustEnabled: false },
      headless: { enabled: true, tokenStrategy: 'jwt' },
    })
  })

  it.each<[why: string, env: Environment]>([
    ['there are none', { MFA_ENABLED: 'false' }],
    ['there are recovery codes alone', { MFA_SUPPORTED_TYPES: 'recovery_codes' }],
  ])('cannot require a second factor where %s', (_why, env) => {
    const required = { GATEPOST_STAFF_SECOND_FACTOR: 'on' }
    expect(() => readConfig({ ...env, ...required })).toThrow(
      /GATEPOST_STAFF_SECOND_FACTOR requires two-factor authentication/,
    )
    expect([readConfig(env), readConfig(required)]).toMatchObject([
      { isStaffFactorRequired: false },
      { isStaffFactorRequired: true },
    ])
  })

  it('keep cookies to TLS behind a public https address', () => {
    expect(readSettings({ GATEPOST_PUBLIC_URL: https })).toMatchObject({
      development: false,
      sessionCookieSecure: true,
      csrfCookieSecure: true,
      defaultFromEmail: 'Gatepost <gatepost@gate.example.org>',
    })
  })

  it('come from the environment under their own names', () => {
    const settings = readSettings({
      ACCOUNT_LOGIN_METHODS: 'username,email',
      ACCOUNT_SIGNUP_FIELDS: 'username*,email*,password1*',
      ACCOUNT_EMAIL_VERIFICATION: 'mandatory',
      SITE_NAME: 'Example',
      GATEPOST_TRUSTED_PROXY_COUNT: '2',
    })
    expect(settings).toMatchObject({
      siteName: 'Example',
      trustedProxyCount: 2,
      account: { loginMethods: ['username', 'email'], emailVerification: 'mandatory' },
    })
  })

  it('send mail by the server that is named, and by the back end that is', () => {
    expect(readSettings({ EMAIL_HOST: 'smtp.example.org' }).emailBackend).toBe('smtp')
    expect(readSettings({ EMAIL_HOST: 'smtp.example.org', EMAIL_BACKEND: 'console' }).emailBackend).toBe('console')
    expect(readSettings({ EMAIL_BACKEND: 'file', EMAIL_FILE_PATH: '/tmp/mails' }).emailBackend).toBe('file')
  })

  it('are known names, so nobody is warned of them', () => {
    const env = { GATEPOST_TRUSTED_PROXY_COUNT: '1', GATEPOST_SIGNUP: 'open', GATEPOST_DEVELOPMENT: 'true' }
    expect(readConfig(env)).toMatchObject({ warnings: [], isSignupOpen: true })
  })

  it('are refused with the others when they are wrong, by name and without their value', () => {
    const env = { GATEPOST_PORT: 'x', ACCOUNT_EMAIL_VERIFICATION: 'hunter2', GATEPOST_SIGNUP: 'maybe' }
    try {
      readConfig(env)
      expect.unreachable()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      expect(error.message).toMatch(
        /GATEPOST_PORT[^]*ACCOUNT_EMAIL_VERIFICATION|ACCOUNT_EMAIL_VERIFICATION[^]*GATEPOST_PORT/,
      )
      expect(error.message).toContain('GATEPOST_SIGNUP must be open or closed.')
      expect(error.message).not.toContain('hunter2')
    }
  })

  it('are not printed with the configuration', () => {
    const config = readConfig({ EMAIL_HOST: 'smtp.example.org', EMAIL_HOST_PASSWORD: 'hunter2' })
    expect(JSON.stringify(config)).not.toContain('hunter2')
    expect(config.accountSettings().emailHostPassword).toBe('hunter2')
  })
})
