import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from './open.ts'
import type { Prepared } from './testing-prepared.ts'

const files = new Map<string, Promise<Buffer>>()

/** The database file that `prepared` leaves behind; made at the first call. */
export function preparedFile<Tables>(prepared: Prepared<Tables>): Promise<Buffer> {
  const known = files.get(prepared.name)
  if (known !== undefined) return known
  const made = prepareFile(prepared)
  files.set(prepared.name, made)
  return made
}

async function prepareFile<Tables>(prepared: Prepared<Tables>): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-sql-'))
  try {
    const file = join(folder, 'prepared.db')
    const database = await openDatabase<Tables>({ file })
    try {
      await prepared.run(database)
    } finally {
      // the last connection writes everything into the file
      await database.close()
    }
    return await readFile(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
