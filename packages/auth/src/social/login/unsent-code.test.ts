import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { singleEmail, type SocialBench, socialBench, type SomebodyThere } from '../testing-bench.ts'

let bench: SocialBench
afterEach(() => bench.world.close())

const EVE: SomebodyThere = { uid: '1', username: 'eve', emails: singleEmail('eve@example.org', false) }
const AT_STAGE = { kind: 'login', outcome: { kind: 'stage', stage: 'verify_email' } }

describe.each(testDatabases)('a code that cannot be sent now on %s', (_name, open) => {
  it('shows the code page to a visitor coming from a provider', async () => {
    const account = { signupFields: ['username*', 'email*', 'password1*'], emailVerification: 'mandatory' } as const
    bench = await socialBench({ account: { ...account, emailVerificationByCodeEnabled: true } }, { open })
    const { auth, world } = bench
    const mailsTo = async (address: string): Promise<number> =>
      (await world.mails()).filter(({ to }) => to === address).length
    await auth.kernel.limits.take('confirm_email', { key: 'eve@example.org' }, world.clock.now())
    const browser = bench.browser()
    expect(await browser.visit('github', EVE)).toMatchObject(AT_STAGE)
    expect(await auth.kernel.users.byUsername(auth.kernel.database.db, 'eve')).not.toBeNull()
    expect(await mailsTo('eve@example.org')).toBe(0)
    expect(await browser.run((request) => auth.account.login.resumeUrl(request))).toBe('/accounts/confirm-email/')

    world.clock.advance(600_000)
    expect(await bench.browser().visit('github', EVE)).toMatchObject(AT_STAGE)
    expect(await mailsTo('eve@example.org')).toBe(1)
  })
})
