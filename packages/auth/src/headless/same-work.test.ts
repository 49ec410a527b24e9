import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AuthSettingsInput } from '../kernel/settings/settings.ts'
import type { ApiAnswered, ApiVisitor } from '../testing/api-visitor.ts'
import { type AuthWorld, authWorld } from '../testing/auth-world.ts'
import { countedDatabase } from '../testing/counted-database.ts'

const PASSWORD = 'a made-up phrase'
const KNOWN = 'known@example.org'
const UNKNOWN = 'nobody@example.org'
/** Reads of the user, if there is one. */
const READS_OF_A_USER = 2

let world: AuthWorld
afterEach(() => world.close())

type Ask = (visitor: ApiVisitor, email: string) => Promise<ApiAnswered>
interface Case {
  readonly account?: AuthSettingsInput['account']
  /** Runs before the counted request. */
  readonly before?: Ask
  readonly ask: Ask
  /** Set if an account is created, which is different work. */
  readonly makesAccount?: true
}

const signUp: Ask = (visitor, email) => visitor.post('auth/signup', { email, password: 'another made-up phrase' })
const askReset: Ask = (visitor, email) => visitor.post('auth/password/request', { email })
const askCode: Ask = (visitor, email) => visitor.post('auth/code/request', { email })
const resetByCode = { passwordResetByCodeEnabled: true }
const loginByCode = { loginByCodeEnabled: true, loginByCodeSupportsResend: 3 }
const verifiedByCode = {
  emailVerification: 'mandatory',
  emailVerificationByCodeEnabled: true,
  emailVerificationSupportsResend: 3,
  emailVerificationSupportsChange: true,
} as const

const cases: readonly (readonly [what: string, of: Case])[] = [
  ['a wrong password', { ask: (visitor, email) => visitor.post('auth/login', { email, password: 'a wrong phrase' }) }],
  ['a link to reset a password', { ask: askReset }],
  ['a code to reset a password', { account: resetByCode, ask: askReset }],
  [
    'a wrong code to reset a password',
    {
      account: resetByCode,
      before: askReset,
      ask: (visitor) => visitor.post('auth/password/reset', { key: 'BCDF-GHJK', password: 'another made-up phrase' }),
    },
  ],
  ['a code to sign in', { account: loginByCode, ask: askCode }],
  [
    'a wrong code to sign in',
    {
      account: loginByCode,
      before: askCode,
      ask: (visitor) => visitor.post('auth/code/confirm', { code: 'BCDF-GHJK' }),
    },
  ],
  [
    'another code to sign in',
    { account: loginByCode, before: askCode, ask: (visitor) => visitor.post('auth/code/resend') },
  ],
  ['a sign-up by link', { account: { emailVerification: 'mandatory' }, ask: signUp, makesAccount: true }],
  ['a sign-up by code', { account: verifiedByCode, ask: signUp, makesAccount: true }],
  [
    'another code to sign up',
    { account: verifiedByCode, before: signUp, ask: (visitor) => visitor.post('auth/email/verify/resend') },
  ],
]

async function openCase({ account }: Case, open: (typeof testDatabases)[number][1]) {
  const counted = countedDatabase(open)
  const names = { loginMethods: ['email'], signupFields: ['email*', 'password1*'] } as const
  const settings = { headless: { enabled: true }, account: { rateLimits: false, ...names, ...account } } as const
  world = await authWorld({ settings }, counted.open)
  const { auth } = world
  await auth.kernel.mail.stop(0) // what sends the mails works in the background, and would be counted
  await world.addUser({ email: KNOWN, username: 'known', password: PASSWORD })
  const hashing = (['hash', 'verify', 'verifyDummy'] as const).map((name) => vi.spyOn(auth.kernel.passwords, name))
  const queued = (): Promise<number> =>
    auth.kernel.database.db
      .selectFrom('gatepost_mail')
      .selectAll()
      .execute()
      .then(({ length }) => length)
  return async (email: string, { before, ask }: Case) => {
    const visitor = world.api('app')
    await before?.(visitor, email)
    const mails = await queued()
    for (const spy of hashing) spy.mockClear()
    counted.taken()
    const { status } = await ask(visitor, email)
    const statements = counted.taken()
    const hashes = hashing.flatMap((spy) => spy.mock.calls).length
    return { statements, told: { status, hashes, mails: (await queued()) - mails } }
  }
}

describe.each(testDatabases)("the work done doesn't reveal accounts, on %s", (_name, open) => {
  it.each(cases)('%s', async (_what, of) => {
    const count = await openCase(of, open)
    await count('first@example.org', of) // what is read once
    const [known, unknown] = [await count(KNOWN, of), await count(UNKNOWN, of)]
    expect(unknown.told).toEqual(known.told)
    if (of.makesAccount !== true) {
      expect(Math.abs(known.statements - unknown.statements)).toBeLessThanOrEqual(READS_OF_A_USER)
    }
  })
})
