import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { type SocialBench, socialBench } from '../testing-bench.ts'

let bench: SocialBench
afterEach(() => bench.world.close())

describe.each(testDatabases)('the user name of a provider on %s', (_name, open) => {
  it('is taken where the form asks for none, if it can be one here and is free', async () => {
    const account = { signupFields: ['email*', 'password1*'], loginMethods: ['email'] } as const
    bench = await socialBench({ account: { ...account, usernameBlacklist: ['admin'] } }, { open })
    await bench.world.addUser({ username: 'ada', email: 'ada@example.org' })
    const named = async (uid: string, username: string): Promise<unknown> => {
      const browser = bench.browser()
      await browser.visit('github', { uid, username })
      const outcome = await browser.run(async (request, social) => {
        const sociallogin = await social.pendingSignup(request)
        return sociallogin && social.completeSignup(request, sociallogin, { email: `${uid}@example.org` })
      })
      return outcome?.kind === 'authenticated' ? outcome.user.username : outcome
    }
    expect(await named('one', 'grace')).toBe('grace')
    expect(await named('two', 'ADA')).toBe('two')
    expect(await named('three', 'admin')).toBe('three')
    expect(await named('four', `${'x'.repeat(200)}`)).toBe('four')
    expect(await named('five', 'not a name!')).toBe('five')
  })
})
