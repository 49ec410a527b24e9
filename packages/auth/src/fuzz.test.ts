import fc from 'fast-check'
import { expect, it } from 'vitest'
import { authWorld } from './testing/auth-world.ts'
import type { Visitor } from './testing/visitor.ts'

/** Every page, in settings that mount as many as possible. */
const PATHS = [
  'login/',
  'logout/',
  'inactive/',
  'signup/',
  'reauthenticate/',
  'email/',
  'confirm-email/',
  'verify-email/',
  'confirm-email/MQ:1xUfmq:abc/',
  'password/change/',
  'password/set/',
  'password/reset/',
  'password/reset/done/',
  'password/reset/key/1-set-password/',
  'password/reset/key/1-abc-def/',
  'password/reset/key/done/',
  'password/reset/confirm/',
  'password/reset/complete/',
  'login/code/',
  'login/code/confirm/',
  'phone/verify/',
  'phone/change/',
  '',
  'nowhere/',
]
const FIELDS = [
  'login',
  'password',
  'remember',
  'next',
  'email',
  'email2',
  'username',
  'phone',
  'password1',
  'password2',
  'oldpassword',
  'code',
  'action',
  'action_add',
  'action_send',
  'action_primary',
  'action_remove',
  'key',
  '__proto__',
  'constructor',
  'csrfmiddlewaretoken',
]
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    'a\0b@example.org',
    'ada@example.org',
    'ADA@EXAMPLE.ORG',
    'ada@example.org\r\nBcc: eve@example.org',
    "' or 1=1 --",
    '<script>alert(1)</script>',
    '{{ 7 | times: 7 }}',
    '{% t %}',
    '//evil.test',
    'javascript:alert(1)',
    '+31612345678',
    '+',
    'ﬁ',
    'İ',
    '\ud800',
    '１２３',
    'a'.repeat(5000),
    'on',
    'resend',
    'change',
    'verify',
  ),
)
const visit = fc.record({
  path: fc.constantFrom(...PATHS),
  query: fc.dictionary(fc.constantFrom('next', 'email', 'uid', 'key'), nasty, { maxKeys: 2 }),
  fields: fc.option(fc.dictionary(fc.constantFrom(...FIELDS), nasty, { maxKeys: 6 })),
  xhr: fc.boolean(),
  signedIn: fc.boolean(),
})

const SETTINGS = {
  link: {
    account: {
      signupFields: ['email*', 'username', 'phone', 'password1*', 'password2*'],
      loginMethods: ['email', 'username', 'phone'],
      loginByCodeEnabled: true,
      rateLimits: false,
    },
  },
  code: {
    account: {
      signupFields: ['email*', 'password1*'],
      loginMethods: ['email'],
      emailVerification: 'mandatory',
      emailVerificationByCodeEnabled: true,
      emailVerificationSupportsChange: true,
      emailVerificationSupportsResend: true,
      passwordResetByCodeEnabled: true,
      loginByCodeEnabled: true,
      rateLimits: false,
    },
  },
} as const

it.each(Object.entries(SETTINGS))('answers nothing with a 500, whatever is sent (%s)', async (_name, settings) => {
  const world = await authWorld({ settings, adapters: { account: { sendVerificationCodeSms: async () => {} } } })
  await world.addUser({ username: 'ada', email: 'ada@example.org', password: 'correct horse battery' })
  const signedIn = world.visitor()
  await signedIn.login('ada@example.org', 'correct horse battery')
  const anonymous = world.visitor()
  const seen = new Set<number>()
  await fc.assert(
    fc.asyncProperty(visit, async ({ path, query, fields, xhr, signedIn: isUser }) => {
      const visitor: Visitor = isUser ? signedIn : anonymous
      const target = `/accounts/${path}?${new URLSearchParams(query).toString()}`
      const headers: Record<string, string> = xhr ? { 'x-requested-with': 'XMLHttpRequest' } : {}
      const page = fields === null ? await visitor.get(target, headers) : await visitor.post(target, fields, headers)
      seen.add(page.status)
      expect(page.status, `${target} ${JSON.stringify(fields)}`).toBeLessThan(500)
      expect(page.location ?? '/').not.toMatch(/^(https?:)?\/\/(?!auth\.test)|javascript:/)
    }),
    { numRuns: 400 },
  )
  expect([...seen]).toEqual(expect.arrayContaining([200, 302]))
  expect(world.logged.filter(({ level }) => level === 'error')).toEqual([])
  await world.close()
})
