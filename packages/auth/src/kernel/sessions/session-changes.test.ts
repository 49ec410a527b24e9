import { testDatabases } from '@gatepost/sql/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NOW_MS, type SessionWorld, sessionWorld } from '../../testing/session-world.ts'

describe.each(testDatabases)('changes of sessions on %s', (_name, openDatabase) => {
  let world: SessionWorld
  beforeAll(async () => {
    world = await sessionWorld(openDatabase)
  })
  beforeEach(async () => world.begin())
  afterEach(async () => expect(await world.end()).toEqual([]))
  afterAll(async () => world.close())

  it("keeps the visitor's data at sign-in, under a new token", async () => {
    const before = await world.withValues({ cart: [1, 2] })
    const session = await world.open(before)
    await session.signIn(world.ada)
    const after = await world.kept(session)
    expect(after).not.toBe(before)
    expect(await world.check(before)).toBeNull()
    expect((await world.open(before)).get('cart')).toBeUndefined()
    expect((await world.open(after)).get('cart')).toEqual([1, 2])
    expect(await world.rows()).toHaveLength(1)
  })

  it('keeps nothing of another user at sign-in', async () => {
    const token = await world.withValues({ secret: 'of ada' }, world.ada)
    const [old] = await world.rows()
    const session = await world.open(token)
    await session.signIn(world.grace)
    expect([session.get('secret'), session.user]).toEqual([undefined, world.grace])
    const after = await world.kept(session)
    expect(await world.check(token)).toBeNull()
    expect(await world.check(after)).toMatchObject({ user: { username: 'grace' } })
    expect((await world.rows()).map(({ id }) => id)).not.toContain(old?.id)
    expect(await world.rows()).toHaveLength(1)
  })

  it('goes on with a new password once signed in with it', async () => {
    const token = await world.withValues({ a: 1 }, world.ada)
    const session = await world.open(token)
    await world.users.setPassword(world.db(), world.ada.id, 'another hash')
    await session.signIn(world.ada)
    const after = await world.kept(session)
    expect(await world.check(after, NOW_MS)).toMatchObject({ user: { username: 'ada' } })
    expect((await world.open(after)).get('a')).toBe(1)
  })

  it('gives the same data a new token', async () => {
    const token = await world.withValues({ a: 1 }, world.ada)
    const session = await world.open(token)
    session.cycle()
    const after = await world.kept(session)
    expect(await world.check(token)).toBeNull()
    expect((await world.open(after)).get('a')).toBe(1)
    expect(await world.check(after)).toMatchObject({ authenticatedAtMs: NOW_MS })
  })

  it('clears everything, and then starts over', async () => {
    const token = await world.withValues({ a: 1 }, world.ada)
    const session = await world.open(token)
    session.flush()
    expect(session).toMatchObject({ id: null, user: null })
    expect(session.get('a')).toBeUndefined()
    expect(await session.save()).toBeNull()
    expect(await world.rows()).toEqual([])
    session.set('b', 2)
    const after = await world.kept(session)
    expect(await world.check(token)).toBeNull()
    const next = await world.open(after)
    expect([next.get('a'), next.get('b'), next.user]).toEqual([undefined, 2, null])
  })

  it("is removed with an anonymous visitor's last value", async () => {
    const session = await world.open(await world.withValues({ a: 1 }))
    session.delete('a')
    expect(await session.save()).toBeUndefined()
    expect(await world.rows()).toEqual([])
  })

  it('sends the token again when its lifetime changes', async () => {
    const token = await world.signedIn()
    const session = await world.open(token)
    expect(session.persistent).toBe(true)
    session.persistent = false
    expect(await session.save()).toBe(token)
    expect((await world.open(token)).persistent).toBe(false)
  })

  it('writes nothing if a value is set to the same value', async () => {
    const token = await world.withValues({ a: { b: [1] } })
    const session = await world.open(token)
    session.set('a', { b: [1] })
    await session.save()
    expect((await world.rows())[0]?.version).toBe(1)
  })

  it('takes a value as it is when it is set', async () => {
    const session = await world.open(null)
    const list = [1]
    session.set('list', list)
    list.push(2)
    expect((await world.open(await world.kept(session))).get('list')).toEqual([1])
  })

  it('merges concurrent changes by key; the later one wins for the same key', async () => {
    const token = await world.withValues({ both: 0, mine: 0, gone: 0, untouched: 0 })
    const [one, two] = [await world.open(token), await world.open(token)]
    one.set('both', 1)
    one.set('one', 1)
    one.delete('gone')
    two.set('both', 2)
    two.set('mine', 2)
    expect(await one.save()).toBeUndefined()
    expect(await two.save()).toBeUndefined()
    const session = await world.open(token)
    const values = ['both', 'one', 'mine', 'gone', 'untouched'].map((key) => session.get(key))
    expect(values).toEqual([2, 1, 2, undefined, 0])
  })

  it('merges many requests at once', async () => {
    const token = await world.withValues({ a: 0 })
    const sessions = await Promise.all(Array.from({ length: 4 }, async () => world.open(token)))
    sessions.forEach((session, index) => session.set(`key ${index}`, index))
    await Promise.all(sessions.map(async (session) => session.save()))
    const merged = await world.open(token)
    expect([0, 1, 2, 3].map((index) => merged.get(`key ${index}`))).toEqual([0, 1, 2, 3])
  })

  it('lets one of two commits through', async () => {
    const token = await world.withValues({ tries: 0 })
    const sessions = await Promise.all(Array.from({ length: 5 }, async () => world.open(token)))
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
    expect((await world.open(token)).get('tries')).toBe(2)
  })

  it('sends the token of a commit when it is saved', async () => {
    const session = await world.open(null)
    session.set('a', 1)
    await session.commit()
    expect(session.id).not.toBeNull()
    const token = await world.kept(session)
    expect((await world.open(token)).get('a')).toBe(1)
  })

  it('does not bring back a session that was ended meanwhile', async () => {
    const token = await world.withValues({ secret: 1 }, world.ada)
    const session = await world.open(token)
    session.set('b', 1)
    await world.sessions.endAll(world.db(), world.ada.id)
    await expect(session.commit()).rejects.toMatchObject({ code: 'session_conflict' })
    expect(await session.save()).toBeUndefined()
    expect(await world.rows()).toEqual([])
    expect(session.user).toBeNull()
  })

  it('writes nothing of a visitor into a session that has been signed in meanwhile', async () => {
    const token = await world.withValues({ a: 1 })
    const [login, late] = [await world.open(token), await world.open(token)]
    late.set('planted', true)
    await login.signIn(world.ada)
    const after = await world.kept(login)
    expect(await late.save()).toBeUndefined()
    expect((await world.open(after)).get('planted')).toBeUndefined()
    expect(await world.rows()).toHaveLength(1)
  })

  it('gives two sign-ins at once a session each', async () => {
    const token = await world.withValues({ a: 1 })
    const [one, two] = [await world.open(token), await world.open(token)]
    two.set('own', 2)
    await one.signIn(world.ada)
    await two.signIn(world.grace)
    const tokens = [await world.kept(one), await world.kept(two)]
    expect(await Promise.all(tokens.map(async (each) => (await world.check(each))?.user.username))).toEqual([
      'ada',
      'grace',
    ])
    const session = await world.open(tokens[1] ?? null)
    expect([session.get('a'), session.get('own')]).toEqual([undefined, 2])
  })

  it('is written and rolled back with the transaction of its request', async () => {
    const token = await world.withValues({ a: 1 })
    const { database } = world.test
    let under: typeof database.db | null = null
    const session = await world.sessions.open(
      { kind: 'token', token },
      {
        nowMs: NOW_MS,
        ip: null,
        userAgent: '',
        db: () => under ?? database.db,
      },
    )
    const run = database.transaction(async (tx) => {
      under = tx
      const user = await world.users.insert(tx, { username: 'new' }, 'h', NOW_MS)
      await session.signIn(user)
      await session.commit()
      throw new Error('on purpose')
    })
    await expect(run).rejects.toThrow('on purpose')
    under = null
    expect((await world.rows())[0]).toMatchObject({ user_id: null, version: 1 })
    expect((await world.open(token)).get('a')).toBe(1)
  })
})
