import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { migrate } from './migrate.ts'
import { openDatabase } from './open.ts'
import { openPresence } from './presence.ts'
import { type TestDatabase, testDatabases } from './testing.ts'

const DEADLINE_MS = 30_000
const timeout = { code: 'database_unavailable', status: 503, details: { reason: 'timeout' } }
const unavailable = { code: 'database_unavailable' }
const noLoss = (): void => {
  throw new Error('lost')
}
const caught = async (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  )

interface Proxy {
  readonly url: string
  /** From now on, on open and on new connections, nothing goes through; a connection stays open while its client wants. */
  silent: boolean
  /** A client that sends this text makes it silent. */
  silencedBy: string | null
  /** Connections that are open now. */
  readonly open: ReadonlySet<Socket>
  /** Resolves when `count` chunks of clients have been lost in silence. */
  lost(count: number): Promise<void>
  /** Hangs up. */
  close(): Promise<void>
}

/** Stands before the server of `target`, and acknowledges what it swallows, as the network's buffers do. */
async function startProxy(target: URL): Promise<Proxy> {
  const open = new Set<Socket>()
  let lost = 0
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    open.add(client)
    const end = (): void => {
      open.delete(client)
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) socket.on('close', end).on('error', end)
    upstream.on('data', (chunk) => proxy.silent || client.write(chunk))
    client.on('data', (chunk) => {
      if (proxy.silencedBy !== null && chunk.includes(proxy.silencedBy)) proxy.silent = true
      if (proxy.silent) lost += 1
      else upstream.write(chunk)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = new URL(target)
  url.host = `127.0.0.1:${address.port}`
  const proxy: Proxy = {
    url: url.href,
    silent: false,
    silencedBy: null,
    open,
    lost: async (count) => turnUntil(() => lost >= count),
    close: async () => {
      server.close()
      for (const client of open) client.destroy()
      await once(server, 'close')
    },
  }
  return proxy
}

async function turnUntil(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setImmediate(resolve))
}

let test: TestDatabase<object>
let proxy: Proxy
beforeEach(async () => {
  const open = testDatabases.find(([name]) => name === 'postgres')?.[1]
  if (open === undefined) throw new Error('no PostgreSQL')
  test = await open<object>()
  proxy = await startProxy(new URL(test.options.url ?? ''))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(async () => {
  const timers = vi.getTimerCount()
  vi.useRealTimers()
  try {
    await vi.waitUntil(() => proxy.open.size === 0, 100_000)
    expect(timers).toBe(0)
  } finally {
    await proxy.close()
    await test.close()
  }
})

it('fails a statement without an answer, and works again when the server answers', async () => {
  const database = await openDatabase({ url: proxy.url })
  proxy.silent = true
  const error = caught(sql`select 1`.execute(database.db))
  await proxy.lost(1)
  vi.advanceTimersByTime(DEADLINE_MS - 1)
  expect(proxy.open.size).toBe(1)
  vi.advanceTimersByTime(1)
  expect(await error).toMatchObject(timeout)
  await turnUntil(() => proxy.open.size === 0)
  proxy.silent = false
  expect((await sql`select 1 as one`.execute(database.db)).rows).toEqual([{ one: 1 }])
  await database.close()
})

it('gives every connection of the pool and everyone who waits for one an answer', async () => {
  const database = await openDatabase({ url: proxy.url })
  const all = async (count: number): Promise<unknown[]> =>
    Promise.all(Array.from({ length: count }, async () => caught(sql`select 1`.execute(database.db))))
  await all(10)
  expect(proxy.open.size).toBe(10)
  proxy.silent = true
  const errors = all(15)
  await proxy.lost(10)
  vi.advanceTimersByTime(DEADLINE_MS)
  for (const error of await errors) expect(error).toMatchObject(unavailable)
  await turnUntil(() => proxy.open.size === 0)
  proxy.silent = false
  expect(await all(15)).toEqual(Array.from({ length: 15 }, () => 'nothing was thrown'))
  await database.close()
})

it('ends the whole transaction, also one whose work goes on after the error', async () => {
  const database = await openDatabase({ url: proxy.url })
  await sql`create table kept (id int)`.execute(database.db)
  const inside: Promise<unknown>[] = []
  const error = caught(
    database.transaction(async (tx) => {
      await sql`insert into kept values (1)`.execute(tx)
      proxy.silent = true
      const late = caught(sql`insert into kept values (2)`.execute(tx))
      inside.push(late)
      await late
      proxy.silent = false
      inside.push(caught(sql`insert into kept values (3)`.execute(tx)))
    }),
  )
  await proxy.lost(1)
  vi.advanceTimersByTime(DEADLINE_MS)
  expect(await error).toMatchObject(unavailable)
  expect(await inside[0]).toMatchObject(timeout)
  expect(await inside[1]).toMatchObject(unavailable)
  expect((await sql`select id from kept`.execute(database.db)).rows).toEqual([])
  await database.close()
})

it('fails to open when the server falls silent after the password', async () => {
  proxy.silencedBy = 'set tcp_keepalives_idle'
  const opening = caught(openDatabase({ url: proxy.url }))
  await proxy.lost(1)
  vi.advanceTimersByTime(DEADLINE_MS)
  expect(await opening).toMatchObject(timeout)
})

it('lets a migration take its time, and one that waits for it', async () => {
  const database = await openDatabase({ url: proxy.url })
  const gate = Promise.withResolvers<void>()
  const migrations = [{ name: 'slow', up: async () => gate.promise }]
  const both = [1, 2].map(async () => migrate(database, { owner: 'test', nowMs: 0, migrations }))
  const waiting = sql`select 1 from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`
  while ((await waiting.execute(database.db)).rows.length === 0);
  vi.advanceTimersByTime(DEADLINE_MS * 100)
  gate.resolve()
  expect((await Promise.all(both)).flat()).toEqual(['slow'])
  await database.close()
})

it('gives up the presence when its connection is silent, and answers who asked', async () => {
  const database = await openDatabase({ url: proxy.url })
  const onLost = vi.fn<() => void>()
  const presence = await openPresence(database, { folder: '', id: 'mine', onLost })
  proxy.silent = true
  const answers = [presence.isAlive('one'), presence.isAlive('two')].map(caught)
  await proxy.lost(1)
  vi.advanceTimersByTime(DEADLINE_MS)
  expect(await answers[0]).toMatchObject(timeout)
  expect(await answers[1]).toMatchObject(unavailable)
  expect(onLost).toHaveBeenCalledTimes(1)
  expect(await presence.isAlive('mine')).toBe(false)
  await presence.close()
  await database.close()
})

it('closes a presence whose connection is silent', async () => {
  const database = await openDatabase({ url: proxy.url })
  const presence = await openPresence(database, { folder: '', onLost: noLoss })
  proxy.silent = true
  const closed = presence.close()
  await proxy.lost(1)
  vi.advanceTimersByTime(DEADLINE_MS)
  await expect(closed).resolves.toBeUndefined()
  await database.close()
})
