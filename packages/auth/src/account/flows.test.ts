import { testDatabases } from '@gatepost/sql/testing'
import { describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../testing/auth-world.ts'
import type { Flows } from './flows.ts'

const FROM = { remoteAddress: '192.0.2.7' }
const SETTINGS = {
  account: { loginMethods: ['email'], signupFields: ['email*', 'password1*'], loginByCodeEnabled: true },
} as const

/** Code of the host that keeps its visitor's cookies. */
function program(
  world: AuthWorld,
): <R>(work: (...args: [Parameters<Flows['logout']>[0], Flows]) => Promise<R>) => Promise<R> {
  let cookie = ''
  return async (work) => {
    const request = new Request('http://auth.test/mine', { headers: cookie === '' ? {} : { cookie } })
    const { result, headers } = await world.auth.visit(request, FROM, work)
    for (const line of headers.getSetCookie()) if (line.startsWith('sessionid=')) cookie = line.split(';')[0] ?? ''
    return result
  }
}

describe.each(testDatabases)('flows for code of the host on %s', (_name, open) => {
  it('sign up, change the password, sign out and in, by password and by code', async () => {
    const world = await authWorld({ settings: SETTINGS }, open)
    const run = program(world)
    const email = 'ada@example.org'
    expect(await run((visit, flows) => flows.signup(visit, { email, password1: 'a lighthouse keeper' }))).toMatchObject(
      { kind: 'authenticated', user: { email } },
    )
    await run((visit, flows) =>
      flows.changePassword(visit, { oldPassword: 'a lighthouse keeper', password: 'another lighthouse' }),
    )
    await run((visit, flows) => flows.logout(visit))
    await expect(run((visit, flows) => flows.addresses(visit))).rejects.toMatchObject({ code: 'login_required' })
    await expect(
      run((visit, flows) => flows.login(visit, { login: email, password: 'a lighthouse keeper' })),
    ).rejects.toMatchObject({ errors: [{ code: 'email_password_mismatch' }] })
    expect(
      await run((visit, flows) => flows.login(visit, { login: email, password: 'another lighthouse' })),
    ).toMatchObject({ kind: 'authenticated' })
    await run((visit, flows) => flows.addAddress(visit, 'lovelace@example.org'))
    expect((await run((visit, flows) => flows.addresses(visit))).map((address) => address.email)).toEqual([
      email,
      'lovelace@example.org',
    ])
    await run((visit, flows) => flows.removeAddress(visit, 'lovelace@example.org'))
    await run((visit, flows) => flows.logout(visit))
    expect(await run((visit, flows) => flows.requestLoginCode(visit, { email }))).toMatchObject({
      kind: 'stage',
      stage: 'login_by_code',
    })
    const code = /[A-Z]{4}-[A-Z]{4}/.exec((await world.mailTo(email)).text)?.[0] ?? ''
    expect(await run((visit, flows) => flows.confirmLoginCode(visit, code))).toMatchObject({
      kind: 'confirmed',
      outcome: { kind: 'authenticated' },
    })
    await expect(run((visit, flows) => flows.confirmLoginCode(visit, code))).rejects.toMatchObject({
      code: 'flow_wrong_stage',
    })
    await world.close()
  })

  it('use the rate limits of the pages, and are closed when the pages are', async () => {
    const world = await authWorld(
      {
        settings: { account: { ...SETTINGS.account, rateLimits: { login: '1/h/ip' } } },
        adapters: { account: { isOpenForSignup: () => false } },
      },
      open,
    )
    const login = (): Promise<unknown> =>
      program(world)((visit, flows) => flows.login(visit, { login: 'ada@example.org', password: 'wrong' }))
    await expect(login()).rejects.toMatchObject({ errors: [{ code: 'email_password_mismatch' }] })
    await expect(login()).rejects.toMatchObject({ code: 'rate_limited', headers: { 'retry-after': '3600' } })
    await expect(
      program(world)((visit, flows) =>
        flows.signup(visit, { email: 'eve@example.org', password1: 'a lighthouse keeper' }),
      ),
    ).rejects.toMatchObject({ code: 'permission_denied' })
    await world.close()
  })
})

describe.each(testDatabases)('accounts for programs on %s', (_name, open) => {
  it('are created, deactivated, and given another password', async () => {
    const world = await authWorld({ settings: SETTINGS }, open)
    const { accounts } = world.auth
    const ada = await accounts.create({
      email: 'Ada@Example.org',
      password: 'a lighthouse keeper',
      verified: true,
      isStaff: true,
    })
    const other = await accounts.create({ email: 'ada@other.example' })
    expect([ada.username, ada.isStaff, other.hasUsablePassword]).toEqual(['ada', true, false])
    expect(other.username).toMatch(/^ada\d{6}$/)
    await expect(accounts.create({ email: 'ADA@example.org' })).rejects.toMatchObject({
      errors: [{ code: 'email_taken' }],
    })
    await expect(accounts.create({ username: 'ADA' })).rejects.toMatchObject({ errors: [{ code: 'username_taken' }] })
    const visitor = world.visitor()
    await visitor.login('ada@example.org', 'a lighthouse keeper')
    expect(await visitor.whoami()).toBe('ada')
    await accounts.setActive(ada.id, false)
    expect(await visitor.whoami()).toBeNull()
    await accounts.setActive(ada.id, true)
    await accounts.setPassword(ada.id, 'another lighthouse')
    expect(await visitor.whoami()).toBeNull()
    await visitor.login('ada@example.org', 'another lighthouse')
    await accounts.endSessions(ada.id)
    expect(await visitor.whoami()).toBeNull()
    expect((await accounts.byEmail('ada@EXAMPLE.org')).map(({ id }) => id)).toEqual([ada.id])
    await world.close()
  })
})
