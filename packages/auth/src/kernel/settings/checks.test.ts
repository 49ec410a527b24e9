import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type AuthSettingsInput, resolveSettings } from './settings.ts'
import { readSettingsRefusal } from './testing/refusal.ts'

describe('rejects conflicting settings', () => {
  const byCode = { emailVerification: 'mandatory', emailVerificationByCodeEnabled: true } as const
  it.each<[sentence: string, input: AuthSettingsInput]>([
    [
      'SOCIALACCOUNT_ONLY requires SOCIALACCOUNT_ENABLED',
      { socialaccount: { only: true }, account: { emailVerification: 'none' } },
    ],
    [
      'combined with ACCOUNT_LOGIN_BY_CODE_ENABLED',
      { socialaccount: { only: true }, account: { loginByCodeEnabled: true } },
    ],
    [
      "SOCIALACCOUNT_ONLY can't be combined with MFA_ENABLED",
      { socialaccount: { only: true }, mfa: { enabled: true } },
    ],
    ['SOCIALACCOUNT_ONLY requires ACCOUNT_EMAIL_VERIFICATION', { socialaccount: { only: true } }],
    [
      'SOCIALACCOUNT_ONLY requires SOCIALACCOUNT_EMAIL_VERIFICATION',
      { socialaccount: { only: true, emailVerification: 'optional' } },
    ],
    ['BY_CODE_ENABLED requires', { account: { emailVerificationByCodeEnabled: true } }],
    ['must be password1, not password', { account: { signupFields: ['username*', 'password*'] } }],
    ['requires ACCOUNT_UNIQUE_EMAIL', { account: { loginMethods: ['email'], uniqueEmail: false } }],
    ['mandatory requires email*', { account: { emailVerification: 'mandatory' } }],
    ['Without a username column', { account: { userModelUsernameField: null } }],
    ['ACCOUNT_MAX_EMAIL_ADDRESSES (account.maxEmailAddresses) must be', { account: { maxEmailAddresses: 0 } }],
    ['ACCOUNT_CHANGE_EMAIL requires', { account: { changeEmail: true, maxEmailAddresses: 3 } }],
    ['ACCOUNT_LOGIN_BY_CODE_TRUST_ENABLED requires', { account: { loginByCodeTrustEnabled: true } }],
    ['MFA_PASSKEY_SIGNUP_ENABLED requires', { mfa: { passkeySignupEnabled: true } }],
    [
      'MFA_PASSKEY_SIGNUP_ENABLED requires',
      { mfa: { passkeySignupEnabled: true }, account: { ...byCode, signupFields: ['username*', 'email*'] } },
    ],
    ['MFA_TOTP_INSECURE_BYPASS_CODE', { mfa: { totpInsecureBypassCode: '123456' } }],
    ['MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN', { mfa: { webauthnAllowInsecureOrigin: true } }],
    ['at least 32 bytes', { headless: { jwtAlgorithm: 'HS256', jwtPrivateKey: 'short' } }],
    ['requires HEADLESS_JWT_PRIVATE_KEY', { headless: { tokenStrategy: 'jwt' } }],
    ["EMAIL_USE_SSL can't be combined", { emailUseTls: true, emailUseSsl: true }],
    ['requires EMAIL_FILE_PATH', { emailBackend: 'file' }],
    ['None requires SESSION_COOKIE_SECURE', { sessionCookieSamesite: 'None', sessionCookieSecure: false }],
    ['must include at least one', { account: { loginMethods: [] } }],
  ])('%s: %j', (sentence, input) => {
    expect(readSettingsRefusal(input)).toContain(sentence)
  })

  it('and accepted if their requirements are met', () => {
    const account = { ...byCode, signupFields: ['email*', 'password1*'], loginMethods: ['email'] } as const
    const mfa = { enabled: true, passkeySignupEnabled: true, supportedTypes: ['webauthn'] } as const
    expect(resolveSettings({ account, mfa }).settings.mfa.passkeySignupEnabled).toBe(true)
    const only = { socialaccount: { enabled: true, only: true }, account: { emailVerification: 'none' } } as const
    expect(readSettingsRefusal(only)).toBe('')
  })
})

it('warns of likely mistakes', () => {
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

describe('keys of tokens', () => {
  const pem = (type: 'rsa' | 'ec', modulusLength = 2048): { readonly whole: string; readonly half: string } => {
    const { privateKey, publicKey } =
      type === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('rsa', { modulusLength })
    return {
      whole: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      half: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    }
  }
  const [first, second, weak, curve] = [pem('rsa'), pem('rsa'), pem('rsa', 1024), pem('ec')]
  const refused = (jwtAlgorithm: string, jwtPrivateKey: string): string =>
    readSettingsRefusal({ headless: { enabled: true, tokenStrategy: 'jwt', jwtAlgorithm, jwtPrivateKey } })

  it.each([
    ['HS256', 32],
    ['HS384', 48],
    ['HS512', 64],
  ])('a secret for %s has %i bytes or more', (algorithm, bytes) => {
    expect(refused(algorithm, 'x'.repeat(bytes - 1))).toContain(`${bytes} bytes`)
    expect(refused(algorithm, 'x'.repeat(bytes))).toBe('')
    expect(refused(algorithm, 'é'.repeat(bytes / 2))).toBe('')
  })

  it('for RS are RSA keys of 2048 bits or more, the first one whole', () => {
    expect(refused('RS256', first.whole)).toBe('')
    expect(refused('RS256', `a comment\n${first.whole}${second.half}${second.whole}`)).toBe('')
  })

  it.each([
    ['text', 'a made-up secret of 32 bytes or more'],
    ['a public key alone', first.half],
    ['a public key first', `${second.half}${first.whole}`],
    ['a short key', weak.whole],
    ['a short key behind', `${first.whole}${weak.half}`],
    ['a key of another kind', curve.whole],
    ['a broken key', first.whole.replace(/\n.{10}/, '\n')],
  ])('for RS are not %s; and no message shows them', (_why, key) => {
    const sentence = refused('RS256', key)
    expect(sentence).toContain('HEADLESS_JWT_PRIVATE_KEY must be the PEM of a private RSA key with at least 2048 bits')
    expect(sentence).not.toContain(key.trim().split('\n').at(-2) ?? key)
  })
})
