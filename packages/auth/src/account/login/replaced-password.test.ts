import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'

const PASSWORD = 'a made-up pass phrase'
const ADA = { username: 'ada', email: 'ada@example.org', password: PASSWORD }
const CODE = /\b[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}\b/

describe.each(testDatabases)('a password replaced during a sign-in on %s', (_name, open) => {
  let world: AuthWorld
  afterEach(async () => world.close())

  /** Replaces the password right after the old one was verified. */
  const replacedOnceChecked = async (id: number | string): Promise<void> => {
    const { passwords, users, sessions, database } = world.auth.kernel
    const { verify } = passwords
    const another = await passwords.hash('another pass phrase')
    Object.assign(passwords, {
      async verify(password: string, encoded: string) {
        const result = await verify(password, encoded)
        await users.setPassword(database.db, id, another)
        await sessions.endAll(database.db, id)
        return result
      },
    })
  }

  it('opens no session', async () => {
    world = await authWorld({}, open)
    await replacedOnceChecked((await world.addUser(ADA)).id)
    const eve = world.visitor()
    await eve.login('ada', PASSWORD)
    expect(await eve.whoami()).toBeNull()
  })

  it('starts no session after an additionally required code', async () => {
    world = await authWorld({ settings: { account: { loginByCodeRequired: ['password'] } } }, open)
    await replacedOnceChecked((await world.addUser(ADA)).id)
    const eve = world.visitor()
    expect((await eve.login('ada', PASSWORD)).location).toBe('/accounts/login/code/confirm/')
    const code = CODE.exec((await world.mailTo('ada@example.org')).text)?.[0] ?? ''
    await eve.post('/accounts/login/code/confirm/', { code })
    expect(await eve.whoami()).toBeNull()
  })
})
