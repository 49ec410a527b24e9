import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import type { Visited, Visitor } from '../../testing/visitor.ts'

const OLD = 'tangerine-orbit-42'
const NEW = 'velvet-plinth-77'
const RESET = '/accounts/password/reset/'
const CONFIRM = '/accounts/password/reset/confirm/'
const COMPLETE = '/accounts/password/reset/complete/'
const DONE = '/accounts/password/reset/done/'
const passwordPair = (password: string): Record<string, string> => ({ password1: password, password2: password })

let world: AuthWorld
afterEach(() => world.close())

async function withAda(account: object = {}, open?: Parameters<typeof authWorld>[1]): Promise<void> {
  world = await authWorld({ settings: { account: { passwordResetByCodeEnabled: true, ...account } } }, open)
  await world.addUser({ username: 'ada', email: 'ada@example.org', password: OLD, verified: false })
}
const signsIn = async (password: string): Promise<boolean> => {
  const visitor = world.visitor({ ip: '192.0.2.77' })
  await visitor.login('ada', password)
  return (await visitor.whoami()) === 'ada'
}
async function readResetCodeFromMail(email: string): Promise<string> {
  return /^\s*([B-Z]{4}-[B-Z]{4})\s*$/m.exec((await world.mailTo(email)).text)?.[1] ?? ''
}
async function requestResetCode(visitor: Visitor): Promise<string> {
  await visitor.post(RESET, { email: 'ada@example.org' })
  return readResetCodeFromMail('ada@example.org')
}
const maskAddresses = ({ status, location, text, headers }: Visited): unknown => ({
  status,
  location,
  text: text.replaceAll(/\S+@example.org/g, ''),
  cookies: headers.getSetCookie().map((line) => line.replace(/=[^;]*/, '')),
})

describe('a reset by code', () => {
  it('leads from the code to a new password, and verifies the address', async () => {
    await withAda()
    const visitor = world.visitor()
    const sent = await visitor.post(RESET, { email: 'Ada@example.org' })
    expect([sent.status, sent.location]).toEqual([302, CONFIRM])
    const page = await visitor.follow(sent)
    expect(page.text).toContain('Enter your password reset code')
    expect(page.html).toContain('autocomplete="one-time-code"')

    const right = await visitor.post(CONFIRM, {
      code: (await readResetCodeFromMail('ada@example.org')).toLowerCase().replace('-', ' '),
    })
    expect([right.status, right.location]).toEqual([302, COMPLETE])
    expect((await visitor.get(CONFIRM)).location).toBe(COMPLETE)
    expect((await visitor.get(COMPLETE)).html).toContain(`action="${COMPLETE}"`)
    const done = await visitor.post(COMPLETE, passwordPair(NEW))
    expect([done.status, done.location]).toEqual([302, DONE])
    expect((await visitor.follow(done)).text).toContain('Your new password has been saved.')

    expect(await signsIn(OLD)).toBe(false)
    expect(await signsIn(NEW)).toBe(true)
    const { auth } = world
    expect(await auth.account.emails.find(auth.kernel.database.db, 1, 'ada@example.org')).toMatchObject({
      verified: true,
    })
    expect((await visitor.get(COMPLETE)).location).toBe(RESET)
  })

  it('allows three attempts', async () => {
    await withAda()
    const rejected: boolean[] = []
    world.auth.signals.on('password_reset_code_rejected', ({ last_attempt }) => void rejected.push(last_attempt))
    const visitor = world.visitor()
    const code = await requestResetCode(visitor)
    for (const wrong of ['BBBB-BBBB', '']) {
      expect((await visitor.post(CONFIRM, { code: wrong })).status).toBe(200)
    }
    expect((await visitor.post(CONFIRM, { code: 'BBBB-BBBB' })).text).toContain('Incorrect code.')
    const last = await visitor.post(CONFIRM, { code: 'BBBB-BBBB' })
    expect([last.status, last.location]).toEqual([302, '/accounts/login/'])
    expect((await visitor.follow(last)).text).toContain('Too many attempts.')
    expect((await visitor.post(CONFIRM, { code })).location).toBe(RESET)
    expect(rejected).toEqual([false, false, true])
  })

  it('works only for the visitor who requested it, and for three minutes', async () => {
    await withAda()
    const visitor = world.visitor()
    const code = await requestResetCode(visitor)
    expect((await world.visitor().post(CONFIRM, { code })).location).toBe(RESET)
    world.clock.advance(180_001)
    expect((await visitor.post(CONFIRM, { code })).location).toBe(RESET)
  })

  it('asks for the code before the password', async () => {
    await withAda()
    const visitor = world.visitor()
    expect((await visitor.get(COMPLETE)).location).toBe(RESET)
    await requestResetCode(visitor)
    expect((await visitor.get(COMPLETE)).location).toBe(CONFIRM)
    expect((await visitor.post(COMPLETE, passwordPair(NEW))).location).toBe(CONFIRM)
    expect(await signsIn(OLD)).toBe(true)
  })

  it('looks the same for an unknown address, to the last attempt', async () => {
    await withAda()
    const tell = async (email: string): Promise<readonly unknown[]> => {
      const visitor = world.visitor()
      const pages = [await visitor.post(RESET, { email }), await visitor.get(CONFIRM)]
      for (let tries = 0; tries < 4; tries += 1) pages.push(await visitor.post(CONFIRM, { code: 'BBBB-BBBB' }))
      return pages.map(maskAddresses)
    }
    expect(await tell('ada@example.org')).toEqual(await tell('eve@example.org'))
    expect((await world.mailTo('eve@example.org')).text).toContain("but there's no account with this address.")
  })

  it('accepts no code for an unknown address', async () => {
    await withAda()
    const visitor = world.visitor()
    await visitor.post(RESET, { email: 'eve@example.org' })
    for (const code of ['', '-', '   ']) expect((await visitor.post(CONFIRM, { code })).status).toBe(200)
    expect((await visitor.get(COMPLETE)).location).toBe(CONFIRM)
  })

  it('ends if the account is deactivated in the meantime', async () => {
    await withAda()
    const visitor = world.visitor()
    await visitor.post(CONFIRM, { code: await requestResetCode(visitor) })
    const { auth } = world
    await auth.kernel.users.update(auth.kernel.database.db, 1, { isActive: false })
    expect((await visitor.post(COMPLETE, passwordPair(NEW))).location).toBe(RESET)
  })

  it('signs in if the settings say so', async () => {
    await withAda({ loginOnPasswordReset: true })
    const visitor = world.visitor()
    await visitor.post(CONFIRM, { code: await requestResetCode(visitor) })
    expect((await visitor.post(COMPLETE, passwordPair(NEW))).location).toBe(DONE)
    expect(await visitor.whoami()).toBe('ada')
  })

  it.each(testDatabases)('counts once, also for two requests at the same time, on %s', async (_name, open) => {
    await withAda({}, open)
    const visitor = world.visitor()
    const code = await requestResetCode(visitor)
    const tries = await Promise.all([code, code, 'BBBB-BBBB'].map((text) => visitor.post(CONFIRM, { code: text })))
    expect(tries.map(({ status }) => status).every((status) => status < 500)).toBe(true)
    const answers = await Promise.all([
      visitor.post(COMPLETE, passwordPair(NEW)),
      visitor.post(COMPLETE, passwordPair('plinth-velvet-78')),
    ])
    expect(new Set(answers.map(({ location }) => location))).toEqual(new Set([RESET, DONE]))
    expect(await signsIn(answers[0]?.location === DONE ? NEW : 'plinth-velvet-78')).toBe(true)
  })
})
