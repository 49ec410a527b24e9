import { createHash } from 'node:crypto'
import {
  createSealer,
  type Database,
  deriveBytes,
  type Presence,
  type SealedTable,
  sealedTable,
  type SealingFormat,
} from '@gatepost/sql'
import { sql } from 'kysely'
import { z } from 'zod'
import { PLATFORM_IDS } from '../platform-names.ts'
import { revealKeys, type SecretKeys } from '../secret.ts'
import type { ChannelTables } from '../storage/schema.ts'
import { resealColumns } from '../storage/sealed-columns.ts'
import type { SetupStore, StoredSetup } from './setup-store.ts'

const KEY_INFO = 'gatepost setups'
const FORMAT: SealingFormat = {
  info: KEY_INFO,
  saltBytes: 16,
  order: 'tag_text',
  keyId: (secret) =>
    createHash('sha256')
      .update(deriveBytes(secret, '', KEY_INFO, 32))
      .digest('hex')
      .slice(0, 16),
}

const setupSchema: z.ZodType<StoredSetup> = z.strictObject({
  id: z.string(),
  accountId: z.string(),
  platform: z.enum(PLATFORM_IDS),
  kind: z.enum(['qr', 'paste', 'portal', 'invite']),
  fields: z.record(z.string(), z.unknown()),
  startedAtMs: z.number(),
  codes: z.number(),
  version: z.number(),
  progress: z.unknown(),
})

/** Port: `SetupStore` in setup-store.ts. Of several processes that claim a setup at once, exactly one gets it. */
export function sqlSetupStore(
  database: Database<ChannelTables>,
  { presence, secretKeys }: { readonly presence: Presence; readonly secretKeys: SecretKeys },
): SetupStore {
  const { db } = database
  const sealer = createSealer(FORMAT, revealKeys(secretKeys))
  const open = (id: string, keyId: string, sealed: string): StoredSetup | null => {
    const text = sealer.open({ keyId, bytes: Buffer.from(sealed, 'base64url') }, id)
    return text === null ? null : (setupSchema.safeParse(JSON.parse(text)).data ?? null)
  }
  return {
    async save(setup, expiresAtMs, nowMs) {
      const { keyId, bytes } = sealer.seal(JSON.stringify(setup), setup.id)
      const row = {
        account_id: setup.accountId,
        platform: setup.platform,
        holder: presence.id,
        key_id: keyId,
        sealed: Buffer.from(bytes).toString('base64url'),
        expires_at_ms: expiresAtMs,
      }
      await db.deleteFrom('setup').where('expires_at_ms', '<=', nowMs).execute()
      await db
        .insertInto('setup')
        .values({ id: setup.id, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute()
    },
    async claim(id, nowMs) {
      const row = await db
        .selectFrom('setup')
        .selectAll()
        .where('id', '=', id)
        .where('expires_at_ms', '>', nowMs)
        .executeTakeFirst()
      if (row === undefined || (await presence.isAlive(row.holder))) return null
      const claimed = await db
        .updateTable('setup')
        .set({ holder: presence.id })
        .where('id', '=', id)
        .where('holder', '=', row.holder)
        .returning('id')
        .executeTakeFirst()
      return claimed === undefined ? null : open(id, row.key_id, row.sealed)
    },
    async remove(id) {
      await db.deleteFrom('setup').where('id', '=', id).execute()
    },
    async removeAll(accountId, platform) {
      await db.deleteFrom('setup').where('account_id', '=', accountId).where('platform', '=', platform).execute()
    },
  }
}

/** Creates the `SealedTable` of the stored setups. */
export function sealedSetups(database: Database<ChannelTables>, secretKeys: SecretKeys): SealedTable {
  const sealer = createSealer(FORMAT, revealKeys(secretKeys))
  return sealedTable(database, {
    table: 'setup',
    key: sql.ref('id'),
    columns: ['key_id', 'sealed'],
    reseal: (row, id) => resealColumns(sealer, row, String(id)),
  })
}
