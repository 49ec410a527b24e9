import { describe, expect, it } from 'vitest'
import { type AuthSettingsInput, resolveSettings } from './settings.ts'
import { refusal } from './testing/refusal.ts'

describe('settings that do not fit together are refused', () => {
  const byCode = { emailVerification: 'mandatory', emailVerificationByCodeEnabled: true } as const
  it.each<[sentence: string, input: AuthSettingsInput]>([
    ['no login by code', { socialaccount: { only: true }, account: { loginByCodeEnabled: true } }],
    [
      'SOCIALACCOUNT_ONLY does not go together with MFA_ENABLED',
      { socialaccount: { only: true }, mfa: { enabled: true } },
    ],
    ['SOCIALACCOUNT_ONLY needs ACCOUNT_EMAIL_VERIFICATION', { socialaccount: { only: true } }],
    [
      'SOCIALACCOUNT_ONLY needs SOCIALACCOUNT_EMAIL_VERIFICATION',
      { socialaccount: { only: true, emailVerification: 'optional' } },
    ],
    ['BY_CODE_ENABLED needs', { account: { emailVerificationByCodeEnabled: true } }],
    ['must be password1, not password', { account: { signupFields: ['username*', 'password*'] } }],
    ['needs ACCOUNT_UNIQUE_EMAIL', { account: { loginMethods: ['email'], uniqueEmail: false } }],
    ['mandatory needs email*', { account: { emailVerification: 'mandatory' } }],
    ['Without a column for user names', { account: { userModelUsernameField: null } }],
    ['ACCOUNT_MAX_EMAIL_ADDRESSES (account.maxEmailAddresses) must be', { account: { maxEmailAddresses: 0 } }],
    ['ACCOUNT_CHANGE_EMAIL needs', { account: { changeEmail: true, maxEmailAddresses: 3 } }],
    ['ACCOUNT_LOGIN_BY_CODE_TRUST_ENABLED needs', { account: { loginByCodeTrustEnabled: true } }],
    ['MFA_PASSKEY_SIGNUP_ENABLED needs', { mfa: { passkeySignupEnabled: true } }],
    [
      'MFA_PASSKEY_SIGNUP_ENABLED needs',
      { mfa: { passkeySignupEnabled: true }, account: { ...byCode, signupFields: ['username*', 'email*'] } },
    ],
    ['MFA_TOTP_INSECURE_BYPASS_CODE', { mfa: { totpInsecureBypassCode: '123456' } }],
    ['MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN', { mfa: { webauthnAllowInsecureOrigin: true } }],
    ['32 bytes or more', { headless: { jwtAlgorithm: 'HS256', jwtPrivateKey: 'short' } }],
    ['needs HEADLESS_JWT_PRIVATE_KEY', { headless: { tokenStrategy: 'jwt' } }],
    ['exclude each other', { emailUseTls: true, emailUseSsl: true }],
    ['needs EMAIL_FILE_PATH', { emailBackend: 'file' }],
    ['None needs SESSION_COOKIE_SECURE', { sessionCookieSamesite: 'None', sessionCookieSecure: false }],
    ['must name at least one', { account: { loginMethods: [] } }],
  ])('%s: %j', (sentence, input) => {
    expect(refusal(input)).toContain(sentence)
  })

  it('and taken when what they need is there', () => {
    const account = { ...byCode, signupFields: ['email*', 'password1*'], loginMethods: ['email'] } as const
    const mfa = { enabled: true, passkeySignupEnabled: true, supportedTypes: ['webauthn'] } as const
    expect(resolveSettings({ account, mfa }).settings.mfa.passkeySignupEnabled).toBe(true)
    expect(refusal({ socialaccount: { only: true }, account: { emailVerification: 'none' } })).toBe('')
  })
})

it('warns of what is most likely not meant', () => {
  const { warnings } = resolveSettings({
    sessionCookieSecure: false,
    allowedHosts: ['*'],
    account: { loginMethods: ['email'], signupFields: ['email', 'password1*'] },
    notes: ['A note.'],
  })
  expect(warnings).toEqual([
    'A note.',
    expect.stringContaining('account.W001'),
    expect.stringContaining('SESSION_COOKIE_SECURE'),
    expect.stringContaining('ALLOWED_HOSTS'),
  ])
})
