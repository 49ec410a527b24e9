import { afterEach, describe, expect, it } from 'vitest'
import { everywhere, statusAndPendingFlows } from '../../testing/api-cases.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'

const PASSWORD = 'tangerine-orbit-42'

let world: AuthWorld
afterEach(() => world.close())

describe.each(everywhere)('auth/session, %s', (_name, client, open) => {
  it('lists the ways to sign in when signed out', async () => {
    world = await authWorld({ settings: { headless: { enabled: true } } }, open)
    const { body } = await world.api(client).get('auth/session')
    const flows = [{ id: 'login' }, { id: 'signup' }]
    expect(body).toEqual({ status: 401, data: { flows }, meta: { is_authenticated: false } })
  })

  it('ends a session for good', async () => {
    world = await authWorld({ settings: { headless: { enabled: true }, account: { emailVerification: 'none' } } }, open)
    await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD })
    const ended: unknown[] = []
    world.auth.signals.on('user_logged_out', ({ user }) => void ended.push(user.username))
    const api = world.api(client)
    await api.post('auth/login', { username: 'ada', password: PASSWORD })
    const stolen = world.api(client)
    stolen.sessionToken = api.sessionToken
    for (const [name, value] of api.cookies) stolen.cookies.set(name, value)
    expect((await stolen.get('auth/session')).status).toBe(200)

    const answer = await api.delete('auth/session', '{') // the body is ignored
    expect(statusAndPendingFlows(answer)).toEqual([401])
    expect(answer.body).toMatchObject({ meta: { is_authenticated: false } })
    expect(answer.body).not.toHaveProperty('meta.session_token')
    expect(ended).toEqual(['ada'])
    expect((await stolen.get('auth/session')).status).toBe(client === 'app' ? 410 : 401)
  })

  it('cancels a pending login', async () => {
    const account = { loginMethods: ['email' as const], emailVerification: 'none' as const, loginByCodeEnabled: true }
    world = await authWorld({ settings: { headless: { enabled: true }, account } }, open)
    const api = world.api(client)
    expect(statusAndPendingFlows(await api.post('auth/code/request', { email: 'ada@example.org' }))).toEqual([
      401,
      'login_by_code',
    ])
    expect(statusAndPendingFlows(await api.delete('auth/session'))).toEqual([401])
    expect((await api.post('auth/code/confirm', { code: 'BBBB-BBBB' })).status).toBe(client === 'app' ? 410 : 409)
  })
})
