import { testDatabases } from '@gatepost/sql/testing'
import { expect, it } from 'vitest'
import { Secret } from '../secret.ts'
import { preparedChannels } from '../testing/prepared-channels.ts'
import { sealedSetups, sqlSetupStore } from './setup-store.sql.ts'
import type { StoredSetup } from './setup-store.ts'

const setup: StoredSetup = {
  id: 's',
  accountId: 'owner',
  platform: 'weixin',
  kind: 'qr',
  fields: {},
  startedAtMs: 1,
  codes: 1,
  version: 1,
  progress: { qrcode_id: 'made-up' },
}

it.each(testDatabases)('stored setups are resealed with the newest key on %s', async (_name, open) => {
  const test = await open(preparedChannels(0))
  const presence = { id: 'a', isAlive: async () => false, close: async () => undefined }
  const [newest, old] = [new Secret('a new key'), new Secret('an old key')]
  const storeWith = (...secretKeys: readonly [Secret, ...Secret[]]) =>
    sqlSetupStore(test.database, { presence, secretKeys })
  await storeWith(old).save(setup, 9_000, 1)
  expect(await storeWith(newest).claim('s', 2)).toBeNull()
  expect(await storeWith(newest, old).claim('s', 2)).toEqual(setup)
  const table = sealedSetups(test.database, [newest, old])
  expect(await table.resealBatch(null, 10)).toEqual({ last: null, seen: 1, resealed: 1, unreadable: 0 })
  expect(await storeWith(newest).claim('s', 2)).toEqual(setup)
  await test.close()
})
