import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'

const PASSWORD = 'a made-up pass phrase'
const CONFIRM = '/accounts/login/code/confirm/'
const CODE = /\b[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}\b/

let world: AuthWorld
afterEach(async () => world.close())

it.each(testDatabases)(
  'a code that is sent again while the login is being finished spoils nothing on %s',
  async (_name, open) => {
    world = await authWorld({ settings: { account: { loginByCodeRequired: ['password'] } } }, open)
    await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD })
    const ada = world.visitor()
    await ada.login('ada', PASSWORD)
    const code = CODE.exec((await world.mailTo('ada@example.org')).text)?.[0] ?? ''
    const late: (string | null)[] = []
    const end = world.auth.signals.on('authentication_step_completed', async () => {
      end()
      late.push((await ada.post(CONFIRM, { code })).location)
    })
    expect((await ada.post(CONFIRM, { code })).location).toBe('/accounts/profile/')
    expect(late).toEqual(['/accounts/login/'])
    expect(await ada.whoami()).toBe('ada')
  },
)
