import { randomBytes } from 'node:crypto'
import { startPostgres } from './testing.ts'
import { removeRunDatabases } from './testing-postgres.ts'

let server: Awaited<ReturnType<typeof startPostgres>> | null = null

/** Starts PostgreSQL for the whole test run, unless `TEST_DATABASE_URL` names a server. */
export async function setup(): Promise<void> {
  process.env['TEST_DATABASE_RUN'] = randomBytes(4).toString('hex')
  if (process.env['TEST_DATABASE_URL'] !== undefined) return
  server = await startPostgres()
  process.env['TEST_DATABASE_URL'] = server.url
}

export async function teardown(): Promise<void> {
  const url = process.env['TEST_DATABASE_URL']
  if (server === null) {
    if (url !== undefined) await removeRunDatabases(url)
    return
  }
  delete process.env['TEST_DATABASE_URL']
  await server.stop()
  server = null
}
