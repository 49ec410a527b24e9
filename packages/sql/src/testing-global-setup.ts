import { startPostgres } from './testing.ts'

let server: Awaited<ReturnType<typeof startPostgres>> | null = null

/** Starts PostgreSQL for the whole test run, unless `TEST_DATABASE_URL` names a server. */
export async function setup(): Promise<void> {
  if (process.env['TEST_DATABASE_URL'] !== undefined) return
  server = await startPostgres()
  process.env['TEST_DATABASE_URL'] = server.url
}

export async function teardown(): Promise<void> {
  if (server === null) return
  delete process.env['TEST_DATABASE_URL']
  await server.stop()
  server = null
}
