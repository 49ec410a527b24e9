import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiBench, type ApiBench } from '../../testing/api-bench.ts'
import { everywhere, statusAndErrors } from '../../testing/api-cases.ts'
import type { ApiVisitor } from '../../testing/api-visitor.ts'
import { authWorld } from '../../testing/auth-world.ts'

describe.each(everywhere)('a site without providers, %s', (_name, client, open) => {
  let bench: ApiBench
  let api: ApiVisitor
  let nobody: ApiVisitor
  beforeAll(async () => {
    bench = await apiBench(client, open, { socialaccount: { enabled: true } })
    const ada = await bench.person()
    api = await ada.login()
    nobody = ada.visitor()
  })
  afterAll(() => bench.world.close())

  it('has no accounts', async () => {
    expect((await api.get('account/providers')).body).toEqual({ status: 200, data: [] })
    const table: readonly (readonly [given: unknown, ...errors: string[]])[] = [
      [{}, 'required provider', 'required account'],
      [{ provider: 'dummy', account: 7 }, 'account_not_found'],
      [{ provider: 'dummy', account: '7' }, 'account_not_found'],
    ]
    for (const [given, ...errors] of table) {
      expect([given, ...statusAndErrors(await api.delete('account/providers', given))]).toEqual([given, 400, ...errors])
    }
  })

  it.each(['GET', 'DELETE'])('requires sign-in: %s', async (method) => {
    const answer = await nobody.send(method, 'account/providers', method === 'GET' ? undefined : '{')
    expect(answer.body).toMatchObject({ status: 401, meta: { is_authenticated: false } })
  })

  it.each(['GET', 'POST'])('has no pending sign-up: %s', async (method) => {
    const answer = await nobody.send(method, 'auth/provider/signup', method === 'GET' ? undefined : '{')
    expect(answer.body).toEqual({ status: 409 })
  })

  it('rejects tokens', async () => {
    const token = { client_id: 'made-up', access_token: 'made-up' }
    const table: readonly (readonly [given: unknown, ...errors: string[]])[] = [
      [{}, 'required provider', 'required process', 'required token', 'invalid_token token'],
      [{ provider: 'dummy', process: 'erase' }, 'invalid_choice process', 'required token', 'invalid_token token'],
      [{ process: 'login', token: 7 }, 'required provider', 'invalid_token token'],
      [{ provider: 'dummy', process: 'login', token: 'x' }, 'invalid_token token'],
      [{ provider: 'dummy', process: 'login', token: {} }, 'required token'],
      [{ provider: 'dummy', process: 'login', token: { client_id: 7 } }, 'invalid_token token'],
      [{ provider: 'google', process: 'login', token: { client_id: 7 } }, 'client_id_required token'],
      [{ provider: 'dummy', process: 'erase', token }, 'invalid_choice process', 'invalid_token token'],
      [{ provider: 'dummy', process: 'connect', token }, 'invalid_token token'],
    ]
    for (const [given, ...errors] of table) {
      expect([given, ...statusAndErrors(await nobody.post('auth/provider/token', given))]).toEqual([
        given,
        400,
        ...errors,
      ])
    }
  })

  it('requires sign-in to redirect', async () => {
    const form = 'provider=dummy&process=login&callback_url=https%3A%2F%2Fevil.example%2F'
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await nobody.post('auth/provider/redirect', form, headers)
    expect([answer.status, answer.headers.get('location')]).toEqual([401, null])
    expect(answer.body).toContain('sign in with this service.')
  })

  it('redirects to the front end if there are no pages', async () => {
    const frontendUrls = {
      account_confirm_email: '/verify/{key}',
      account_reset_password_from_key: '/reset/{key}',
      socialaccount_login_error: 'https://app.example.org/error?from=here',
    }
    const headless = { enabled: true, only: true, frontendUrls }
    const world = await authWorld({ settings: { socialaccount: { enabled: true }, headless } }, open)
    const answer = await world.api(client).post('auth/provider/redirect', 'provider=dummy')
    await world.close()
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      'https://app.example.org/error?from=here&error=unknown&error_process=login',
    ])
  })

  it("doesn't exist if the module is off", async () => {
    const world = await authWorld({ settings: { headless: { enabled: true } } }, open)
    const visitor = world.api(client)
    const paths = ['account/providers', 'auth/provider/signup', 'auth/provider/redirect', 'auth/provider/token']
    const statuses = await Promise.all(paths.map(async (path) => (await visitor.get(path)).status))
    await world.close()
    expect(statuses).toEqual([404, 404, 404, 404])
  })
})
