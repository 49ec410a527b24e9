import { openDatabase } from '@gatepost/sql'
import { type TestDatabase, testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AuthTables } from '../schema/tables.ts'
import { preparedAccounts } from '../../testing/prepared-accounts.ts'
import { sqlRateLimits, readStamps, type RatesByAction } from './rate-limits.sql.ts'
import type { RateLimits, RateSubject } from './rate-limits.ts'

const MINUTE = 60_000
const START = 1_763_700_000_000
const RATES = {
  login: [{ amount: 3, periodMs: MINUTE, per: 'ip' }],
  login_failed: [
    { amount: 4, periodMs: MINUTE, per: 'ip' },
    { amount: 2, periodMs: 5 * MINUTE, per: 'key' },
  ],
  two_windows: [
    { amount: 2, periodMs: 1_000, per: 'key' },
    { amount: 3, periodMs: MINUTE, per: 'key' },
    { amount: 3, periodMs: MINUTE, per: 'key' },
  ],
  change_password: [{ amount: 1, periodMs: MINUTE, per: 'user' }],
  signup: null,
} as const satisfies RatesByAction

describe.each(testDatabases)('rate limits on %s', (_name, open) => {
  let test: TestDatabase<AuthTables>
  let limits: RateLimits
  const passes = async (action: string, subject: RateSubject, nowMs: number): Promise<boolean> =>
    (await limits.take(action, subject, nowMs)).allowed
  const rows = () => test.database.db.selectFrom('gatepost_rate').selectAll().orderBy('key').execute()

  beforeEach(async () => {
    test = await open(preparedAccounts(START))
    limits = sqlRateLimits(test.database, RATES)
  })
  afterEach(async () => test.close())

  it('allows as many as the rate, and the next once the oldest has left the window', async () => {
    const ip = '192.0.2.1'
    expect(await passes('login', { ip }, START)).toBe(true)
    expect(await passes('login', { ip }, START + 10_000)).toBe(true)
    expect(await passes('login', { ip }, START + 20_000)).toBe(true)
    expect(await limits.take('login', { ip }, START + 30_000)).toEqual({ allowed: false, retryAfterMs: 30_000 })
    expect(await limits.take('login', { ip }, START + MINUTE - 1)).toEqual({ allowed: false, retryAfterMs: 1 })
    expect(await passes('login', { ip }, START + MINUTE)).toBe(true)
    expect(await limits.take('login', { ip }, START + MINUTE)).toEqual({ allowed: false, retryAfterMs: 10_000 })
    expect(await passes('login', { ip: '192.0.2.2' }, START + 30_000)).toBe(true)
  })

  it('does not record what it refuses', async () => {
    for (let at = 0; at < 3; at++) await passes('login', { ip: '192.0.2.1' }, START)
    const before = await rows()
    for (let at = 1; at < 20; at++) expect(await passes('login', { ip: '192.0.2.1' }, START + at * 1_000)).toBe(false)
    expect(await rows()).toEqual(before)
    expect(await passes('login', { ip: '192.0.2.1' }, START + MINUTE)).toBe(true)
  })

  it('takes nothing of any rate when one refuses', async () => {
    const subject = { ip: '192.0.2.1', key: 'ann@example.org' }
    expect(await passes('login_failed', subject, START)).toBe(true)
    expect(await passes('login_failed', subject, START)).toBe(true)
    for (let at = 0; at < 9; at++) expect(await passes('login_failed', subject, START)).toBe(false)
    expect(await passes('login_failed', { ...subject, key: 'bob@example.org' }, START)).toBe(true)
    expect(await passes('login_failed', { ...subject, key: 'bob@example.org' }, START)).toBe(true)
    expect(await passes('login_failed', { ...subject, key: 'eve@example.org' }, START)).toBe(false)
  })

  it('keeps the windows of two rates of one action apart, and names the longest wait', async () => {
    const subject = { key: 'k' }
    expect(await passes('two_windows', subject, START)).toBe(true)
    expect(await passes('two_windows', subject, START)).toBe(true)
    expect(await limits.take('two_windows', subject, START)).toEqual({ allowed: false, retryAfterMs: 1_000 })
    expect(await passes('two_windows', subject, START + 1_000)).toBe(true)
    expect(await limits.take('two_windows', subject, START + 1_500)).toEqual({ allowed: false, retryAfterMs: 58_500 })
    expect(await passes('two_windows', subject, START + MINUTE)).toBe(true)
  })

  it('gives back the slots of one attempt, once, and no others', async () => {
    const subject = { ip: '192.0.2.1', key: 'ann@example.org' }
    const first = await limits.take('login_failed', subject, START)
    expect(await passes('login_failed', subject, START + 1)).toBe(true)
    expect(await passes('login_failed', subject, START + 2)).toBe(false)
    if (!first.allowed) throw new Error('The first attempt was refused.')
    await first.giveBack()
    await first.giveBack()
    expect(await passes('login_failed', subject, START + 2)).toBe(true)
    expect(await passes('login_failed', subject, START + 2)).toBe(false)
  })

  it('releases a slot long after its window without effect', async () => {
    const early = await limits.take('login', { ip: '192.0.2.1' }, START)
    for (let at = 0; at < 3; at++) await passes('login', { ip: '192.0.2.1' }, START + 3 * MINUTE)
    if (!early.allowed) throw new Error('The first attempt was refused.')
    await early.giveBack()
    expect(await passes('login', { ip: '192.0.2.1' }, START + 3 * MINUTE)).toBe(false)
  })

  it('checks without taking', async () => {
    for (let at = 0; at < 9; at++) {
      const result = await limits.check('change_password', { userId: 7 }, START)
      expect(result.allowed).toBe(true)
      if (result.allowed) await result.giveBack()
    }
    expect(await rows()).toEqual([])
    expect(await passes('change_password', { userId: 7 }, START)).toBe(true)
    expect(await limits.check('change_password', { userId: 7 }, START)).toEqual({
      allowed: false,
      retryAfterMs: MINUTE,
    })
    expect(await passes('change_password', { userId: 8 }, START)).toBe(true)
  })

  it('clears the counts per key, and keeps those per IP address', async () => {
    const subject = { ip: '192.0.2.1', key: 'ann@example.org' }
    await passes('login_failed', subject, START)
    await passes('login_failed', subject, START)
    await limits.clear('login_failed', { key: 'ann@example.org' })
    expect(await passes('login_failed', subject, START)).toBe(true)
    expect(await passes('login_failed', subject, START)).toBe(true)
    await limits.clear('login_failed', { key: 'ann@example.org' })
    expect(await passes('login_failed', subject, START)).toBe(false)
  })

  it('stores neither a key nor an IPv6 address of a /64', async () => {
    await passes('login_failed', { ip: '2001:db8:1:2::3', key: 'ann@example.org' }, START)
    const keys = (await rows()).map(({ key }) => key)
    expect(keys).toEqual([
      'login_failed:2/300000/key:438c4c7afe600cdf1e455c369bec76dc970fc8ca463447c7b387a347f3c79331',
      'login_failed:4/60000/ip:2001:db8:1:2::/64',
    ])
  })

  it('counts the /64 of IPv6 as one, and a mapped address as the IPv4 that it is', async () => {
    expect(await passes('login', { ip: '2001:db8:1:2::3' }, START)).toBe(true)
    expect(await passes('login', { ip: '2001:db8:1:2:ffff::9' }, START)).toBe(true)
    expect(await passes('login', { ip: '2001:0DB8:0001:0002::' }, START)).toBe(true)
    expect(await passes('login', { ip: '2001:db8:1:2::4' }, START)).toBe(false)
    expect(await passes('login', { ip: '2001:db8:1:3::4' }, START)).toBe(true)
    for (let at = 0; at < 3; at++) expect(await passes('login', { ip: '::ffff:192.0.2.1' }, START)).toBe(true)
    expect(await passes('login', { ip: '192.0.2.1' }, START)).toBe(false)
    expect(await passes('login', { ip: '::ffff:192.0.2.2' }, START)).toBe(true)
  })

  it.each([[{}], [{ ip: null }], [{ ip: 'unknown' }], [{ ip: '' }], [{ ip: '192.0.2.1, 192.0.2.2' }]])(
    'refuses %j where the address is counted',
    async (subject) => {
      await expect(limits.take('login', subject, START)).rejects.toMatchObject({ code: 'address_unknown', status: 403 })
      await expect(limits.check('login', subject, START)).rejects.toMatchObject({ code: 'address_unknown' })
    },
  )

  it('does not count an action without limits, not even without an address', async () => {
    for (let at = 0; at < 50; at++) expect(await passes('signup', { ip: null }, START)).toBe(true)
    expect(await rows()).toEqual([])
  })

  it('refuses mistakes of its caller', async () => {
    await expect(limits.take('change_password', { ip: '192.0.2.1' }, START)).rejects.toMatchObject({
      code: 'settings_invalid',
      details: { action: 'change_password', per: 'user' },
    })
    await expect(limits.take('toString', {}, START)).rejects.toThrow('Unknown rate limit: toString')
  })

  it('outlives a clock that is set back', async () => {
    for (let at = 0; at < 3; at++) await passes('login', { ip: '192.0.2.1' }, START + 3_600_000)
    expect(await passes('login', { ip: '192.0.2.1' }, START)).toBe(true)
  })

  it('lets exactly as many pass when many come at once, through several connections', async () => {
    const other = await openDatabase<AuthTables>(test.options)
    try {
      const handles = [limits, sqlRateLimits(other, RATES)]
      const attempts = Array.from({ length: 40 }, async (_, at) => {
        const handle = handles[at % 2] ?? limits
        // Eight addresses against one key: each address has places left, the key has two.
        return handle.take('login_failed', { ip: `192.0.2.${at % 8}`, key: 'ann@example.org' }, START + (at % 3))
      })
      const results = await Promise.all(attempts)
      expect(results.filter(({ allowed }) => allowed)).toHaveLength(2)
      const taken = (await rows()).flatMap(({ key, stamps }) => (key.includes('/ip:') ? readStamps(stamps) : []))
      expect(taken).toHaveLength(2)
    } finally {
      await other.close()
    }
  })

  it('gives back and takes at once without losing a count', async () => {
    const other = sqlRateLimits(test.database, RATES)
    const subject = { ip: '192.0.2.1' }
    const first = await limits.take('login', subject, START)
    const second = await limits.take('login', subject, START + 1)
    if (!first.allowed || !second.allowed) throw new Error('Refused too early.')
    const [, , third] = await Promise.all([
      first.giveBack(),
      second.giveBack(),
      other.take('login', subject, START + 2),
    ])
    expect(third.allowed).toBe(true)
    const [row] = await rows()
    expect(row?.stamps).toBe(JSON.stringify([START + 2]))
  })

  it('sweeps rows that no longer count', async () => {
    await passes('login', { ip: '192.0.2.1' }, START)
    await passes('login_failed', { ip: '192.0.2.1', key: 'k' }, START + 30_000)
    await limits.sweep(START + MINUTE)
    expect(await rows()).toHaveLength(2)
    await limits.sweep(START + 30_000 + 5 * MINUTE - 1)
    expect(await rows()).toHaveLength(1)
    await limits.sweep(START + 30_000 + 5 * MINUTE)
    expect(await rows()).toEqual([])
  })

  it('sweeps more than one batch', async () => {
    const many = Array.from({ length: 500 }, (_, at) => at)
    for (const batch of [0, 1, 2, 3, 4]) {
      const values = many.map((at) => ({ key: `old:${batch}:${at}`, stamps: '[]', expires_at_ms: START }))
      await test.database.db.insertInto('gatepost_rate').values(values).execute()
    }
    await limits.sweep(START)
    expect(await rows()).toEqual([])
  })
})
