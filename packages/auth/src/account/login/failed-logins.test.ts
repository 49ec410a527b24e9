import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'

const LOGIN = '/accounts/login/'
const HOME = '/accounts/profile/'
const PASSWORD = 'a made-up pass phrase'
const ADA = { username: 'Ada', email: 'ada@example.org', password: PASSWORD }
const EITHER = { account: { loginMethods: ['username', 'email'], emailVerification: 'none' } } as const

let world: AuthWorld
const open = async (options: Parameters<typeof authWorld>[0] = { settings: EITHER }): Promise<AuthWorld> => {
  world = await authWorld(options)
  return world
}
afterEach(() => world.close())

describe('failed logins', () => {
  const LIMITED = { account: { ...EITHER.account, rateLimits: { login_failed: '3/m/key' } } } as const
  const REFUSED = 'Too many attempts. Try again later.'

  it('are counted per identifier, in all its spellings, and for unknown users too', async () => {
    await open({ settings: LIMITED })
    await world.addUser(ADA)
    const eve = world.visitor()
    for (const login of ['ada@example.org', 'ADA@example.org', 'ａｄａ@example.org']) {
      expect((await eve.login(login, 'wrong')).text).not.toContain(REFUSED)
    }
    expect((await eve.login('ada@example.org', PASSWORD)).text).toContain(REFUSED)
    expect((await world.visitor({ ip: '203.0.113.9' }).login('Ada@Example.org', PASSWORD)).text).toContain(REFUSED)
    for (const _ of [1, 2, 3]) await eve.login('nobody@example.org', 'wrong')
    expect((await eve.login('nobody@example.org', 'wrong')).text).toContain(REFUSED)
    world.clock.advance(60_001)
    expect((await eve.login('ada@example.org', PASSWORD)).location).toBe(HOME)
  })

  it('stay the same after a correct password', async () => {
    await open({ settings: LIMITED })
    await world.addUser(ADA)
    for (const _ of [1, 2, 3, 4, 5]) {
      expect((await world.visitor().login('Ada', PASSWORD)).location).toBe(HOME)
    }
    for (const _ of [1, 2]) await world.visitor().login('Ada', 'wrong')
    expect((await world.visitor().login('Ada', PASSWORD)).location).toBe(HOME)
    expect((await world.visitor().login('Ada', 'wrong')).text).toContain('Incorrect username or password.')
    expect((await world.visitor().login('Ada', 'wrong')).text).toContain(REFUSED)
  })

  it('are counted per phone', async () => {
    const settings = {
      account: {
        ...LIMITED.account,
        loginMethods: ['phone', 'email'],
        signupFields: ['phone*', 'email*', 'password1*'],
      },
    } as const
    await open({ settings, adapters: { account: { sendVerificationCodeSms: async () => {} } } })
    const eve = world.visitor()
    for (const _ of [1, 2, 3]) await eve.login('+49 30 901820', 'wrong')
    expect((await eve.login('+4930901820', 'wrong')).text).toContain(REFUSED)
    expect((await eve.login('+4930901821', 'wrong')).text).toContain('Incorrect phone number or password.')
  })

  it('of many parallel requests are limited too', async () => {
    await open({ settings: LIMITED })
    await world.addUser(ADA)
    const visitors = Array.from({ length: 8 }, () => world.visitor())
    for (const visitor of visitors) await visitor.get(LOGIN)
    const answers = await Promise.all(visitors.map((visitor) => visitor.login('Ada', 'wrong')))
    expect(answers.filter(({ text }) => text.includes('Incorrect username or password.'))).toHaveLength(3)
  })

  it('from one IP address end in 429 before anything is checked', async () => {
    await open({ settings: { account: { ...EITHER.account, rateLimits: { login: '2/m/ip' } } } })
    await world.addUser(ADA)
    for (const _ of [1, 2]) await world.visitor({ ip: '203.0.113.9' }).login('Ada', 'wrong')
    const refused = await world.visitor({ ip: '203.0.113.9' }).login('Ada', PASSWORD)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect((await world.visitor({ ip: '203.0.113.10' }).login('Ada', PASSWORD)).status).toBe(302)
  })
})
