import { afterEach, describe, expect, it } from 'vitest'
import { mfaWorld, SECRET, SECRET_URL } from '../../mfa/testing-bench.ts'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { everywhere, statusAndErrors, statusAndPendingFlows } from '../../testing/api-cases.ts'
import type { ApiVisitor } from '../../testing/api-visitor.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'

const OTHER = { id: 'badge', description: 'Your badge', url: '/badge/' }
const PASSWORD = 'tangerine-orbit-42'

let world: AuthWorld
afterEach(() => world.close())

describe.each(everywhere)('auth/reauthenticate, %s', (_name, client, open) => {
  async function signedIn(account: AuthSettingsInput['account'] = {}): Promise<ApiVisitor> {
    const settings = { headless: { enabled: true }, account: { emailVerification: 'none' as const, ...account } }
    world = await authWorld({ settings }, open)
    await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD })
    const api = world.api(client)
    await api.post('auth/login', { username: 'ada', password: PASSWORD })
    return api
  }

  it('records the reauthentication', async () => {
    const api = await signedIn()
    world.clock.advance(60_000)
    const answer = await api.post('auth/reauthenticate', { password: PASSWORD })
    const at = world.clock.now() / 1000
    const before = { method: 'password', at: at - 60, username: 'ada' }
    const methods = [before, { method: 'password', at, reauthenticated: true }]
    expect(answer.body).toMatchObject({ status: 200, data: { methods } })
  })

  it('rejects a wrong password, and after too many attempts the right one', async () => {
    const api = await signedIn({ rateLimits: { login_failed: '3/m/key' } })
    const tried = async (given: unknown): Promise<unknown> =>
      statusAndErrors(await api.post('auth/reauthenticate', given))
    expect(await tried({})).toEqual([400, 'required password'])
    expect(await tried({ password: true })).toEqual([400, 'incorrect_password password'])
    expect(await tried({ password: `${PASSWORD} ` })).toEqual([200])
    expect(await tried({ password: 'x' })).toEqual([400, 'incorrect_password password'])
    expect(await tried({ password: 'y' })).toEqual([400, 'incorrect_password password'])
    expect(await tried({ password: PASSWORD })).toEqual([400, 'too_many_login_attempts password'])
  })

  it('accepts only the methods that the host offers', async () => {
    const site = await mfaWorld(
      open,
      { headless: { enabled: true }, account: { emailVerification: 'none' } },
      { account: { getReauthenticationMethods: () => Promise.resolve([OTHER]) } },
    )
    world = site
    const ada = await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD })
    const api = world.api(client)
    await api.post('auth/login', { username: 'ada', password: PASSWORD })
    await site.imported(ada, 'totp', { secret: SECRET })
    const given = { password: PASSWORD }
    expect(statusAndErrors(await api.post('auth/reauthenticate', given))).toEqual([400, 'incorrect_password password'])
    const code = site.appCode(SECRET_URL)
    expect(statusAndErrors(await api.post('auth/2fa/reauthenticate', { code }))).toEqual([400, 'incorrect_code code'])
    world.clock.advance(301_000)
    const asked = await api.post('account/authenticators/recovery-codes')
    expect([asked.status, JSON.stringify(asked.body)]).toEqual([401, expect.not.stringContaining('reauthenticate')])
  })

  it('requires sign-in, whatever the input', async () => {
    await signedIn()
    for (const given of [{}, { password: PASSWORD }]) {
      expect(statusAndPendingFlows(await world.api(client).post('auth/reauthenticate', given))).toEqual([401])
    }
  })

  it('is rate limited', async () => {
    const api = await signedIn({ rateLimits: { reauthenticate: '1/m/user' } })
    expect((await api.post('auth/reauthenticate', {})).status).toBe(400)
    const answer = await api.post('auth/reauthenticate', { password: PASSWORD })
    expect([answer.status, answer.body, answer.headers.get('retry-after')]).toEqual([429, { status: 429 }, '60'])
  })
})
