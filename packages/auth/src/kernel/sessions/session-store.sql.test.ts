import { createHash } from 'node:crypto'
import { testDatabases } from '@gatepost/sql/testing'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NOW_MS, type SessionWorld, sessionWorld } from '../../testing/session-world.ts'
import { storesOn } from '../../testing/stores.ts'

const MINUTE = 60_000
const DAY = 86_400_000

describe.each(testDatabases)('sessions on %s', (_name, openDatabase) => {
  let world: SessionWorld
  beforeAll(async () => {
    world = await sessionWorld(openDatabase)
  })
  beforeEach(async () => world.begin())
  afterEach(async () => expect(await world.end()).toEqual([]))
  afterAll(async () => world.close())

  it('stores and sends nothing for an empty session', async () => {
    const session = await world.open(null)
    expect(session).toMatchObject({ id: null, user: null, authenticatedAtMs: null })
    session.delete('a')
    session.cycle()
    session.flush()
    expect(await session.save()).toBeUndefined()
    expect(await world.rows()).toEqual([])
  })

  it('keeps a hash of the token, and sealed values', async () => {
    const token = await world.withValues({ secret: 'made-up words' }, world.ada)
    expect(token).toMatch(/^[\w-]{43}$/)
    const [row] = await world.rows()
    expect(Buffer.from(row?.token_hash ?? []).toString('hex')).toBe(createHash('sha256').update(token).digest('hex'))
    expect(JSON.stringify(row)).not.toMatch(/made-up|hash of ada/)
    expect(row).toMatchObject({
      user_id: String(world.ada.id),
      ip: '192.0.2.1',
      user_agent: 'a browser',
      authenticated_at_ms: NOW_MS,
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    })
    const session = await world.open(token)
    expect([session.get('secret'), session.get('other'), session.user]).toEqual(['made-up words', undefined, world.ada])
    expect(await session.save()).toBeUndefined()
  })

  it('returns the signed-in user', async () => {
    const token = await world.signedIn()
    const [row] = await world.rows()
    expect(await world.check(token)).toEqual({ sessionId: row?.id, user: world.ada, authenticatedAtMs: NOW_MS })
  })

  const refusals: readonly [why: string, spoil: (token: string) => Promise<string | undefined>, nowMs?: number][] = [
    ['a changed token', async (token) => token.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))],
    ['a shorter token', async (token) => token.slice(1)],
    ['no token', async () => ''],
    ['a token of other characters', async () => '\0'.repeat(43)],
    ['an id for a token', async () => (await world.rows())[0]?.id],
    ['another password', async () => void (await world.users.setPassword(world.db(), world.ada.id, 'another hash'))],
    ['an inactive user', async () => void (await world.users.update(world.db(), world.ada.id, { isActive: false }))],
    ['a removed user', async () => world.users.remove(world.db(), world.ada.id).then(() => undefined)],
    ['an ended session', async () => world.sessions.endAll(world.db(), world.ada.id).then(() => undefined)],
    ['a week without use', async () => undefined, NOW_MS + 7 * DAY],
  ]
  it.each(refusals)('is signed out with %s', async (_why, spoil, nowMs = NOW_MS) => {
    const token = await world.signedIn()
    const used = (await spoil(token)) ?? token
    expect(await world.check(used, nowMs)).toBeNull()
    const session = await world.open(used, nowMs)
    expect(session).toMatchObject({ id: null, user: null })
    expect(await session.save()).toBeUndefined()
  })

  it('ends two weeks after the sign-in, however often it is used, and not before', async () => {
    const token = await world.signedIn()
    for (let day = 1; day < 14; day++) {
      expect(await world.check(token, NOW_MS + day * DAY)).not.toBeNull()
      await world.sessions.settle()
    }
    expect(await world.check(token, NOW_MS + 14 * DAY - 1)).not.toBeNull()
    expect(await world.check(token, NOW_MS + 14 * DAY)).toBeNull()
  })

  it('notes at most once a minute that it was seen', async () => {
    const token = await world.signedIn()
    const seen = async (): Promise<number | undefined> => {
      await world.sessions.settle()
      return (await world.rows())[0]?.seen_at_ms
    }
    await world.check(token, NOW_MS + MINUTE - 1)
    expect(await seen()).toBe(NOW_MS)
    await Promise.all([1, 2, 3].map(async () => world.check(token, NOW_MS + MINUTE)))
    expect(await seen()).toBe(NOW_MS + MINUTE)
    await world.open(token, NOW_MS + 2 * MINUTE - 1)
    expect(await seen()).toBe(NOW_MS + MINUTE)
    await world.open(token, NOW_MS + 2 * MINUTE)
    expect(await seen()).toBe(NOW_MS + 2 * MINUTE)
    expect((await world.rows())[0]).toMatchObject({ version: 1, expires_at_ms: NOW_MS + 2 * MINUTE + 7 * DAY })
  })

  it('lists the sessions of a user, newest first, and removes those that are none any more', async () => {
    await world.signedIn(world.grace)
    const old = await world.signedIn(world.ada)
    await world.users.setPassword(world.db(), world.ada.id, 'another hash')
    const first = await world.signedIn(world.ada, NOW_MS + 1)
    await world.signedIn(world.ada, NOW_MS + 2)
    const found = await world.sessions.ofUser(world.db(), world.ada.id, NOW_MS + 3)
    expect(found).toEqual([
      expect.objectContaining({
        lastSeenAtMs: NOW_MS + 2,
        userId: world.ada.id,
        ip: '192.0.2.1',
        userAgent: 'a browser',
      }),
      expect.objectContaining({ createdAtMs: NOW_MS + 1, id: (await world.check(first))?.sessionId }),
    ])
    expect(await world.check(old)).toBeNull()
    expect(await world.rows()).toHaveLength(3)
    await world.sessions.end(
      world.db(),
      world.grace.id,
      found.map(({ id }) => id),
    )
    await world.sessions.end(world.db(), world.ada.id, [])
    expect(await world.sessions.ofUser(world.db(), world.ada.id, NOW_MS + 3)).toHaveLength(2)
    await world.sessions.end(world.db(), world.ada.id, [found[0]?.id ?? ''])
    expect(await world.check(first)).not.toBeNull()
    await world.sessions.endAll(world.db(), world.ada.id)
    expect(await world.check(first)).toBeNull()
    expect(await world.sessions.ofUser(world.db(), world.grace.id, NOW_MS)).toHaveLength(1)
  })

  it('removes only expired rows', async () => {
    await world.signedIn(world.ada)
    const live = await world.signedIn(world.ada, NOW_MS + 1)
    expect(await world.sessions.sweep(NOW_MS + 7 * DAY - 1)).toBe(0)
    expect(await world.sessions.sweep(NOW_MS + 7 * DAY)).toBe(1)
    expect(await world.check(live, NOW_MS + 7 * DAY)).not.toBeNull()
  })

  it('sweeps more than a batch', async () => {
    const bytes = world.test.database.dialect === 'sqlite' ? sql`randomblob(32)` : sql`decode(md5(n::text), 'hex')`
    await sql`insert into gatepost_session (token_hash, id, created_at_ms, seen_at_ms, expires_at_ms, persistent, user_agent, version)
      with recursive c(n) as (select 1 union all select n + 1 from c where n < 2500)
      select ${bytes}, cast(n as text), 0, 0, n, 1, '', 1 from c`.execute(world.db())
    expect(await world.sessions.sweep(2_400)).toBe(2_400)
    expect(await world.rows()).toHaveLength(100)
  })

  it('survives a key rotation with the old key as fallback, and ends without it', async () => {
    const token = await world.withValues({ a: 1 }, world.ada)
    const visitor = await world.withValues({ b: 1 })
    const old = 'a made-up key that only tests use, long enough' as const
    const next = 'another made-up key, also only used by the tests' as const
    const seen = { nowMs: NOW_MS, ip: null, userAgent: '' }
    const both = storesOn(world.test, { keys: [next, old] }).sessions
    expect((await both.open({ kind: 'token', token }, seen)).get('a')).toBe(1)
    expect(await both.check(token, NOW_MS)).not.toBeNull()
    const without = storesOn(world.test, { keys: [next] })
    expect(await without.sessions.check(token, NOW_MS)).toBeNull()
    expect((await without.sessions.open({ kind: 'token', token: visitor }, seen)).get('b')).toBeUndefined()
    expect(without.logged).toHaveLength(1)
  })
})
