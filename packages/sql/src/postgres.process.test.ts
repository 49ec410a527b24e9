import { inspect } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from './open.ts'
import { openPresence } from './presence.ts'
import { startPostgres } from './testing.ts'

let server: Awaited<ReturnType<typeof startPostgres>>
let stopped = false
const stop = async (): Promise<void> => {
  if (!stopped) await server.stop()
  stopped = true
}
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(stop)

const caught = async (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  )
const unavailable = { code: 'database_unavailable', status: 503 }

const SECRET = 'hunter2-%41'
const wrong = (change: (url: URL) => void): string => {
  const url = new URL(server.url)
  change(url)
  return url.href
}
const addresses: readonly [why: string, code: string, address: () => string][] = [
  ['is no address', 'database_url_invalid', () => `not an address ${SECRET}`],
  ['has another scheme', 'database_url_invalid', () => `mysql://me:${SECRET}@127.0.0.1/x`],
  ['cannot be decoded', 'database_url_invalid', () => `postgres://me:${SECRET}%ff@127.0.0.1/x`],
  [
    'names a missing certificate',
    'database_url_invalid',
    () => `postgres://me:${SECRET}@127.0.0.1/x?sslrootcert=/no/such`,
  ],
  ['is refused', 'database_unavailable', () => wrong((url) => Object.assign(url, { port: '1', password: SECRET }))],
  ['has a wrong password', 'database_unavailable', () => wrong((url) => Object.assign(url, { password: SECRET }))],
  ['names a missing database', 'database_unavailable', () => wrong((url) => Object.assign(url, { pathname: '/none' }))],
]
it.each(addresses)('keeps the password of an address that %s', async (_why, code, address) => {
  const error = await caught(openDatabase({ url: address() }))
  expect(error).toMatchObject({ code })
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('hunter2')
})

it('asks for an address or a file', async () => {
  expect(await caught(openDatabase({}))).toMatchObject({ code: 'database_url_invalid' })
})

it('survives the loss of its connections, and works again with new ones', async () => {
  const database = await openDatabase({ url: server.url })
  const killer = await openDatabase({ url: server.url })
  const killAll = sql`select pg_terminate_backend(pid) from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid()`
  const error = await caught(
    database.transaction(async (tx) => {
      await sql`select 1`.execute(tx)
      await killAll.execute(killer.db)
      await sql`select 1`.execute(tx)
    }),
  )
  expect(error).toMatchObject(unavailable)
  expect((await sql`select 1 as one`.execute(database.db)).rows).toEqual([{ one: 1 }])
  await database.close()
  await killer.close()
})

it('is unavailable when the server stops', async () => {
  const database = await openDatabase({ url: server.url })
  const lost = Promise.withResolvers<void>()
  const presence = await openPresence(database, { folder: '', onLost: lost.resolve })
  const inside = await caught(
    database.transaction(async (tx) => {
      await sql`select 1`.execute(tx)
      await stop()
      await sql`select 1`.execute(tx)
    }),
  )
  await lost.promise
  expect(inside).toMatchObject(unavailable)
  expect(await caught(sql`select 1`.execute(database.db))).toMatchObject(unavailable)
  expect(await caught(database.transaction(async () => undefined))).toMatchObject(unavailable)
  expect(await caught(presence.isAlive('other'))).toMatchObject(unavailable)
  expect(await caught(openDatabase({ url: server.url }))).toMatchObject(unavailable)
  await presence.close()
  await database.close()
})
