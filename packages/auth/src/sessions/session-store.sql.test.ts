import { createHash } from 'node:crypto'
import { testDatabases } from '@gatepost/sql/testing'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type StoreWorld, storesOn, storeWorld } from '../testing/stores.ts'
import type { User } from '../users/user.ts'
import type { OpenSession } from './session.ts'

const NOW_MS = Date.UTC(2026, 0, 15, 12)
const MINUTE = 60_000
const DAY = 86_400_000

describe.each(testDatabases)('sessions on %s', (_name, openDatabase) => {
  let world: StoreWorld
  let ada: User
  let grace: User
  beforeAll(async () => {
    world = await storeWorld(openDatabase)
  })
  beforeEach(async () => {
    ada = await world.users.insert(db(), { username: 'ada' }, 'hash of ada', NOW_MS)
    grace = await world.users.insert(db(), { username: 'grace' }, 'hash of grace', NOW_MS)
  })
  afterEach(async () => {
    await world.sessions.settle()
    expect(world.logged.splice(0)).toEqual([])
    await world.empty()
  })
  afterAll(async () => world.close())

  const db = () => world.test.database.db
  const rows = async () => db().selectFrom('gatepost_session').selectAll().orderBy('id').execute()
  const open = async (token: string | null, nowMs = NOW_MS): Promise<OpenSession> =>
    world.sessions.open(token, { nowMs, ip: '192.0.2.1', userAgent: 'a browser' })
  const check = async (token: string | null | undefined, nowMs = NOW_MS) => world.sessions.check(token ?? '', nowMs)
  const kept = async (session: OpenSession): Promise<string> => {
    const told = await session.save()
    if (typeof told !== 'string') throw new Error('no token was told')
    return told
  }
  const signedIn = async (user = ada, nowMs = NOW_MS): Promise<string> => {
    const session = await open(null, nowMs)
    await session.signIn(user)
    return kept(session)
  }
  const withValues = async (values: Record<string, unknown>, user: User | null = null): Promise<string> => {
    const session = await open(null)
    for (const [key, value] of Object.entries(values)) session.set(key, value)
    if (user !== null) await session.signIn(user)
    return kept(session)
  }

  it('stores nothing and tells nothing for a visitor who has nothing', async () => {
    const session = await open(null)
    expect(session).toMatchObject({ id: null, user: null, authenticatedAtMs: null })
    session.delete('a')
    session.cycle()
    session.flush()
    expect(await session.save()).toBeUndefined()
    expect(await rows()).toEqual([])
  })

  it('keeps a hash of the token, and sealed values', async () => {
    const token = await withValues({ secret: 'made-up words' }, ada)
    expect(token).toMatch(/^[\w-]{43}$/)
    const [row] = await rows()
    expect(Buffer.from(row?.token_hash ?? []).toString('hex')).toBe(createHash('sha256').update(token).digest('hex'))
    expect(JSON.stringify(row)).not.toMatch(/made-up|hash of ada/)
    expect(row).toMatchObject({
      user_id: String(ada.id),
      ip: '192.0.2.1',
      user_agent: 'a browser',
      authenticated_at_ms: NOW_MS,
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    })
    const session = await open(token)
    expect([session.get('secret'), session.get('other'), session.user]).toEqual(['made-up words', undefined, ada])
    expect(await session.save()).toBeUndefined()
  })

  it('answers who is signed in', async () => {
    const token = await signedIn()
    const [row] = await rows()
    expect(await check(token)).toEqual({ sessionId: row?.id, user: ada, authenticatedAtMs: NOW_MS })
  })

  const refusals: readonly [why: string, spoil: (token: string) => Promise<string | undefined>, nowMs?: number][] = [
    ['a changed token', async (token) => token.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))],
    ['a shorter token', async (token) => token.slice(1)],
    ['no token', async () => ''],
    ['a token of other characters', async () => '\0'.repeat(43)],
    ['an id for a token', async () => (await rows())[0]?.id],
    ['another password', async () => void (await world.users.setPassword(db(), ada.id, 'another hash'))],
    ['an inactive user', async () => void (await world.users.update(db(), ada.id, { isActive: false }))],
    ['a removed user', async () => world.users.remove(db(), ada.id).then(() => undefined)],
    ['an ended session', async () => world.sessions.endAll(db(), ada.id).then(() => undefined)],
    ['a week without use', async () => undefined, NOW_MS + 7 * DAY],
  ]
  it.each(refusals)('is nobody with %s', async (_why, spoil, nowMs = NOW_MS) => {
    const token = await signedIn()
    const used = (await spoil(token)) ?? token
    expect(await check(used, nowMs)).toBeNull()
    const session = await open(used, nowMs)
    expect(session).toMatchObject({ id: null, user: null })
    expect(await session.save()).toBeUndefined()
  })

  it('ends two weeks after the sign-in, however often it is used, and not before', async () => {
    const token = await signedIn()
    for (let day = 1; day < 14; day++) {
      expect(await check(token, NOW_MS + day * DAY)).not.toBeNull()
      await world.sessions.settle()
    }
    expect(await check(token, NOW_MS + 14 * DAY - 1)).not.toBeNull()
    expect(await check(token, NOW_MS + 14 * DAY)).toBeNull()
  })

  it('notes at most once a minute that it was seen', async () => {
    const token = await signedIn()
    const seen = async (): Promise<number | undefined> => {
      await world.sessions.settle()
      return (await rows())[0]?.seen_at_ms
    }
    await check(token, NOW_MS + MINUTE - 1)
    expect(await seen()).toBe(NOW_MS)
    await Promise.all([1, 2, 3].map(async () => check(token, NOW_MS + MINUTE)))
    expect(await seen()).toBe(NOW_MS + MINUTE)
    await open(token, NOW_MS + 2 * MINUTE - 1)
    expect(await seen()).toBe(NOW_MS + MINUTE)
    await open(token, NOW_MS + 2 * MINUTE)
    expect(await seen()).toBe(NOW_MS + 2 * MINUTE)
    expect((await rows())[0]).toMatchObject({ version: 1, expires_at_ms: NOW_MS + 2 * MINUTE + 7 * DAY })
  })

  it('keeps what a visitor had at sign-in, under a new token alone', async () => {
    const before = await withValues({ cart: [1, 2] })
    const session = await open(before)
    await session.signIn(ada)
    const after = await kept(session)
    expect(after).not.toBe(before)
    expect(await check(before)).toBeNull()
    expect((await open(before)).get('cart')).toBeUndefined()
    expect((await open(after)).get('cart')).toEqual([1, 2])
    expect(await rows()).toHaveLength(1)
  })

  it('keeps nothing of another user at sign-in', async () => {
    const token = await withValues({ secret: 'of ada' }, ada)
    const [old] = await rows()
    const session = await open(token)
    await session.signIn(grace)
    expect([session.get('secret'), session.user]).toEqual([undefined, grace])
    const after = await kept(session)
    expect(await check(token)).toBeNull()
    expect(await check(after)).toMatchObject({ user: { username: 'grace' } })
    expect((await rows()).map(({ id }) => id)).not.toContain(old?.id)
    expect(await rows()).toHaveLength(1)
  })

  it('goes on with a new password once signed in with it', async () => {
    const token = await withValues({ a: 1 }, ada)
    const session = await open(token)
    await world.users.setPassword(db(), ada.id, 'another hash')
    await session.signIn(ada)
    const after = await kept(session)
    expect(await check(after, NOW_MS)).toMatchObject({ user: { username: 'ada' } })
    expect((await open(after)).get('a')).toBe(1)
  })

  it('gives the same data a new token', async () => {
    const token = await withValues({ a: 1 }, ada)
    const session = await open(token)
    session.cycle()
    const after = await kept(session)
    expect(await check(token)).toBeNull()
    expect((await open(after)).get('a')).toBe(1)
    expect(await check(after)).toMatchObject({ authenticatedAtMs: NOW_MS })
  })

  it('forgets everything, and then begins anew', async () => {
    const token = await withValues({ a: 1 }, ada)
    const session = await open(token)
    session.flush()
    expect(session).toMatchObject({ id: null, user: null })
    expect(session.get('a')).toBeUndefined()
    expect(await session.save()).toBeNull()
    expect(await rows()).toEqual([])
    session.set('b', 2)
    const after = await kept(session)
    expect(await check(token)).toBeNull()
    const next = await open(after)
    expect([next.get('a'), next.get('b'), next.user]).toEqual([undefined, 2, null])
  })

  it('is forgotten when the last value of a visitor goes', async () => {
    const session = await open(await withValues({ a: 1 }))
    session.delete('a')
    expect(await session.save()).toBeNull()
    expect(await rows()).toEqual([])
  })

  it('tells the token again when its life changes', async () => {
    const token = await signedIn()
    const session = await open(token)
    expect(session.persistent).toBe(true)
    session.persistent = false
    expect(await session.save()).toBe(token)
    expect((await open(token)).persistent).toBe(false)
  })

  it('writes nothing when a value is set to what it is', async () => {
    const token = await withValues({ a: { b: [1] } })
    const session = await open(token)
    session.set('a', { b: [1] })
    await session.save()
    expect((await rows())[0]?.version).toBe(1)
  })

  it('takes a value as it is when it is set', async () => {
    const session = await open(null)
    const list = [1]
    session.set('list', list)
    list.push(2)
    expect((await open(await kept(session))).get('list')).toEqual([1])
  })

  it('merges what two requests change at once, by keys; the later one wins on the same key', async () => {
    const token = await withValues({ both: 0, mine: 0, gone: 0, untouched: 0 })
    const [one, two] = [await open(token), await open(token)]
    one.set('both', 1)
    one.set('one', 1)
    one.delete('gone')
    two.set('both', 2)
    two.set('mine', 2)
    expect(await one.save()).toBeUndefined()
    expect(await two.save()).toBeUndefined()
    const session = await open(token)
    const values = ['both', 'one', 'mine', 'gone', 'untouched'].map((key) => session.get(key))
    expect(values).toEqual([2, 1, 2, undefined, 0])
  })

  it('merges many requests at once', async () => {
    const token = await withValues({ a: 0 })
    const sessions = await Promise.all(Array.from({ length: 4 }, async () => open(token)))
    sessions.forEach((session, index) => session.set(`key ${index}`, index))
    await Promise.all(sessions.map(async (session) => session.save()))
    const merged = await open(token)
    expect([0, 1, 2, 3].map((index) => merged.get(`key ${index}`))).toEqual([0, 1, 2, 3])
  })

  it('lets one of two commits through', async () => {
    const token = await withValues({ tries: 0 })
    const sessions = await Promise.all(Array.from({ length: 5 }, async () => open(token)))
    const results = await Promise.allSettled(
      sessions.map(async (session) => {
        session.set('tries', 1)
        await session.commit()
      }),
    )
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused).toHaveLength(4)
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'session_conflict' })
    const [winner] = sessions.filter((_session, index) => results[index]?.status === 'fulfilled')
    winner?.set('tries', 2)
    await winner?.commit()
    expect((await open(token)).get('tries')).toBe(2)
  })

  it('tells the token of a commit when it is saved', async () => {
    const session = await open(null)
    session.set('a', 1)
    await session.commit()
    expect(session.id).not.toBeNull()
    const token = await kept(session)
    expect((await open(token)).get('a')).toBe(1)
  })

  it('does not bring back a session that was ended meanwhile', async () => {
    const token = await withValues({ secret: 1 }, ada)
    const session = await open(token)
    session.set('b', 1)
    await world.sessions.endAll(db(), ada.id)
    await expect(session.commit()).rejects.toMatchObject({ code: 'session_conflict' })
    expect(await session.save()).toBeUndefined()
    expect(await rows()).toEqual([])
    expect(session.user).toBeNull()
  })

  it('writes nothing of a visitor into a session that has been signed in meanwhile', async () => {
    const token = await withValues({ a: 1 })
    const [login, late] = [await open(token), await open(token)]
    late.set('planted', true)
    await login.signIn(ada)
    const after = await kept(login)
    expect(await late.save()).toBeUndefined()
    expect((await open(after)).get('planted')).toBeUndefined()
    expect(await rows()).toHaveLength(1)
  })

  it('gives two sign-ins at once a session each', async () => {
    const token = await withValues({ a: 1 })
    const [one, two] = [await open(token), await open(token)]
    two.set('own', 2)
    await one.signIn(ada)
    await two.signIn(grace)
    const tokens = [await kept(one), await kept(two)]
    expect(await Promise.all(tokens.map(async (each) => (await check(each))?.user.username))).toEqual(['ada', 'grace'])
    const session = await open(tokens[1] ?? null)
    expect([session.get('a'), session.get('own')]).toEqual([undefined, 2])
  })

  it('is written and rolled back with the transaction of its request', async () => {
    const token = await withValues({ a: 1 })
    const { database } = world.test
    let under: typeof database.db | null = null
    const session = await world.sessions.open(token, {
      nowMs: NOW_MS,
      ip: null,
      userAgent: '',
      db: () => under ?? database.db,
    })
    const run = database.transaction(async (tx) => {
      under = tx
      const user = await world.users.insert(tx, { username: 'new' }, 'h', NOW_MS)
      await session.signIn(user)
      await session.commit()
      throw new Error('on purpose')
    })
    await expect(run).rejects.toThrow('on purpose')
    under = null
    expect((await rows())[0]).toMatchObject({ user_id: null, version: 1 })
    expect((await open(token)).get('a')).toBe(1)
  })

  it('lists the sessions of a user, newest first, and removes those that are none any more', async () => {
    await signedIn(grace)
    const old = await signedIn(ada)
    await world.users.setPassword(db(), ada.id, 'another hash')
    const first = await signedIn(ada, NOW_MS + 1)
    await signedIn(ada, NOW_MS + 2)
    const found = await world.sessions.ofUser(db(), ada.id, NOW_MS + 3)
    expect(found).toEqual([
      expect.objectContaining({ lastSeenAtMs: NOW_MS + 2, userId: ada.id, ip: '192.0.2.1', userAgent: 'a browser' }),
      expect.objectContaining({ createdAtMs: NOW_MS + 1, id: (await check(first))?.sessionId }),
    ])
    expect(await check(old)).toBeNull()
    expect(await rows()).toHaveLength(3)
    await world.sessions.end(
      db(),
      grace.id,
      found.map(({ id }) => id),
    )
    await world.sessions.end(db(), ada.id, [])
    expect(await world.sessions.ofUser(db(), ada.id, NOW_MS + 3)).toHaveLength(2)
    await world.sessions.end(db(), ada.id, [found[0]?.id ?? ''])
    expect(await check(first)).not.toBeNull()
    await world.sessions.endAll(db(), ada.id)
    expect(await check(first)).toBeNull()
    expect(await world.sessions.ofUser(db(), grace.id, NOW_MS)).toHaveLength(1)
  })

  it('sweeps what has ended, and that alone', async () => {
    await signedIn(ada)
    const live = await signedIn(ada, NOW_MS + 1)
    expect(await world.sessions.sweep(NOW_MS + 7 * DAY - 1)).toBe(0)
    expect(await world.sessions.sweep(NOW_MS + 7 * DAY)).toBe(1)
    expect(await check(live, NOW_MS + 7 * DAY)).not.toBeNull()
  })

  it('sweeps more than a batch', async () => {
    const bytes = world.test.database.dialect === 'sqlite' ? sql`randomblob(32)` : sql`decode(md5(n::text), 'hex')`
    await sql`insert into gatepost_session (token_hash, id, created_at_ms, seen_at_ms, expires_at_ms, persistent, user_agent, version)
      with recursive c(n) as (select 1 union all select n + 1 from c where n < 2500)
      select ${bytes}, cast(n as text), 0, 0, n, 1, '', 1 from c`.execute(db())
    expect(await world.sessions.sweep(2_400)).toBe(2_400)
    expect(await rows()).toHaveLength(100)
  })

  it('goes on under a new secret key in front of the old one, and without it begins anew', async () => {
    const token = await withValues({ a: 1 }, ada)
    const visitor = await withValues({ b: 1 })
    const old = 'a made-up key that only tests use, long enough' as const
    const next = 'another made-up key, also only used by the tests' as const
    const seen = { nowMs: NOW_MS, ip: null, userAgent: '' }
    const both = storesOn(world.test, { keys: [next, old] }).sessions
    expect((await both.open(token, seen)).get('a')).toBe(1)
    expect(await both.check(token, NOW_MS)).not.toBeNull()
    const without = storesOn(world.test, { keys: [next] })
    expect(await without.sessions.check(token, NOW_MS)).toBeNull()
    expect((await without.sessions.open(visitor, seen)).get('b')).toBeUndefined()
    expect(without.logged).toHaveLength(1)
  })
})
