import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiBench, apiBench, readPath } from '../../testing/api-bench.ts'
import { everywhere } from '../../testing/api-cases.ts'

const PATH = 'account/authenticators/recovery-codes'
const LOOKS_LIKE_A_CODE = /^\d{8}$/

describe.each(everywhere)('recovery codes, %s', (_name, client, open) => {
  let bench: ApiBench
  beforeAll(async () => {
    bench = await apiBench(client, open)
  })
  afterAll(() => bench.world.close())

  it('require sign-in', async () => {
    const visitor = (await bench.person()).visitor()
    expect((await visitor.get(PATH)).status).toBe(401)
    expect((await visitor.post(PATH, '{')).status).toBe(401)
  })

  it('return 404 if missing, however old the sign-in', async () => {
    const visitor = await (await bench.person()).login()
    bench.expireReauthentication()
    expect((await visitor.get(PATH)).body).toEqual({ status: 404 })
  })

  it('are shown every time', async () => {
    const visitor = await (await bench.person()).login()
    await bench.addTotp(visitor)
    const now = bench.world.clock.now() / 1_000
    const first = await visitor.get(PATH)
    expect(first.body).toEqual({
      status: 200,
      data: {
        type: 'recovery_codes',
        created_at: now,
        last_used_at: null,
        total_code_count: 10,
        unused_code_count: 10,
        unused_codes: Array.from({ length: 10 }).fill(expect.stringMatching(LOOKS_LIKE_A_CODE)),
      },
    })
    expect((await visitor.get(PATH)).body).toEqual(first.body)
  })

  it('are no longer shown once used', async () => {
    const visitor = await (await bench.person()).login()
    await bench.addTotp(visitor)
    const codes = await bench.recoveryCodes(visitor)
    expect((await visitor.post('auth/2fa/reauthenticate', { code: codes[2] })).status).toBe(200)
    expect((await visitor.get(PATH)).body).toMatchObject({
      data: {
        last_used_at: bench.world.clock.now() / 1_000,
        total_code_count: 10,
        unused_code_count: 9,
        unused_codes: codes.filter((code) => code !== codes[2]),
      },
    })
  })

  it('are replaced by new ones', async () => {
    const person = await bench.person()
    const visitor = await person.login()
    await bench.addTotp(visitor)
    const before = await bench.recoveryCodes(visitor)
    const answer = await visitor.post(PATH)
    expect(answer.body).toMatchObject({ status: 200, data: { type: 'recovery_codes', unused_code_count: 10 } })
    const after = await bench.recoveryCodes(visitor)
    expect(readPath(answer, 'data.unused_codes')).toEqual(after)
    expect(after.filter((code) => before.includes(code))).toEqual([])
    expect((await visitor.post('auth/2fa/reauthenticate', { code: before[0] })).status).toBe(400)
    expect((await visitor.post('auth/2fa/reauthenticate', { code: after[0] })).status).toBe(200)
    expect((await person.authenticators()).filter(({ type }) => type === 'recovery_codes')).toHaveLength(1)
  })

  it('require another factor, checked before reauthentication', async () => {
    const visitor = await (await bench.person()).login()
    bench.expireReauthentication()
    expect((await visitor.post(PATH)).body).toEqual({
      status: 400,
      errors: [
        {
          message: 'Before you can generate recovery codes, set up another second step.',
          code: 'cannot_generate_recovery_codes',
        },
      ],
    })
  })

  it('require recent authentication', async () => {
    const person = await bench.person()
    const visitor = await person.login()
    await bench.addTotp(visitor)
    bench.expireReauthentication()
    for (const answer of [await visitor.get(PATH), await visitor.post(PATH)]) {
      expect(answer.body).toMatchObject({
        status: 401,
        data: { flows: [{ id: 'reauthenticate' }, { id: 'mfa_reauthenticate', types: ['recovery_codes', 'totp'] }] },
        meta: { is_authenticated: true },
      })
      expect(readPath(answer, 'data.unused_codes')).toBeUndefined()
    }
  })

  it('are one set after two parallel requests for new ones', async () => {
    const person = await bench.person()
    const visitor = await person.login()
    await bench.addTotp(visitor)
    const answers = await Promise.all([visitor.post(PATH), visitor.post(PATH)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const stored = await bench.recoveryCodes(visitor)
    expect(answers.map((answer) => readPath(answer, 'data.unused_codes'))).toContainEqual(stored)
    expect((await person.authenticators()).filter(({ type }) => type === 'recovery_codes')).toHaveLength(1)
  })

  it('have no other method, and reject a malformed body', async () => {
    const visitor = await (await bench.person()).login()
    expect((await visitor.delete(PATH)).status).toBe(405)
    expect((await visitor.post(PATH, '{')).body).toMatchObject({ status: 400, errors: [{ code: 'invalid' }] })
  })
})

describe.each(everywhere)('recovery codes that are shown once, %s', (_name, client, open) => {
  let bench: ApiBench
  beforeAll(async () => {
    bench = await apiBench(client, open, { mfa: { recoveryCodesShowOnce: true } })
  })
  afterAll(() => bench.world.close())

  it('are only counted afterwards', async () => {
    const visitor = await (await bench.person()).login()
    await bench.addTotp(visitor)
    expect(await bench.recoveryCodes(visitor)).toHaveLength(10)
    const again = await visitor.get(PATH)
    expect(again.body).toMatchObject({ status: 200, data: { unused_code_count: 10 } })
    expect(readPath(again, 'data')).not.toHaveProperty('unused_codes')
  })

  it('count as shown if the response that generated them had them', async () => {
    const visitor = await (await bench.person()).login()
    await bench.addTotp(visitor)
    expect(readPath(await visitor.post(PATH), 'data.unused_codes')).toHaveLength(10)
    expect(await bench.recoveryCodes(visitor)).toEqual([])
  })
})
