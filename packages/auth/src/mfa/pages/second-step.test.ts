import { afterEach, describe, expect, it } from 'vitest'
import type { AuthWorld } from '../../testing/auth-world.ts'
import type { Visitor } from '../../testing/visitor.ts'
import {
  ADA,
  ada,
  addApp,
  addKey,
  readRecoveryCodes,
  readPageData,
  LOGIN,
  PASSWORD,
  secondStepWorld,
  TWO,
} from './testing-visits.ts'

const STEP = `${TWO}authenticate/`
const TRUST = `${TWO}trust/`

let world: AuthWorld
const open = async (...args: Parameters<typeof secondStepWorld>): Promise<void> => {
  world = await secondStepWorld(...args)
}
afterEach(() => world.close())

/** A stranger who has Ada's password. */
async function visitSecondStep(): Promise<Visitor> {
  const visitor = world.visitor()
  expect((await visitor.login(ADA.username, PASSWORD)).location).toBe(STEP)
  return visitor
}

describe('the second step of a login', () => {
  it('takes a code of the app, once', async () => {
    await open()
    const app = await addApp(world, await ada(world))
    const code = app()
    const visitor = await visitSecondStep()
    expect((await visitor.get(STEP)).text).toContain('Enter the code from your authenticator app')
    expect((await visitor.post(STEP, { code: '000000' })).text).toContain('Incorrect code.')
    expect(await visitor.whoami()).toBeNull()
    expect((await visitor.post(STEP, { code })).location).toBe('/accounts/profile/')
    expect(await visitor.whoami()).toBe('ada')
    expect((await (await visitSecondStep()).post(STEP, { code })).text).toContain('Incorrect code.')
  })

  it('carries next through', async () => {
    await open()
    const app = await addApp(world, await ada(world))
    const visitor = world.visitor()
    const { location } = await visitor.login(ADA.username, PASSWORD, { next: '/papers/' })
    expect((await visitor.post(location ?? '', { code: app() })).location).toBe('/papers/')
  })

  it('takes a recovery code, once', async () => {
    await open()
    const member = await ada(world)
    await addApp(world, member)
    const [code = ''] = readRecoveryCodes(await member.get(`${TWO}recovery-codes/`))
    expect((await (await visitSecondStep()).post(STEP, { code })).location).toBe('/accounts/profile/')
    expect((await (await visitSecondStep()).post(STEP, { code })).status).toBe(200)
    expect((await member.get(TWO)).text).toContain('9 of 10 left')
  })

  it('accepts a security key, with a new challenge each time', async () => {
    await open()
    const device = await addKey(await ada(world))
    const visitor = await visitSecondStep()
    const first = readPageData(await visitor.get(STEP))
    const wrong = await visitor.post(STEP, {
      credential: JSON.stringify(device.get(first.publicKey, { forged: true })),
    })
    expect(wrong.text).toContain("This key wasn't accepted.")
    expect(wrong.html).not.toContain('clientDataJSON')
    const second = readPageData(wrong)
    expect(second.publicKey['challenge']).not.toBe(first.publicKey['challenge'])
    const credential = JSON.stringify(device.get(second.publicKey))
    expect((await visitor.post(STEP, { credential })).location).toBe('/accounts/profile/')
  })

  it.each(['', '{', '[]', '"x"', 'null', '{"id":1}', `{"id":"${'x'.repeat(70_000)}"}`])(
    'answers the credential %.20j with the page',
    async (credential) => {
      await open()
      await addKey(await ada(world))
      const visitor = await visitSecondStep()
      const answer = await visitor.post(STEP, { credential })
      expect([answer.status, readPageData(answer).publicKey['allowCredentials']]).toEqual([200, [expect.anything()]])
      expect(answer.html).toContain('role="alert"')
      expect(await visitor.whoami()).toBeNull()
    },
  )

  it('shows an error when no script ran', async () => {
    await open()
    await addKey(await ada(world))
    expect((await (await visitSecondStep()).post(STEP, { credential: '' })).text).toContain(
      'Enable JavaScript for this page',
    )
  })

  it('offers only a key to a user without an app, and recovery codes below', async () => {
    await open()
    await addKey(await ada(world))
    const { text } = await (await visitSecondStep()).get(STEP)
    expect(text).toContain('Confirm with your security key')
    expect(text).toContain('Use a recovery code')
    expect(text).not.toContain('authenticator app')
  })

  it('requires a pending login', async () => {
    await open()
    const member = await ada(world)
    await addApp(world, member)
    expect((await world.visitor().get(STEP)).location).toBe(LOGIN)
    expect((await world.visitor().post(STEP, { code: '1' })).location).toBe(LOGIN)
    expect((await member.get(STEP)).location).toBe('/accounts/profile/')
    expect((await (await visitSecondStep()).get(LOGIN)).location).toBe(STEP)
  })

  it('ends with many wrong codes, also for the right one, until some time has passed', async () => {
    await open({ account: { rateLimits: { login_failed: '2/m/key' } } })
    const app = await addApp(world, await ada(world))
    const visitor = await visitSecondStep()
    for (const _ of [1, 2]) await visitor.post(STEP, { code: '000000' })
    expect((await visitor.post(STEP, { code: app() })).text).toContain('Too many attempts.')
    world.clock.advance(60_001)
    expect((await visitor.post(STEP, { code: app() })).location).toBe('/accounts/profile/')
  })

  it('lets letters be typed where recovery codes of another site were taken over', async () => {
    await open()
    const member = await ada(world)
    await addApp(world, member)
    const visitor = await visitSecondStep()
    expect((await visitor.get(STEP)).html).toContain('inputmode="numeric"')
    const { auth } = world
    const [codes] = await auth.module('mfa').authenticators.ofUser(auth.kernel.database.db, 1, ['recovery_codes'])
    await auth
      .module('mfa')
      .authenticators.update(auth.kernel.database.db, codes?.id ?? 0, { data: { migrated_codes: ['abc-def'] } })
    expect((await visitor.get(STEP)).html).not.toContain('inputmode="numeric"')
    expect((await visitor.post(STEP, { code: 'abc-def' })).location).toBe('/accounts/profile/')
  })
})

describe('trust in a browser', () => {
  it('is offered after the second step, and spares it from then on', async () => {
    await open({ mfa: { trustEnabled: true } })
    const app = await addApp(world, await ada(world))
    const visitor = await visitSecondStep()
    expect((await visitor.post(STEP, { code: app() })).location).toBe(TRUST)
    expect((await visitor.get(TRUST)).text).toContain('14 days')
    expect(await visitor.whoami()).toBeNull()
    expect((await visitor.post(TRUST, { action: 'trust' })).location).toBe('/accounts/profile/')
    expect(visitor.cookies.has('mfa_trusted')).toBe(true)
    await visitor.post('/accounts/logout/')
    expect((await visitor.login(ADA.username, PASSWORD)).location).toBe('/accounts/profile/')
    expect((await visitSecondStep()).cookies.has('mfa_trusted')).toBe(false)
  })

  it.each([{ action: 'skip' }, {}, { action: 'Trust' }])('is not given by %j', async (fields) => {
    await open({ mfa: { trustEnabled: true } })
    const app = await addApp(world, await ada(world))
    const visitor = await visitSecondStep()
    await visitor.post(STEP, { code: app() })
    expect((await visitor.post(TRUST, fields)).location).toBe('/accounts/profile/')
    expect(visitor.cookies.has('mfa_trusted')).toBe(false)
  })

  it('has no page without its setting, and none for strangers', async () => {
    await open()
    expect((await world.visitor().get(TRUST)).status).toBe(404)
    await world.close()
    await open({ mfa: { trustEnabled: true } })
    expect((await world.visitor().get(TRUST)).location).toBe(LOGIN)
    expect((await world.visitor().post(TRUST, { action: 'trust' })).location).toBe(LOGIN)
  })
})

describe('confirming by second factor', () => {
  const CODE = `${TWO}reauthenticate/`
  const KEY = `${TWO}webauthn/reauthenticate/`
  const CODES = `${TWO}recovery-codes/`
  const later = (): void => world.clock.advance(400_000)

  it('takes a code of the app', async () => {
    await open()
    const member = await ada(world)
    const app = await addApp(world, member)
    later()
    expect((await member.get(CODES)).location).toBe(`/accounts/reauthenticate/?next=${CODES}`)
    const others = await member.get(`/accounts/reauthenticate/?next=${CODES}`)
    expect(others.html).toContain(`href="${CODE}?next=${CODES}"`)
    expect((await member.post(CODE, { code: '000000', next: CODES })).text).toContain('Incorrect code.')
    expect((await member.post(CODE, { code: app(), next: CODES })).location).toBe(CODES)
    expect((await member.get(CODES)).status).toBe(200)
  })

  it('takes a security key; another one leads back to the question, with a message', async () => {
    await open()
    const member = await ada(world)
    const device = await addKey(member)
    later()
    const page = await member.get(`${KEY}?next=${CODES}`)
    const forged = JSON.stringify(device.get(readPageData(page).publicKey, { forged: true }))
    const wrong = await member.post(KEY, { credential: forged, next: CODES })
    expect(wrong.location).toBe(`${LOGIN}?next=${CODES}`)
    const asked = await member.follow(wrong)
    expect(asked.text).toContain("This key wasn't accepted.")
    expect(asked.at).toBe(`/accounts/reauthenticate/?next=${CODES}`)
    const credential = JSON.stringify(device.get(readPageData(await member.get(`${KEY}?next=${CODES}`)).publicKey))
    expect((await member.post(KEY, { credential, next: CODES })).location).toBe(CODES)
    expect((await member.get(CODES)).status).toBe(200)
  })

  it.each([CODE, KEY])('is limited per user at %s', async (path) => {
    await open({ account: { rateLimits: { reauthenticate: '1/m/user' } } })
    const member = await ada(world)
    await addApp(world, member)
    await addKey(member)
    await member.post(path, { code: '1', credential: '' })
    expect((await member.post(path, { code: '1', credential: '' })).status).toBe(429)
  })

  it('redirects a user without factors to their methods, and strangers to sign-in', async () => {
    await open()
    const member = await ada(world)
    for (const path of [CODE, KEY]) {
      expect((await member.get(path)).location).toBe('/accounts/reauthenticate/')
      expect((await world.visitor().get(path)).location).toBe(`${LOGIN}?next=${path}`)
    }
  })
})
