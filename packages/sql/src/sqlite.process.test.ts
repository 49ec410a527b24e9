import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDatabase } from './open.ts'

interface Tables {
  item: { id: number; writer: string }
}

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-sqlite-'))
  file = join(folder, 'a.db')
})
afterEach(async () => rm(folder, { recursive: true, force: true }))

/** A process that opens and migrates the file, and then adds rows in transactions: `limit` of them, or until killed. */
function writer(name: string, limit: number): ChildProcess {
  const script = `
    import { openDatabase } from ${JSON.stringify(import.meta.resolve('./open.ts'))}
    import { migrate } from ${JSON.stringify(import.meta.resolve('./migrate.ts'))}
    const database = await openDatabase({ file: ${JSON.stringify(file)} })
    const up = async (db) => db.schema.createTable('item')
      .addColumn('id', 'integer', (column) => column.primaryKey()).addColumn('writer', 'text').execute()
    await migrate(database, { owner: 'test', migrations: [{ name: 'item', up }], nowMs: 0 })
    for (let n = 0; n < ${limit}; n++) {
      await database.transaction(async (tx) => {
        const last = await tx.selectFrom('item').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
        await tx.insertInto('item').values({ id: (last?.id ?? 0) + 1, writer: ${JSON.stringify(name)} }).execute()
      })
      if (n === 50) console.log('writing')
    }
    await database.close()`
  return spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] })
}

it('lets processes start at the same time on a new file, migrate once and lose no transaction', async () => {
  const writers = ['a', 'b', 'c', 'd'].map((name) => writer(name, 200))
  const codes = await Promise.all(
    writers.map(async (child) => {
      child.stdout?.resume()
      await once(child, 'exit')
      return child.exitCode
    }),
  )
  expect(codes).toEqual([0, 0, 0, 0])
  const database = await openDatabase<Tables>({ file })
  const rows = await database.db.selectFrom('item').selectAll().orderBy('id').execute()
  await database.close()
  expect(rows.map((row) => row.id)).toEqual(Array.from({ length: 800 }, (_, index) => index + 1))
})

it('goes on after a process that was killed while writing', async () => {
  const child = writer('a', 1_000_000)
  const exit = once(child, 'exit')
  if (child.stdout !== null) await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await exit
  const database = await openDatabase<Tables>({ file })
  const rows = await database.db.selectFrom('item').select('id').orderBy('id').execute()
  await database.db
    .insertInto('item')
    .values({ id: rows.length + 1, writer: 'b' })
    .execute()
  await database.close()
  expect(rows.length).toBeGreaterThan(50)
  expect(rows.map((row) => row.id)).toEqual(Array.from({ length: rows.length }, (_, index) => index + 1))
})
