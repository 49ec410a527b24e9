import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiBench, apiBench, readPath } from '../../testing/api-bench.ts'
import { everywhere } from '../../testing/api-cases.ts'

const PATH = 'account/authenticators'

describe.each(everywhere)('listing authenticators, %s', (_name, client, open) => {
  let bench: ApiBench
  beforeAll(async () => {
    bench = await apiBench(client, open)
  })
  afterAll(() => bench.world.close())

  it('requires sign-in', async () => {
    const visitor = (await bench.person()).visitor()
    expect((await visitor.get(PATH)).body).toMatchObject({ status: 401, meta: { is_authenticated: false } })
  })

  it('is empty at first, however old the sign-in', async () => {
    const visitor = await (await bench.person()).login()
    bench.expireReauthentication()
    expect((await visitor.get(PATH)).body).toEqual({ status: 200, data: [] })
  })

  it('lists each with the data of its type, and no secret', async () => {
    const person = await bench.person()
    const visitor = await person.login()
    const app = await bench.addTotp(visitor)
    const key = await bench.addKey(visitor, { name: 'On my desk' })
    const passkey = await bench.addKey(visitor, { name: 'Phone', passwordless: true })
    await bench.addTotp(await (await bench.person()).login())
    const created = { created_at: bench.world.clock.now() / 1_000, last_used_at: null }
    bench.world.clock.advance(1_234)
    const used = bench.world.clock.now() / 1_000
    const [code] = await bench.recoveryCodes(visitor)
    expect((await visitor.post('auth/2fa/reauthenticate', { code })).status).toBe(200)
    const answer = await visitor.get(PATH)
    expect(answer.body).toEqual({
      status: 200,
      data: [
        { type: 'totp', ...created },
        {
          type: 'recovery_codes',
          created_at: created.created_at,
          last_used_at: used,
          total_code_count: 10,
          unused_code_count: 9,
        },
        { type: 'webauthn', id: key.id, name: 'On my desk', is_passwordless: false, ...created },
        { type: 'webauthn', id: passkey.id, name: 'Phone', is_passwordless: true, ...created },
      ],
    })
    expect(JSON.stringify(answer.body)).not.toContain(app.code())
  })

  it('omits unknown facts about a key', async () => {
    const person = await bench.person()
    const visitor = await person.login()
    const { id } = await bench.addKey(visitor)
    const { auth } = bench.world
    const [row] = await auth.module('mfa').authenticators.ofUser(auth.kernel.database.db, person.user.id, ['webauthn'])
    const { data = {} } = row ?? {}
    for (const changed of [
      { ...data, credential: { ...(data['credential'] as object), clientExtensionResults: {} } }, // an object, as the browser sent it
      { ...data, credential: { ...(data['credential'] as object), clientExtensionResults: null } }, // the same
    ]) {
      await auth.module('mfa').authenticators.update(auth.kernel.database.db, id, { data: changed })
      const answer = await visitor.get(PATH)
      expect(answer.status).toBe(200)
      expect(readPath(answer, 'data.0')).not.toHaveProperty('is_passwordless')
    }
  })

  it('has no other method', async () => {
    const visitor = await (await bench.person()).login()
    expect((await visitor.post(PATH, {})).status).toBe(405)
    expect((await visitor.get(`${PATH}/`)).status).toBe(404)
  })
})
