import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { singleEmail, type SocialBench, socialBench } from '../testing-bench.ts'

let bench: SocialBench
afterEach(() => bench.world.close())

const MANDATORY = { signupFields: ['username*', 'email*', 'password1*'], emailVerification: 'mandatory' } as const
/** What leads to other steps than the link in a mail. */
const VARIANTS: readonly (readonly [name: string, settings: AuthSettingsInput])[] = [
  ['a link', { account: MANDATORY }],
  ['a code', { account: { ...MANDATORY, emailVerificationByCodeEnabled: true } }],
  [
    'a code at every login through a provider',
    { account: { ...MANDATORY, loginByCodeEnabled: true, loginByCodeRequired: ['socialaccount'] } },
  ],
  [
    'a link for providers alone',
    { account: { preventEnumeration: true }, socialaccount: { emailVerification: 'mandatory' } },
  ],
  ['a code for a phone', { account: { ...MANDATORY, signupFields: ['username*', 'email*', 'phone', 'password1*'] } }],
  ['no mail for providers', { account: MANDATORY, socialaccount: { emailVerification: 'none' } }],
  [
    'no mail, and no word of it',
    { account: { ...MANDATORY, preventEnumeration: 'strict' }, socialaccount: { emailVerification: 'optional' } },
  ],
]

describe('whether an address is in use', () => {
  it.each(VARIANTS)('does not show behind %s', async (_variant, settings) => {
    bench = await socialBench(settings, {
      adapters: { account: { sendVerificationCodeSms: async () => {}, sendAccountAlreadyExistsSms: async () => {} } },
    })
    const { world } = bench
    await world.addUser({ username: 'ada', email: 'ada@example.org' })
    const seen = async (uid: string, email: string): Promise<unknown> => {
      const browser = bench.browser()
      const outcome = await browser.visit(
        'github',
        {
          uid,
          username: uid,
          emails: singleEmail(email, false),
          phone: { phone: uid === 'one' ? '+4930901801' : '+4930901802', verified: false },
        },
        { next: '/back/' },
      )
      const user = await browser.whoami()
      return [{ ...outcome, outcome: { ...('outcome' in outcome && outcome.outcome), user: null } }, user === null]
    }
    const [taken, free] = [await seen('one', 'ada@example.org'), await seen('two', 'free@example.org')]
    if (settings.socialaccount?.emailVerification === 'none') {
      // Nothing can be hidden where nothing waits: the form asks for another address.
      expect(taken).toMatchObject([{ kind: 'signup' }, true])
      return
    }
    expect(taken).toEqual(free)
    expect(taken).toMatchObject([{ kind: 'login', outcome: { redirectTo: expect.stringContaining('/back/') } }, {}])
    const mails = (await world.mails()).filter(({ to }) => to === 'ada@example.org')
    const isPhoneFirst = new Set(settings.account?.signupFields).has('phone')
    const isHeld = settings.account?.preventEnumeration !== 'strict'
    expect(mails.map(({ text }) => text.includes('already'))).toEqual(isPhoneFirst ? [] : [isHeld])
  })
})
