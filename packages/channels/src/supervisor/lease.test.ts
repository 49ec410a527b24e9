import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openPresence, type Presence } from '@gatepost/sql'
import { type TestDatabase, testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChannelTables } from '../storage/schema.ts'
import { manualClock } from '../testing/clock.ts'
import { preparedChannels } from '../testing/prepared-channels.ts'
import { fence, sqlLeaseStore, keepLease, type Lease, type LeaseStore } from './lease.sql.ts'

const LIFE_MS = 15_000
const quiet = (): void => undefined
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }

describe.each(testDatabases)('leases on %s', (_name, open) => {
  let test: TestDatabase<ChannelTables>
  let folder: string
  let presences: Presence[]
  let one: LeaseStore
  let two: LeaseStore
  beforeEach(async () => {
    test = await open(preparedChannels(0))
    folder = await mkdtemp(path.join(tmpdir(), 'gatepost-lease-'))
    presences = []
    for (const id of ['one', 'two']) presences.push(await openPresence(test.database, { folder, id, onLost: quiet }))
    const [first, second] = presences.map((presence) => sqlLeaseStore(test.database, presence))
    if (!first || !second) throw new Error('no stores')
    one = first
    two = second
  })
  afterEach(async () => {
    for (const presence of presences) await presence.close()
    await test.close()
    await rm(folder, { recursive: true, force: true })
  })
  const held = async (store: LeaseStore, nowMs: number): Promise<Lease> => {
    const lease = await store.acquire('telegram/1', nowMs, LIFE_MS)
    if (!lease) throw new Error('the lease is held')
    return lease
  }
  const fenced = (lease: Lease): Promise<void> =>
    test.database.transaction((tx) => fence(tx, lease, test.database.dialect))

  it('gives a bot to one of two living processes, and other bots to the other', async () => {
    expect(await one.acquire('telegram/1', 0, LIFE_MS)).toEqual({ name: 'telegram/1', epoch: 1 })
    expect(await two.acquire('telegram/1', LIFE_MS - 1, LIFE_MS)).toBeNull()
    expect(await two.acquire('telegram/2', 0, LIFE_MS)).toEqual({ name: 'telegram/2', epoch: 1 })
    expect(await one.acquire('telegram/1', 1, LIFE_MS)).toBeNull()
  })

  it('gives it to exactly one of many that ask at the same time: free, lapsed or left by a dead one', async () => {
    for (const nowMs of [0, LIFE_MS, 2 * LIFE_MS]) {
      const requested = Array.from({ length: 10 }, (_, n) => (n % 2 ? one : two).acquire('telegram/1', nowMs, LIFE_MS))
      expect((await Promise.all(requested)).filter((lease) => lease !== null)).toHaveLength(1)
    }
    const dead = await openPresence(test.database, { folder, id: 'dead', onLost: quiet })
    await sqlLeaseStore(test.database, dead).acquire('telegram/9', 0, LIFE_MS)
    await dead.close()
    const requested = Array.from({ length: 10 }, (_, n) => (n % 2 ? one : two).acquire('telegram/9', 1, LIFE_MS))
    expect((await Promise.all(requested)).filter((lease) => lease !== null)).toHaveLength(1)
  })

  it('changes hands once it has lapsed, and the one before can neither renew nor write nor release', async () => {
    const old = await held(one, 0)
    await fenced(old)
    const next = await held(two, LIFE_MS)
    expect(next.epoch).toBe(old.epoch + 1)
    expect(await one.renew(old, 9 * LIFE_MS, '{}')).toBe(false)
    await expect(fenced(old)).rejects.toMatchObject({ code: 'lease_lost', status: 503 })
    await one.release(old, null)
    await fenced(next)
    expect(await one.acquire('telegram/1', LIFE_MS + 1, LIFE_MS)).toBeNull()
    expect(await two.renew(next, 9 * LIFE_MS, '{}')).toBe(true)
  })

  it('changes hands at once when it is released, or when its holder dies', async () => {
    await one.release(await held(one, 0), null)
    const lease = await held(two, 1)
    expect(lease.epoch).toBe(2)
    await presences[1]?.close()
    expect((await held(one, 2)).epoch).toBe(3)
  })

  it('shows what its holder reports, for as long as it holds it', async () => {
    expect(await two.report('telegram/1', 0)).toBeNull()
    const lease = await held(one, 0)
    expect(await two.report('telegram/1', 0)).toBeNull()
    await one.renew(lease, LIFE_MS, '{"a":1}')
    expect(await two.report('telegram/1', LIFE_MS - 1)).toBe('{"a":1}')
    expect(await two.report('telegram/1', LIFE_MS)).toBeNull()
    await held(two, LIFE_MS)
    expect(await one.report('telegram/1', LIFE_MS)).toBeNull()
  })

  it('lets no write of the former holder through while another one takes over', async () => {
    const old = await held(one, 0)
    const writes = Array.from({ length: 20 }, async () =>
      test.database
        .transaction(async (tx) => {
          await fence(tx, old, test.database.dialect)
          const { epoch } = await tx
            .selectFrom('lease')
            .select('epoch')
            .where('name', '=', old.name)
            .executeTakeFirstOrThrow()
          return epoch
        })
        .catch(() => old.epoch),
    )
    const taking = two.acquire('telegram/1', LIFE_MS, LIFE_MS)
    expect(new Set(await Promise.all(writes))).toEqual(new Set([old.epoch]))
    expect((await taking)?.epoch).toBe(old.epoch + 1)
  })
})

describe('keeping a lease', () => {
  type Answer = 'renewed' | 'taken' | 'fails' | 'hangs'
  interface Kept {
    readonly events: string[]
    readonly clock: ReturnType<typeof manualClock>
    answer: Answer
    report: string
    tell(): void
    end(): Promise<void>
  }

  function keep(): Kept {
    const clock = manualClock(0)
    const ending = new AbortController()
    const hanging = Promise.withResolvers<boolean>()
    const events: string[] = []
    const leases: Pick<LeaseStore, 'renew'> = {
      async renew(_lease, expiresAtMs, report) {
        events.push(`${clock.now()} ${kept.answer} ${expiresAtMs} ${report}`)
        if (kept.answer === 'fails') throw new Error('no database')
        if (kept.answer === 'hangs') return hanging.promise
        return kept.answer === 'renewed'
      },
    }
    const nothing = (): never => {
      throw new Error('not asked for here')
    }
    const keeper = keepLease({
      leases: { ...leases, acquire: nothing, release: nothing, finalReport: nothing, report: nothing },
      lease: { name: 'telegram/1', epoch: 1 },
      leaseMs: LIFE_MS,
      lapsesAtMs: LIFE_MS,
      clock,
      log,
      report: () => kept.report,
      onLost() {
        events.push(`${clock.now()} lost`)
        ending.abort()
      },
      until: ending.signal,
    })
    const kept: Kept = {
      events,
      clock,
      answer: 'renewed',
      report: 'a',
      tell: () => keeper.tell(),
      async end() {
        ending.abort()
        hanging.resolve(true)
        await keeper.done
      },
    }
    return kept
  }

  it('renews it three times in its life', async () => {
    const kept = keep()
    await kept.clock.advance(15_000)
    expect(kept.events).toEqual(['5000 renewed 20000 a', '10000 renewed 25000 a', '15000 renewed 30000 a'])
    await kept.end()
    expect(kept.clock.sleeping).toBe(0)
  })

  it('tells the others at once what has changed', async () => {
    const kept = keep()
    await kept.clock.advance(1_000)
    kept.report = 'b'
    kept.tell()
    kept.tell()
    await kept.clock.advance(5_000)
    expect(kept.events).toEqual(['1000 renewed 16000 b', '6000 renewed 21000 b'])
    await kept.end()
  })

  it('ends when another process has taken it', async () => {
    const kept = keep()
    kept.answer = 'taken'
    await kept.clock.advance(60_000)
    expect(kept.events).toEqual(['5000 taken 20000 a', '5000 lost'])
    await kept.end()
  })

  it.each<Answer>(['fails', 'hangs'])('gives it up before it lapses when the renewal %s', async (answer) => {
    const kept = keep()
    await kept.clock.advance(5_000)
    kept.answer = answer
    await kept.clock.advance(60_000)
    expect(kept.events.at(-1)).toBe('17500 lost')
    expect(kept.events.filter((event) => event.endsWith('lost'))).toHaveLength(1)
    await kept.end()
    expect(kept.clock.sleeping).toBe(0)
  })

  it('goes on when the database comes back in time', async () => {
    const kept = keep()
    kept.answer = 'fails'
    await kept.clock.advance(9_000)
    kept.answer = 'renewed'
    await kept.clock.advance(30_000)
    expect(kept.events.some((event) => event.endsWith('lost'))).toBe(false)
    await kept.end()
  })
})
