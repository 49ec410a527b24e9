import type { HostParts } from '../../options.ts'
import { afterEach, describe, expect, it } from 'vitest'
import type { PageRoute } from '../../kernel/http/route.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import type { Visitor } from '../../testing/visitor.ts'
import type { LoginStage, StageDecision } from '../../kernel/login.ts'
import { outcomeAnswer, loginAtStage } from './page-guards.ts'

const PASSWORD = 'a made-up pass phrase'
const GATE = '/accounts/gate/'
const HOME = '/accounts/profile/'

let world: AuthWorld
afterEach(() => world.close())

/** A stage of the host, with a page that passes it on POST. */
function gate(decide: () => StageDecision, resumable = true): LoginStage {
  return { key: 'gate', page: 'gate', resumable: () => resumable, enter: async () => decide() }
}

const gatePage = (auth: HostParts): PageRoute => ({
  name: 'gate',
  path: 'gate/',
  access: 'anon',
  async GET(request) {
    const found = await loginAtStage(auth.account, request, 'gate')
    if ('answer' in found) return found.answer
    const { user, state } = found.login
    const kept = JSON.stringify(state.stages['gate']?.data ?? null)
    return { kind: 'response', response: new Response(`gate of ${user?.username} ${kept}`) }
  },
  async POST(request) {
    const found = await loginAtStage(auth.account, request, 'gate')
    return 'answer' in found ? found.answer : outcomeAnswer(await auth.account.login.resume(request, found.login))
  },
})

async function open(stage: LoginStage, account: object = {}): Promise<Visitor> {
  world = await authWorld({
    settings: { account: { emailVerification: 'none', ...account } },
    adapters: { account: (defaults) => ({ getLoginStages: () => [...defaults.getLoginStages(), stage] }) },
    pages: (auth) => [gatePage(auth)],
  })
  await world.addUser({ username: 'Ada', email: 'ada@example.org', password: PASSWORD })
  return world.visitor()
}

describe('a stage of the host', () => {
  it('holds a login back until it is passed', async () => {
    const ada = await open(gate(() => ({ kind: 'wait', data: { why: 'lunch' } })))
    const waiting = await ada.login('Ada', PASSWORD, { next: '/x' })
    expect(waiting.location).toBe(`${GATE}?next=/x`)
    expect([await ada.whoami(), (await ada.get(GATE)).text]).toEqual([null, 'gate of Ada {"why":"lunch"}'])
    expect((await ada.get('/accounts/login/')).location).toBe(`${GATE}?next=/x`)
    expect((await ada.login('Ada', PASSWORD)).location).toBe(`${GATE}?next=/x`)
    expect((await ada.post(GATE)).location).toBe('/x')
    expect(await ada.whoami()).toBe('Ada')
    expect((await ada.get(GATE)).location).toBe(HOME)
    expect((await ada.post(GATE)).location).toBe(HOME)
  })

  it.each<[string, StageDecision, string]>([
    ['lets everybody through', { kind: 'pass' }, HOME],
    ['turns everybody away', { kind: 'stop', redirectTo: '/away/' }, '/away/'],
    ['sends everybody back', { kind: 'abort' }, '/accounts/login/'],
    ['shows another page than its own', { kind: 'wait', redirectTo: '/elsewhere/' }, '/elsewhere/'],
  ])('%s', async (_why, decision, location) => {
    const ada = await open(gate(() => decision))
    expect((await ada.login('Ada', PASSWORD)).location).toBe(location)
    expect(await ada.whoami()).toBe(decision.kind === 'pass' ? 'Ada' : null)
    expect((await ada.post(GATE)).location).toBe(
      decision.kind === 'wait' || decision.kind === 'pass' ? HOME : '/accounts/login/',
    )
  })

  it('does not redirect a visitor back to a stage that cannot be resumed', async () => {
    const ada = await open(gate(() => ({ kind: 'wait' }), false))
    await ada.login('Ada', PASSWORD)
    expect((await ada.get('/accounts/login/')).status).toBe(200)
  })

  it('expires after the configured time', async () => {
    const ada = await open(
      gate(() => ({ kind: 'wait' })),
      { loginTimeout: 60 },
    )
    await ada.login('Ada', PASSWORD)
    world.clock.advance(60_001)
    expect((await ada.get('/accounts/login/')).status).toBe(200)
    expect((await ada.post(GATE)).location).toBe('/accounts/login/')
    expect(await ada.whoami()).toBeNull()
  })

  it('refuses a user whose account was disabled or removed in the meantime', async () => {
    const ada = await open(gate(() => ({ kind: 'wait' })))
    const { auth } = world
    const user = await auth.kernel.users.byUsername(auth.kernel.database.db, 'Ada')
    await ada.login('Ada', PASSWORD)
    await auth.kernel.users.update(auth.kernel.database.db, user?.id ?? 0, { isActive: false })
    expect((await ada.post(GATE)).location).toBe('/accounts/inactive/')
    expect(await ada.whoami()).toBeNull()
    await auth.kernel.users.update(auth.kernel.database.db, user?.id ?? 0, { isActive: true })
    await ada.login('Ada', PASSWORD)
    await auth.kernel.users.remove(auth.kernel.database.db, user?.id ?? 0)
    expect((await ada.post(GATE)).location).toBe('/accounts/login/')
  })

  it('refuses a user whose password was replaced in the meantime', async () => {
    const eve = await open(gate(() => ({ kind: 'wait' })))
    const { auth } = world
    await eve.login('Ada', PASSWORD)
    await auth.kernel.users.setPassword(
      auth.kernel.database.db,
      1,
      await auth.kernel.passwords.hash('another pass phrase'),
    )
    expect((await eve.post(GATE)).location).toBe('/accounts/login/')
    expect(await eve.whoami()).toBeNull()
  })

  it('is passed by only one of two parallel requests', async () => {
    const ada = await open(gate(() => ({ kind: 'wait' })))
    let signedIn = 0
    world.auth.signals.on('user_logged_in', () => void signedIn++)
    await ada.login('Ada', PASSWORD)
    const answers = await Promise.all([ada.post(GATE), ada.post(GATE)])
    expect([signedIn, answers.map(({ location }) => location)]).toEqual([1, [HOME, expect.any(String)]])
  })

  it('is dropped when another user starts to sign in', async () => {
    const ada = await open(gate(() => ({ kind: 'wait' }), false))
    await world.addUser({ username: 'Eve', email: 'eve@example.org', password: PASSWORD })
    await ada.login('Ada', PASSWORD)
    await ada.login('Eve', PASSWORD)
    expect((await ada.get(GATE)).text).toBe('gate of Eve null')
    await ada.post(GATE)
    expect(await ada.whoami()).toBe('Eve')
  })
})

it('refuses a login that would wait for a code that cannot be mailed now', async () => {
  world = await authWorld({
    settings: {
      account: {
        loginMethods: ['email'],
        signupFields: ['email*', 'password1*'],
        emailVerification: 'mandatory',
        emailVerificationByCodeEnabled: true,
      },
    },
  })
  await world.addUser({ username: 'Ada', email: 'ada@example.org', password: PASSWORD, verified: false })
  const first = await world.visitor().login('ada@example.org', PASSWORD)
  expect(first.location).toBe('/accounts/confirm-email/')
  const second = await world.visitor().login('ADA@example.org', PASSWORD)
  expect([second.status, second.text.includes('Too many attempts.')]).toEqual([200, true])
  world.clock.advance(10_001)
  expect((await world.visitor().login('ada@example.org', PASSWORD)).location).toBe('/accounts/confirm-email/')
})
