import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRecord } from './kind.ts'
import { ALL_SETTINGS } from './setting-groups.ts'
import { readSettingsRefusal } from './testing/refusal.ts'

describe('values of the wrong form are refused', () => {
  it.each<[sentence: string, input: unknown]>([
    ['The settings must be an object', null],
    ['account must be an object', { account: 'x' }],
    ['accounts is not a setting; did you mean account?', { accounts: {} }],
    ['account.loginMethod is not a setting; did you mean account.loginMethods?', { account: { loginMethod: 1 } }],
    [
      'ACCOUNT_LOGIN_METHODS (account.loginMethods) must be a list of username, email, phone',
      { account: { loginMethods: ['mail'] } },
    ],
    ['a single line', { siteName: 'a\r\nBcc: x@example.org' }],
    ['DEFAULT_FROM_EMAIL', { defaultFromEmail: 'nobody' }],
    ['a path, an http(s) URL', { loginRedirectUrl: '//evil.example' }],
    ['a path, an http(s) URL', { loginRedirectUrl: 'javascript:alert(1)' }],
    ['a path with a slash at both ends', { pathPrefix: '/accounts' }],
    ['AUTH_USER_TABLE', { userTable: { table: 'auth_user; drop table x' } }],
    ['AUTH_USER_TABLE', { userTable: { columns: { email: 'e"mail' } } }],
    ['one column for two fields', { userTable: { columns: { email: 'username' } } }],
    ['must name a column', { userTable: { columns: { id: null } } }],
    ['stands twice', { account: { signupFields: ['email', 'email*'] } }],
    ['must have email where', { account: { signupFields: ['username*', 'email2'] } }],
    ['length (4 to 32)', { userCodeFormat: { length: 1 } }],
    ['did you mean signup?', { account: { rateLimits: { sign_up: '1/m' } } }],
    ['must have rates such as', { account: { rateLimits: { signup: '5/fortnight' } } }],
    ['cannot count signup per user', { account: { rateLimits: { signup: '5/m/user' } } }],
    ['in two ways', { account: { rateLimits: { reset_password: '1/m', password_reset: '2/m' } } }],
    [
      'min_length from 1 to 128',
      { passwordValidators: [{ NAME: 'x.MinimumLengthValidator', OPTIONS: { min_length: 0 } }] },
    ],
    [
      'does not take: password_list_path',
      { passwordValidators: [{ NAME: 'x.CommonPasswordValidator', OPTIONS: { password_list_path: '/x' } }] },
    ],
    ['nested deeper', { socialaccount: { providers: cyclic() } }],
  ])('%s', (sentence, input) => {
    expect(readSettingsRefusal(input)).toContain(sentence)
  })

  it('all at once', () => {
    expect(readSettingsRefusal({ siteId: 0, account: { loginTimeout: 'x' } })).toMatch(
      /SITE_ID .* ACCOUNT_LOGIN_TIMEOUT /,
    )
  })

  it('without a throw of any other kind', () => {
    const value = fc.anything({
      withNullPrototype: true,
      withMap: true,
      withSet: true,
      withBigInt: true,
      withDate: true,
    })
    const keys = fc.constantFrom(...ALL_SETTINGS)
    const entry = fc.tuple(keys, value)
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 8 }), value, (entries, other) => {
        expect(readSettingsRefusal(other)).toBeTypeOf('string')
        const input: Record<string, unknown> = {}
        for (const [{ group, key }, written] of entries) {
          if (group === null) input[key] = written
          else input[group] = { ...(isRecord(input[group]) ? input[group] : {}), [key]: written }
        }
        expect(readSettingsRefusal(input)).toBeTypeOf('string')
      }),
      { numRuns: 1_000 },
    )
  })
})

function cyclic(): Record<string, unknown> {
  const provider: Record<string, unknown> = {}
  provider['self'] = provider
  return { github: provider }
}
