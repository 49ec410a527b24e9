import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { migrate } from '@gatepost/sql'
import { testDatabases } from '@gatepost/sql/testing'
import { describe, expect, it } from 'vitest'
import { channelMigrations } from '../storage/migrations.ts'
import type { ChannelTables } from '../storage/schema.ts'
import { Secret } from '../secret.ts'
import type { CredentialStore } from './credential-store.ts'
import { fileCredentialStore } from './file-store.ts'
import { sealedCredentialStore } from './sealed-store.sql.ts'

const PROCESSES = 4
const CHANGES = 25

describe.each(testDatabases)('on %s', (name, open) => {
  it('loses no change when several processes change one channel at the same time', async () => {
    const test = await open<ChannelTables>()
    const dataDir = await mkdtemp(path.join(tmpdir(), 'gatepost-together-'))
    await migrate(test.database, { owner: 'channels', migrations: channelMigrations, nowMs: 0 })
    const script = `
      import { openDatabase } from '@gatepost/sql'
      import { Secret } from ${JSON.stringify(import.meta.resolve('../secret.ts'))}
      import { fileCredentialStore } from ${JSON.stringify(import.meta.resolve('./file-store.ts'))}
      import { sealedCredentialStore } from ${JSON.stringify(import.meta.resolve('./sealed-store.sql.ts'))}
      const database = await openDatabase(${JSON.stringify(test.options)})
      const dataDir = ${JSON.stringify(dataDir)}
      const store = database.dialect === 'sqlite'
        ? fileCredentialStore({ dataDir, exclusive: (work) => database.transaction(() => work()) })
        : sealedCredentialStore(database, [new Secret('key')], { now: () => 0 })
      for (let n = 0; n < ${CHANGES}; n++)
        await store.change('owner', 'telegram', (now) => ({
          enabled: true,
          credentials: {},
          allowedUsers: [...(now?.allowedUsers ?? []), process.pid + '-' + n],
        }))
      await database.close()`
    const exits = Array.from({ length: PROCESSES }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
        cwd: import.meta.dirname,
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      const [code] = await once(child, 'exit')
      return Number(code)
    })
    expect(await Promise.all(exits)).toEqual(Array.from({ length: PROCESSES }, () => 0))
    const { database } = test
    const store: CredentialStore =
      name === 'sqlite'
        ? fileCredentialStore({ dataDir, exclusive: (work) => database.transaction(() => work()) })
        : sealedCredentialStore(database, [new Secret('key')], { now: () => 0, sleep: () => Promise.resolve() })
    const users = (await store.read('owner')).telegram?.allowedUsers ?? []
    expect(new Set(users).size).toBe(PROCESSES * CHANGES)
    if (name === 'sqlite') {
      const text = await readFile(path.join(dataDir, 'accounts', 'owner', 'channels.yml'), 'utf8')
      expect(text).toMatch(/^# Channels of one account\./)
    }
    await test.close()
    await rm(dataDir, { recursive: true, force: true })
  })
})
