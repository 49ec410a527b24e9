import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DatabaseOptions } from './database.ts'
import { openPresence, type Presence } from './presence.ts'
import { type TestDatabase, testDatabases } from './testing.ts'

const never = (): void => {
  throw new Error('lost')
}

/** Starts a process that has opened `database` and its presence `id`; answers it with the first line that it prints. */
async function start(
  database: DatabaseOptions,
  folder: string,
  id: string,
  then: string,
): Promise<[ChildProcess, string]> {
  const script = `
    import { openDatabase } from ${JSON.stringify(import.meta.resolve('./open.ts'))}
    import { openPresence } from ${JSON.stringify(import.meta.resolve('./presence.ts'))}
    const database = await openDatabase(${JSON.stringify(database)})
    const options = { folder: ${JSON.stringify(folder)}, id: ${JSON.stringify(id)}, onLost: () => process.exit(2) }
    const presence = await openPresence(database, options)
    ${then}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const line = await lines.next()
  return [child, line.done === true ? '' : line.value]
}

async function holder(database: DatabaseOptions, folder: string, id: string): Promise<ChildProcess> {
  const [child, line] = await start(database, folder, id, `console.log('open'); setInterval(() => undefined, 60_000)`)
  expect(line).toBe('open')
  return child
}

async function killed(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

describe.each(testDatabases)('%s', (name, open) => {
  let test: TestDatabase<object>
  let folder: string
  let mine: Presence
  beforeEach(async () => {
    test = await open<object>()
    folder = join(await mkdtemp(join(tmpdir(), 'gatepost-presence-')), 'presence')
    mine = await openPresence(test.database, { folder, id: 'mine', onLost: never })
  })
  afterEach(async () => {
    await mine.close()
    await test.close()
    await rm(dirname(folder), { recursive: true, force: true })
  })

  it('knows itself, another of the same process, and one that never was', async () => {
    const other = await openPresence(test.database, { folder, onLost: never })
    for (const asked of [mine, other]) {
      expect(await asked.isAlive(mine.id)).toBe(true)
      expect(await asked.isAlive(other.id)).toBe(true)
      expect(await asked.isAlive('nobody')).toBe(false)
    }
    await other.close()
    await other.close()
    expect(await mine.isAlive(other.id)).toBe(false)
    expect(await mine.isAlive(mine.id)).toBe(true)
  })

  it('sees another process alive until it is killed', async () => {
    const child = await holder(test.options, folder, 'child')
    expect(await mine.isAlive('child')).toBe(true)
    expect(await Promise.all(Array.from({ length: 5 }, async () => mine.isAlive('child')))).not.toContain(false)
    await killed(child)
    // SQLite: at once. PostgreSQL: as soon as the server has read the end of the connection.
    await vi.waitUntil(async () => !(await mine.isAlive('child')), 100_000)
    expect(await mine.isAlive('mine')).toBe(true)
  })

  it('is seen by another process, also after many questions in this one', async () => {
    const other = await openPresence(test.database, { folder, onLost: never })
    for (let round = 0; round < 20; round++) await other.isAlive('mine')
    const [, line] = await start(
      test.options,
      folder,
      'child',
      `console.log(await presence.isAlive('mine'), await presence.isAlive('nobody'))
       await presence.close()
       await database.close()`,
    )
    await other.close()
    expect(line).toBe('true false')
  })

  it('can be asked inside a transaction', async () => {
    expect(await test.database.transaction(async () => mine.isAlive('nobody'))).toBe(false)
  })

  it('refuses an id in use and an id that is a path', async () => {
    await expect(openPresence(test.database, { folder, id: 'mine', onLost: never })).rejects.toMatchObject({
      code: 'presence_taken',
    })
    await expect(openPresence(test.database, { folder, id: '../x', onLost: never })).rejects.toMatchObject({
      code: 'presence_id_invalid',
    })
    await expect(mine.isAlive('../x')).rejects.toMatchObject({ code: 'presence_id_invalid' })
    expect(await mine.isAlive('mine')).toBe(true)
  })

  it.runIf(name === 'sqlite')('removes the files of the dead and of the closed', async () => {
    const child = await holder(test.options, folder, 'child')
    await killed(child)
    expect(existsSync(join(folder, 'child.lock'))).toBe(true)
    expect(await mine.isAlive('child')).toBe(false)
    expect(await readdir(folder)).toEqual(['mine.lock'])
    await mine.close()
    expect(await readdir(folder)).toEqual([])
  })

  it.runIf(name === 'postgres')('tells once that its connection was lost', async () => {
    await mine.close()
    const onLost = vi.fn<() => void>()
    const lost = await openPresence(test.database, { folder, id: 'lost', onLost })
    await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and pid in (
      select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid())`.execute(
      test.database.db,
    )
    await vi.waitUntil(() => onLost.mock.calls.length > 0, 100_000)
    await expect(lost.isAlive('nobody')).rejects.toMatchObject({ code: 'database_unavailable' })
    expect(await lost.isAlive('lost')).toBe(false)
    await lost.close()
    expect(onLost).toHaveBeenCalledTimes(1)
  })
})
