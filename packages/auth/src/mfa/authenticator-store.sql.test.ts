import { isUniqueViolation } from '@gatepost/sql'
import { testDatabases } from '@gatepost/sql/testing'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { User } from '../kernel/users/user.ts'
import type { AuthenticatorType } from './mfa.ts'
import { type MfaWorld, mfaWorld } from './testing-bench.ts'

describe.each(testDatabases)('authenticators on %s', (_name, open) => {
  let world: MfaWorld
  let ada: User
  let grace: User
  beforeAll(async () => {
    world = await mfaWorld(open)
    ada = await world.addUser({ username: 'ada' })
    grace = await world.addUser({ username: 'grace' })
  })
  afterAll(() => world.close())
  const store = () => world.auth.module('mfa').authenticators
  const db = () => world.auth.kernel.database.db
  const insert = (user: User, type: AuthenticatorType, data: Record<string, unknown> = {}) =>
    store().insert(db(), { userId: user.id, type, data, createdAtMs: 1_700_000_000_123 })

  it('are kept as they were given, for their user, in the order of their ids', async () => {
    const data = { secret: 'ä"\'\\', nested: { list: [1, null, true, 1.5] } }
    const [key, totp, spare] = [
      await insert(ada, 'webauthn', { name: 'one' }),
      await insert(ada, 'totp', data),
      await insert(ada, 'webauthn', { name: 'two' }),
    ]
    expect(totp).toEqual({
      id: expect.any(Number),
      userId: ada.id,
      type: 'totp',
      data,
      createdAtMs: 1_700_000_000_123,
      lastUsedAtMs: null,
    })
    expect(await store().ofUser(db(), ada.id)).toEqual([key, totp, spare])
    expect(await store().ofUser(db(), ada.id, ['totp', 'recovery_codes'])).toEqual([totp])
    expect(await store().ofUser(db(), ada.id, [])).toEqual([])
    expect(await store().ofUser(db(), grace.id)).toEqual([])
    expect(await store().byId(db(), totp.id)).toEqual(totp)
  })

  it.each(['totp', 'recovery_codes'] as const)('of type %s there is one for each user', async (type) => {
    const user = await world.addUser({ username: `one ${type}` })
    await insert(user, type)
    await expect(insert(user, type)).rejects.toSatisfy(isUniqueViolation)
    await insert(grace, type)
  })

  it('change, and are gone', async () => {
    const { id } = await insert(ada, 'webauthn')
    expect(await store().update(db(), id, { data: { a: 1 } })).toMatchObject({ data: { a: 1 }, lastUsedAtMs: null })
    const used = await store().update(db(), id, { lastUsedAtMs: 1_700_000_001_456 })
    expect(used).toMatchObject({ data: { a: 1 }, lastUsedAtMs: 1_700_000_001_456 })
    expect(await store().update(db(), id, {})).toEqual(used)
    expect(await store().remove(db(), id)).toBe(true)
    expect(await store().remove(db(), id)).toBe(false)
    expect(await store().byId(db(), id)).toBeNull()
    expect(await store().update(db(), id, { data: {} })).toBeNull()
  })

  it.each([0, -1, 1.5, Number.NaN, 2 ** 53, Number.MAX_SAFE_INTEGER])('has none with the id %d', async (id) => {
    expect(await store().byId(db(), id)).toBeNull()
  })

  it('has none for an impossible user', async () => {
    expect(await store().ofUser(db(), 'nobody')).toEqual([])
  })

  it('of an old site are read, to the microsecond and of types that we know', async () => {
    const user = await world.addUser({ username: 'old' })
    const postgres = world.auth.kernel.database.dialect === 'postgres'
    for (const type of ['totp', 'sms']) {
      const time = sql`${`2026-01-02 03:04:05.678901${postgres ? '+00' : ''}`}`
      await sql`insert into mfa_authenticator (type, data, user_id, created_at) values (${type}, ${'{"secret": "x"}'}, ${user.id}, ${
        postgres ? sql`cast(${time} as timestamptz)` : time
      })`.execute(db())
    }
    expect(await store().ofUser(db(), user.id)).toMatchObject([
      { type: 'totp', data: { secret: 'x' }, createdAtMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678) },
    ])
  })
})
