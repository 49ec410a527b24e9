import { randomBytes } from 'node:crypto'
import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSealer } from '../crypto/crypto.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import { sqlArtifacts } from './artifacts.sql.ts'
import type { Artifacts } from './artifacts.ts'

const NOW = 1_000_000

describe.each(testDatabases)('artifacts on %s', (_name, open) => {
  let world: AuthWorld
  let artifacts: Artifacts
  beforeEach(async () => {
    world = await authWorld({}, open)
    artifacts = world.auth.kernel.artifacts
  })
  afterEach(() => world.close())

  const db = () => world.auth.kernel.database.db
  const payload = { scopes: ['openid'] }
  const put = (kind: string, id: string, more: object = {}) =>
    artifacts.put(db(), kind, id, { payload, expiresAtMs: NOW + 1, ...more })

  it('are found by their id until they expire, and by another id', async () => {
    await put('code', 'one', { lookup: 'user-code' })
    const found = { payload, expiresAtMs: NOW + 1, consumedAtMs: null }
    expect(await artifacts.get(db(), 'code', 'one', NOW)).toEqual(found)
    expect(await artifacts.byLookup(db(), 'code', 'user-code', NOW)).toEqual(found)
    for (const [kind, id, at] of [
      ['code', 'two', NOW],
      ['grant', 'one', NOW],
      ['code', 'one', NOW + 1],
    ] as const) {
      expect(await artifacts.get(db(), kind, id, at)).toBeNull()
      expect(await artifacts.take(db(), kind, id, at)).toBeNull()
      expect(await artifacts.consume(db(), kind, id, at)).toBe(false)
    }
    expect(await artifacts.byLookup(db(), 'code', 'one', NOW)).toBeNull()
    expect(await artifacts.get(db(), 'code', 'one', NOW)).toEqual(found)
  })

  it('are taken, used and added by one of several callers at once', async () => {
    await put('code', 'one')
    await put('code', 'two')
    const three = <R>(work: () => Promise<R>): Promise<R[]> => Promise.all([work(), work(), work()])
    const taken = await three(() => artifacts.take(db(), 'code', 'one', NOW))
    expect(taken.filter((found) => found !== null)).toHaveLength(1)
    const used = await three(() => artifacts.consume(db(), 'code', 'two', NOW))
    expect(used.filter(Boolean)).toHaveLength(1)
    expect(await artifacts.get(db(), 'code', 'two', NOW)).toMatchObject({ consumedAtMs: NOW })
    const added = await three(() => artifacts.add(db(), 'mark', 'jti', { payload: null, expiresAtMs: NOW + 1 }, NOW))
    expect(added.filter(Boolean)).toHaveLength(1)
    expect(await artifacts.add(db(), 'mark', 'jti', { payload: null, expiresAtMs: NOW + 9 }, NOW + 1)).toBe(true)
  })

  it('are replaced, removed alone or with their grant, and swept', async () => {
    await put('code', 'one', { grantId: 'g' })
    await artifacts.consume(db(), 'code', 'one', NOW)
    await artifacts.put(db(), 'code', 'one', { payload: 2, expiresAtMs: NOW + 2, grantId: 'g' })
    expect(await artifacts.get(db(), 'code', 'one', NOW)).toEqual({
      payload: 2,
      expiresAtMs: NOW + 2,
      consumedAtMs: null,
    })
    await put('token', 'two', { grantId: 'g' })
    await put('token', 'three', { grantId: 'h' })
    await artifacts.removeGrant(db(), 'g')
    const left = async (): Promise<number> =>
      (await db().selectFrom('gatepost_artifact').select('key').execute()).length
    expect(await left()).toBe(1)
    await artifacts.remove(db(), 'token', 'two')
    expect([await artifacts.sweep(NOW), await left()]).toEqual([0, 1])
    expect([await artifacts.sweep(NOW + 1), await left()]).toEqual([1, 0])
  })

  it('hide their content, and cannot be swapped', async () => {
    await artifacts.put(db(), 'code', 'a-made-up-code', { payload: 'a-made-up-secret', expiresAtMs: NOW + 1 })
    const [row] = await db().selectFrom('gatepost_artifact').selectAll().execute()
    expect(JSON.stringify(row)).not.toMatch(/made-up/)
    await put('code', 'other')
    await db()
      .updateTable('gatepost_artifact')
      .set({ payload: row?.payload ?? '' })
      .execute()
    expect(await artifacts.get(db(), 'code', 'other', NOW)).toBeNull()
    const elsewhere = sqlArtifacts(world.auth.kernel.database, createSealer([randomBytes(32).toString('hex')]))
    expect(await elsewhere.get(db(), 'code', 'a-made-up-code', NOW)).toBeNull()
  })
})
