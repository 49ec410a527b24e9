import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'

const PASSWORD = 'a made-up pass phrase'
const ADA = 'ada@example.org'
/** The same domain to every mail server, in other characters: full-width, in capitals, a letter with its own sign. */
const OTHERWISE = ['ada@ｅxample.org', 'ADA@EXAMPLE.ORG', 'ada@example.ºrg'] as const

describe.each(testDatabases)('an address in another spelling on %s', (_name, database) => {
  let world: AuthWorld
  afterEach(() => world.close())
  const open = async (account: object): Promise<void> => {
    const base = { loginMethods: ['email'], signupFields: ['email*', 'password1*'] } as const
    world = await authWorld({ settings: { account: { ...base, ...account } } }, database)
  }
  const stored = async (): Promise<readonly string[]> => {
    const rows = await world.auth.kernel.database.db.selectFrom('account_emailaddress').select('email').execute()
    return rows.map(({ email }) => email)
  }

  it.each(OTHERWISE)('is stored in one spelling: %s', async (typed) => {
    await open({ emailVerification: 'none' })
    await world.visitor().post('/accounts/signup/', { email: typed, password1: PASSWORD })
    expect(await stored()).toEqual([ADA])
    const again = await world
      .visitor({ ip: '192.0.2.2' })
      .post('/accounts/signup/', { email: ADA, password1: PASSWORD })
    expect(again.text).toContain('An account with this email address already exists.')
  })

  it("is no second owner's", async () => {
    await open({})
    await world.addUser({ username: 'ada', email: ADA, password: PASSWORD })
    await world.addUser({ username: 'eve', email: 'eve@example.org', password: PASSWORD })
    const eve = world.visitor()
    await eve.login('eve@example.org', PASSWORD)
    await eve.post('/accounts/email/', { action_add: '', email: OTHERWISE[0] })
    const [path = ''] = /\/accounts\/confirm-email\/\S+/.exec((await world.mailTo(ADA)).text) ?? []
    expect((await eve.post(path)).text).toContain("Couldn't verify this email address")
  })
})
