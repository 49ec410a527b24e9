import { randomBytes } from 'node:crypto'
import { openDatabase } from '@gatepost/sql'
import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSealer } from '../crypto/crypto.ts'
import type { AuthTables } from '../schema/tables.ts'
import { manualClock } from '../../testing/clock.ts'
import { MailRefused, type MailTransport } from './mail.ts'
import { createGatedTransport, type MailBench, mailBench, mailTo, until } from './testing-bench.ts'

const MINUTE = 60_000
const DAY = 86_400_000

describe.each(testDatabases)('mail that waits on %s', (_name, open) => {
  let bench: MailBench
  beforeEach(async () => {
    bench = await mailBench(open)
  })
  afterEach(async () => bench.close())

  it('is stored sealed', async () => {
    await bench.enqueue(bench.queueOn(createGatedTransport()), mailTo('ann@example.org'))
    expect(await bench.rows()).toHaveLength(1)
    expect(JSON.stringify(await bench.rows())).not.toMatch(/ann@|example\.org|made-up-token/)
  })

  it.each([
    'ann@example.org\r\nRCPT TO:<eve@example.net>',
    'ann@example.org, eve@example.net',
    'Ann <ann@example.org>',
    'ann@example.org\u0000',
    'ann',
    '',
  ])('is dropped at once when its recipient is %j, and the log omits it', async (to) => {
    await bench.enqueue(bench.queueOn(createGatedTransport()), mailTo(to))
    expect(await bench.rows()).toEqual([])
    expect(bench.logged).toMatchObject([{ level: 'error', fields: { reason: 'the recipient is not an address' } }])
  })

  it('leaves five at a time, in the order of coming', async () => {
    const transport = createGatedTransport()
    const queue = bench.queueOn(transport)
    queue.start()
    await bench.enqueue(queue, mailTo('a@example.org'))
    bench.clock.advance(1)
    await bench.enqueue(queue, ...['b', 'c', 'd', 'e'].map((name) => mailTo(`${name}@example.org`)))
    bench.clock.advance(1)
    await bench.enqueue(queue, mailTo('f@example.org'))
    bench.clock.advance(1)
    await bench.enqueue(queue, mailTo('g@example.org'))
    await until(() => transport.begun.length === 5)
    queue.wake()
    await until(async () => (await bench.rows()).filter((row) => row.claimed_until_ms !== null).length === 5)
    expect(transport.begun).toHaveLength(5)
    transport.release()
    await until(() => transport.begun.length === 6)
    transport.release()
    await until(() => transport.begun.length === 7)
    expect(transport.begun.slice(5).map(({ to }) => to)).toEqual(['f@example.org', 'g@example.org'])
    for (let at = 0; at < 5; at++) transport.release()
    await until(bench.isEmpty)
    expect(transport.sent).toHaveLength(7)
  })

  it('does not wait behind mail that failed before', async () => {
    const failing = createGatedTransport()
    const first = bench.queueOn(failing)
    first.start()
    await bench.enqueue(first, ...Array.from({ length: 5 }, (_, at) => mailTo(`old${at}@example.org`)))
    await until(() => failing.begun.length === 5)
    for (let at = 0; at < 5; at++) failing.release(new Error('down'))
    await until(bench.isUnclaimed)
    await first.stop(0)

    bench.clock.advance(MINUTE)
    const transport = createGatedTransport()
    const second = bench.queueOn(transport)
    await bench.enqueue(second, mailTo('new@example.org'))
    second.start()
    await until(() => transport.begun.length === 5)
    expect(transport.begun.map(({ to }) => to)).toContain('new@example.org')
  })

  it('is taken over by another process if the first one dies', async () => {
    const dead = createGatedTransport()
    // Its time stands still from here on, as if it were dead: it neither sends nor gives back.
    const first = bench.queueOn(dead, { clock: manualClock(bench.clock.now()) })
    first.start()
    await bench.enqueue(first, mailTo('ann@example.org'))
    await until(() => dead.begun.length === 1)

    const database = await openDatabase<AuthTables>(bench.test.options)
    const transport = createGatedTransport()
    const second = bench.queueOn(transport, { database })
    try {
      second.start()
      bench.clock.advance(3 * MINUTE - 1)
      await bench.enqueue(second, mailTo('bob@example.org'))
      await until(() => transport.begun.length === 1)
      transport.release()
      await until(async () => (await bench.rows()).length === 1)
      await until(() => {
        bench.clock.advance(1_000)
        return transport.begun.length === 2
      })
      expect(transport.begun.map(({ to }) => to)).toEqual(['bob@example.org', 'ann@example.org'])
      transport.release()
      await until(bench.isEmpty)
    } finally {
      await second.stop(0)
      await database.close()
    }
  })

  it('is sent after a restart, without a new request', async () => {
    await bench.enqueue(bench.queueOn(createGatedTransport()), mailTo('ann@example.org'))
    const transport = createGatedTransport()
    bench.queueOn(transport).start()
    await until(() => transport.begun.length === 1)
    transport.release()
    await until(bench.isEmpty)
    expect(transport.sent).toHaveLength(1)
  })

  it('is sent once each, however many processes send', async () => {
    const database = await openDatabase<AuthTables>(bench.test.options)
    const sent: string[] = []
    const transport: MailTransport = { send: async ({ to }) => void sent.push(to) }
    const [one, other] = [bench.queueOn(transport), bench.queueOn(transport, { database })]
    try {
      const names = Array.from({ length: 60 }, (_, at) => `person${at}@example.org`)
      await bench.enqueue(one, ...names.map((name) => mailTo(name)))
      one.start()
      other.start()
      await until(async () => {
        one.wake()
        other.wake()
        return bench.isEmpty()
      })
      expect(sent.toSorted()).toEqual(names.toSorted())
    } finally {
      await other.stop(0)
      await database.close()
    }
  })

  it('is sent when the clock is set back that it was stored and begun by', async () => {
    const dead = createGatedTransport()
    const year = 365 * DAY
    bench.clock.advance(year)
    const first = bench.queueOn(dead, { clock: manualClock(bench.clock.now()) })
    first.start()
    await bench.enqueue(first, mailTo('begun@example.org'))
    await until(() => dead.begun.length === 1)
    await bench.enqueue(bench.queueOn(dead), mailTo('stored@example.org'))
    bench.clock.advance(-year)
    const transport = createGatedTransport()
    bench.queueOn(transport).start()
    await until(() => transport.begun.length === 2)
    transport.release()
    transport.release()
    await until(bench.isEmpty)
    expect(transport.sent.map(({ to }) => to).toSorted()).toEqual(['begun@example.org', 'stored@example.org'])
  })

  it('is dropped after three days of retries with backoff', async () => {
    let tries = 0
    const times: number[] = []
    const queue = bench.queueOn({
      send: async () => {
        tries += 1
        times.push(bench.clock.now())
        throw Object.assign(new Error('for ann@example.org'), { code: 'ECONNREFUSED' })
      },
    })
    queue.start()
    const beganMs = bench.clock.now()
    await bench.enqueue(queue, mailTo('ann@example.org'))
    await until(async () => {
      const [row] = await bench.rows()
      if (row?.claimed_until_ms === null && row.due_at_ms > bench.clock.now()) {
        bench.clock.advance(row.due_at_ms - bench.clock.now())
        queue.wake()
      }
      return row === undefined
    })
    expect(tries).toBeGreaterThan(15)
    expect(tries).toBeLessThan(40)
    expect((times.at(-1) ?? 0) - beganMs).toBeGreaterThan(2.5 * DAY)
    expect((times.at(-1) ?? 0) - beganMs).toBeLessThanOrEqual(3 * DAY)
    expect(bench.logged.at(-1)).toMatchObject({
      level: 'error',
      fields: { attempts: tries, reason: 'Error ECONNREFUSED' },
    })
    expect(JSON.stringify(bench.logged)).not.toContain('ann@')
  })

  it('gives its place up when a transport hangs and heeds nothing', async () => {
    const transport = createGatedTransport()
    const queue = bench.queueOn(transport)
    queue.start()
    await bench.enqueue(queue, mailTo('ann@example.org'))
    await until(() => transport.begun.length === 1)
    bench.clock.advance(2 * MINUTE)
    await until(bench.isUnclaimed)
    expect(bench.logged).toMatchObject([{ level: 'warn', fields: { attempts: 1, reason: 'MailTimeout' } }])
    bench.clock.advance(MINUTE)
    queue.wake()
    await until(() => transport.begun.length === 2)
    transport.release()
    transport.release()
    await until(bench.isEmpty)
  })

  it('is finished before the process ends', async () => {
    const transport = createGatedTransport()
    const queue = bench.queueOn(transport)
    queue.start()
    await bench.enqueue(queue, mailTo('ann@example.org'))
    await until(() => transport.begun.length === 1)
    const stopped = queue.stop(MINUTE)
    transport.release()
    await stopped
    expect(transport.sent).toHaveLength(1)
    expect(await bench.rows()).toEqual([])
  })

  it('waits for the next process when it cannot be finished in time', async () => {
    const transport = createGatedTransport()
    const queue = bench.queueOn(transport)
    queue.start()
    await bench.enqueue(queue, mailTo('ann@example.org'), mailTo('bob@example.org'))
    await until(() => transport.begun.length === 2)
    await queue.stop(0)
    expect(await bench.rows()).toMatchObject([
      { claimed_until_ms: null, due_at_ms: bench.clock.now() },
      { claimed_until_ms: null, due_at_ms: bench.clock.now() },
    ])
    expect(bench.logged).toEqual([])
  })

  it('waits when it was sealed with a key that is not there', async () => {
    const other = createSealer(['another made-up key of tests, also long enough'], randomBytes)
    await bench.enqueue(bench.queueOn(createGatedTransport(), { sealer: other }), mailTo('ann@example.org'))
    const transport = createGatedTransport()
    bench.queueOn(transport).start()
    await until(() => bench.logged.length === 1)
    expect(bench.logged).toMatchObject([{ level: 'warn', fields: { reason: 'AuthError secret_unreadable' } }])
    await until(bench.isUnclaimed)
    expect(transport.begun).toEqual([])
    expect(await bench.rows()).toHaveLength(1)
  })

  it("is dropped when a host's own transport refuses it", async () => {
    const transport = createGatedTransport()
    const queue = bench.queueOn(transport)
    queue.start()
    await bench.enqueue(queue, mailTo('ann@example.org'))
    await until(() => transport.begun.length === 1)
    transport.release(new MailRefused('ann@example.org has complained'))
    await until(bench.isEmpty)
    expect(bench.logged).toMatchObject([{ level: 'error', fields: { reason: 'MailRefused' } }])
  })
})
