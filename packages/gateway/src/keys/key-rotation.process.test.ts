import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type TestDatabase, testDatabases } from '@gatepost/sql/testing'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../config/config.ts'
import { startGateway } from '../serve.ts'
import { call, type GatewayProcess, startGatewayProcess } from '../testing/crash/gateway-process.ts'

const [OLD, NEW] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'))
const ROWS = 5_000

describe.each(testDatabases)('a rotation that is killed on %s', (name, open) => {
  let database: TestDatabase<object> | null
  let root: string
  let running: GatewayProcess | null = null
  beforeEach(async () => {
    database = name === 'postgres' ? await open<object>() : null
    root = await mkdtemp(path.join(tmpdir(), 'gatepost-keys-'))
  })
  afterEach(async () => {
    await running?.kill()
    await database?.close()
    await rm(root, { recursive: true, force: true })
  })

  const settings = (keys: string): Record<string, string> => ({
    GATEPOST_DATA_DIR: root,
    GATEPOST_PORT: '0',
    GATEPOST_SECRET_KEY: keys,
    ...(database !== null && { GATEPOST_DATABASE_URL: String(database.options.url) }),
  })
  const quiet = { write: () => undefined, flush: () => undefined, close: () => undefined }

  async function fill(): Promise<void> {
    const gateway = await startGateway(readConfig(settings(String(OLD))), { sink: quiet })
    const { sealer, database: stored } = gateway.accounts.auth.kernel
    for (let from = 0; from < ROWS; from += 500) {
      const rows = Array.from({ length: 500 }, (_, index) => {
        const key = `test:${from + index}`
        return sql`(${key}, ${sealer.seal(JSON.stringify({ n: from + index }), key)}, ${Date.now() + 9e9})`
      })
      await sql`insert into gatepost_artifact (key, payload, expires_at_ms) values ${sql.join(rows)}`.execute(stored.db)
    }
    await gateway.stop()
  }

  it('goes on by itself after the restart', async () => {
    await fill()
    running = startGatewayProcess(settings(`${NEW},${OLD}`))
    const first = await running.ready
    let view = await call(first, root, 'POST', '/api/keys/rotation')
    while (Number(view['seen']) < ROWS / 10) view = await call(first, root, 'GET', '/api/keys/rotation')
    await running.kill()
    expect(view).toMatchObject({ state: 'running' })

    running = startGatewayProcess(settings(`${NEW},${OLD}`))
    const second = await running.ready
    do view = await call(second, root, 'GET', '/api/keys/rotation')
    while (view['state'] === 'running')
    expect(view).toMatchObject({ state: 'done', unreadable: 0 })
    expect(Number(view['seen'])).toBeGreaterThanOrEqual(ROWS)
    await running.stop()
    running = null

    const gateway = await startGateway(readConfig(settings(String(NEW))), { sink: quiet })
    const { sealer, database: stored } = gateway.accounts.auth.kernel
    const { rows } = await sql<{ key: string; payload: string }>`
      select key, payload from gatepost_artifact where key like 'test:%'`.execute(stored.db)
    expect(rows).toHaveLength(ROWS)
    for (const { key, payload } of rows) expect(sealer.open(payload, key)).toBe(`{"n":${key.slice(5)}}`)
    await gateway.stop()
  }, 60_000)

  it('refuses to start without the old key until it is done', async () => {
    await fill()
    running = startGatewayProcess(settings(`${NEW},${OLD}`))
    const url = await running.ready
    expect(await call(url, root, 'POST', '/api/keys/rotation')).toMatchObject({ state: 'running' })
    await running.kill()
    const without = startGateway(readConfig(settings(String(NEW))), { sink: quiet })
    await expect(without).rejects.toThrow(/encrypted with keys that are missing/)
  }, 60_000)
})
