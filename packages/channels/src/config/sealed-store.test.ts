import { AsyncResource } from 'node:async_hooks'
import { setImmediate as nextTick } from 'node:timers/promises'
import { type TestDatabase, testDatabases } from '@gatepost/sql/testing'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChannelTables } from '../storage/schema.ts'
import { Secret } from '../secret.ts'
import { manualClock } from '../testing/clock.ts'
import { preparedChannels } from '../testing/prepared-channels.ts'
import type { CredentialStore, StoredChannel } from './credential-store.ts'
import { sealedCredentials, sealedCredentialStore } from './sealed-store.sql.ts'

const TOKEN = '4242424242:a-secret-of-thirty-characters-or-more'
const channel: StoredChannel = { enabled: true, allowedUsers: ['42'], credentials: { bot_token: TOKEN } }
const broken = (message: string): object => ({
  code: 'config_broken',
  status: 503,
  message: expect.stringContaining(message) as unknown,
})

describe.each(testDatabases)('sealed credentials on %s', (name, open) => {
  let test: TestDatabase<ChannelTables>
  let store: CredentialStore
  const storeWith = (key: string): CredentialStore =>
    sealedCredentialStore(test.database, [new Secret(key)], manualClock(1_000))
  beforeEach(async () => {
    test = await open(preparedChannels(0))
    store = storeWith('the key')
  })
  afterEach(() => test.close())
  const rows = (): Promise<ChannelTables['credential'][]> =>
    test.database.db.selectFrom('credential').selectAll().orderBy('platform').execute()

  it('gives back what was stored, per account and platform', async () => {
    await store.change('owner', 'telegram', () => channel)
    await store.change('owner', 'discord', () => ({ ...channel, enabled: false }))
    await store.change('other', 'telegram', () => ({ ...channel, allowedUsers: [] }))
    expect(await store.read('owner')).toEqual({ telegram: channel, discord: { ...channel, enabled: false } })
    expect(await store.read('other')).toEqual({ telegram: { ...channel, allowedUsers: [] } })
    expect(await store.read('nobody')).toEqual({})
    expect((await store.accounts()).toSorted()).toEqual(['other', 'owner'])
  })

  it('leaves nothing to read in the row, and seals the same text differently each time', async () => {
    await store.change('owner', 'telegram', () => channel)
    const [first] = await rows()
    await store.change('owner', 'telegram', () => channel)
    const [second] = await rows()
    for (const row of [first, second]) {
      const bytes = Buffer.from(row?.sealed ?? '', 'base64url').toString('latin1')
      for (const text of [JSON.stringify(row), bytes]) {
        expect(text).not.toMatch(/a-secret|bot_token|allowedUsers|4242424242|the key/)
      }
    }
    expect(second?.sealed).not.toBe(first?.sealed)
  })

  it('names the setting when the key is another one, and overwrites nothing then', async () => {
    await store.change('owner', 'telegram', () => channel)
    const before = await rows()
    const other = storeWith('another key')
    await expect(other.read('owner')).rejects.toMatchObject(broken('GATEPOST_SECRET_KEY'))
    await expect(other.change('owner', 'telegram', () => channel)).rejects.toMatchObject(broken('GATEPOST_SECRET_KEY'))
    expect(await rows()).toEqual(before)
    expect(await store.read('owner')).toEqual({ telegram: channel })
  })

  it('opens with older keys, and reseals with the newest one', async () => {
    await store.change('owner', 'telegram', () => channel)
    await store.change('other', 'discord', () => channel)
    const keys = [new Secret('new key'), new Secret('the key')] as const
    const both = sealedCredentialStore(test.database, keys, manualClock(1_000))
    expect(await both.read('owner')).toEqual({ telegram: channel })
    const table = sealedCredentials(test.database, keys)
    expect(await table.count()).toBe(2)
    const first = await table.resealBatch(null, 1)
    expect(first).toMatchObject({ seen: 1, resealed: 1, unreadable: 0 })
    expect(await table.resealBatch(first.last, 10)).toEqual({ last: null, seen: 1, resealed: 1, unreadable: 0 })
    expect(await table.resealBatch(null, 10)).toEqual({ last: null, seen: 2, resealed: 0, unreadable: 0 })
    expect(await storeWith('new key').read('owner')).toEqual({ telegram: channel })
    const lost = sealedCredentials(test.database, [new Secret('a third key')])
    expect(await lost.resealBatch(null, 10)).toEqual({ last: null, seen: 2, resealed: 0, unreadable: 2 })
  })

  it('opens a row that an earlier version stored', async () => {
    const row = {
      account_id: 'owner',
      platform: 'telegram',
      key_id: '4a9857d9d210ed13',
      sealed:
        'CQkJCQkJCQkJCQkJRH1ZQIaZkctkJOzkI1Dl0sIDOtuJuMRGNcYeKJIQ0ubAwikP1tPYAyAjkeELc0fziqkEv7VMoqVSJYug_E4dVuJNrulLCdQol8bBppfJskBW-6Cm13H3KAd9WCTlpT03GJSJJA6-BFoP3rSUxHOkp4eKlDat7fyhXEECWJzOVKv93au-1A',
      updated_at_ms: 1_000,
    }
    await test.database.db.insertInto('credential').values(row).execute()
    expect(await store.read('owner')).toEqual({ telegram: channel })
    await store.change('owner', 'telegram', () => channel)
    expect((await rows())[0]?.key_id).toBe(row.key_id)
  })

  it.each([
    ['account', { account_id: 'thief' }, 'thief'],
    ['platform', { platform: 'discord' }, 'owner'],
  ])('refuses a row that was moved to another %s', async (_what, change, accountId) => {
    await store.change('owner', 'telegram', () => channel)
    await test.database.db.updateTable('credential').set(change).execute()
    await expect(store.read(accountId)).rejects.toMatchObject(broken('they were changed'))
  })

  it('refuses a row in which any byte was changed, or the end is missing', async () => {
    await store.change('owner', 'telegram', () => channel)
    const sealed = Buffer.from((await rows())[0]?.sealed ?? '', 'base64url')
    const changed = [0, 11, 12, 27, 28, sealed.length - 1].map((index) => {
      const copy = Buffer.from(sealed)
      copy[index] = (copy[index] ?? 0) ^ 1
      return copy
    })
    const cut = [0, 11, 12, 20, 28, sealed.length - 1].map((length) => sealed.subarray(0, length))
    for (const bytes of [...changed, ...cut]) {
      await test.database.db
        .updateTable('credential')
        .set({ sealed: bytes.toString('base64url') })
        .execute()
      await expect(store.read('owner')).rejects.toMatchObject(broken('they were changed'))
    }
  })

  it('removes a channel', async () => {
    await store.change('owner', 'telegram', () => channel)
    await store.change('owner', 'telegram', () => undefined)
    expect(await store.read('owner')).toEqual({})
    expect(await rows()).toEqual([])
  })

  it('changes its revision with every change, and only then', async () => {
    const seen = [await store.revision('owner')]
    await store.change('owner', 'telegram', () => channel)
    seen.push(await store.revision('owner'), await store.revision('owner'))
    await store.change('owner', 'telegram', () => channel)
    seen.push(await store.revision('owner'))
    await store.change('other', 'telegram', () => channel)
    seen.push(await store.revision('owner'))
    expect(seen[1]).toBe(seen[2])
    expect(seen[3]).toBe(seen[4])
    expect(new Set(seen).size).toBe(3)
  })

  it('applies changes that are made at the same time one after another, the first ones too', async () => {
    const add = (user: string): Promise<void> =>
      store.change('owner', 'telegram', (now) => ({ ...channel, allowedUsers: [...(now?.allowedUsers ?? []), user] }))
    await Promise.all(Array.from({ length: 12 }, (_, n) => add(String(n))))
    expect(new Set((await store.read('owner')).telegram?.allowedUsers).size).toBe(12)
  })

  it('sees what another process stores first, also when there was nothing to lock', async () => {
    await store.change('owner', 'telegram', () => channel)
    const [row] = await rows()
    if (!row) throw new Error('nothing was stored')
    await store.change('owner', 'telegram', () => undefined)
    const seen: unknown[] = []
    const add = (): Promise<void> =>
      store.change('owner', 'telegram', (now) => {
        seen.push(now)
        return { ...channel, allowedUsers: [...(now?.allowedUsers ?? []), '43'] }
      })
    // bound out here: it does not belong to the transaction in which it is begun
    const addOutside = AsyncResource.bind(add)
    const changes: Promise<void>[] = []
    await test.database.transaction(async (tx) => {
      await tx.insertInto('credential').values(row).execute()
      changes.push(addOutside())
      const waiting = sql<{ n: number }>`select count(*)::int as n from pg_locks where not granted`
      while (name === 'postgres' && (await waiting.execute(tx)).rows[0]?.n !== 1) await nextTick()
    })
    await Promise.all(changes)
    expect(seen.at(-1)).toEqual(channel)
    expect((await store.read('owner')).telegram?.allowedUsers).toEqual(['42', '43'])
  })

  it('leaves the row as it is when the change refuses', async () => {
    await store.change('owner', 'telegram', () => channel)
    const before = await rows()
    const refusing = store.change('owner', 'telegram', () => {
      throw new Error('refused')
    })
    await expect(refusing).rejects.toThrow('refused')
    expect(await rows()).toEqual(before)
  })
})
