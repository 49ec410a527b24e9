import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import type { Database } from '@gatepost/sql'
import { z } from 'zod'
import { ChannelError } from '../errors.ts'
import type { Clock } from '../platform.ts'
import { type PlatformId, platformNamed } from '../platform-names.ts'
import type { ChannelTables } from '../schema.ts'
import type { Secret } from '../secret.ts'
import type { CredentialStore, StoredChannel, StoredChannels } from './credential-store.ts'

const stored = z.object({
  enabled: z.boolean(),
  allowedUsers: z.array(z.string()),
  credentials: z.record(z.string(), z.unknown()),
})

/**
 * One row per channel, sealed with AES-256-GCM under a key derived from the service's secret key. Account and platform
 * are authenticated with it, so that a row cannot be moved to another channel.
 */
export function sealedCredentialStore(
  database: Database<ChannelTables>,
  secretKey: Secret,
  clock: Clock,
): CredentialStore {
  const key = Buffer.from(hkdfSync('sha256', secretKey.reveal(), '', 'gatepost channel credentials', 32))
  const keyId = createHash('sha256').update(key).digest('hex').slice(0, 16)

  const seal = (accountId: string, platform: string, channel: StoredChannel): string => {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(`${accountId}/${platform}`))
    const sealed = Buffer.concat([cipher.update(JSON.stringify(channel), 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
  }
  const unseal = (row: ChannelTables['credential']): StoredChannel => {
    try {
      const bytes = Buffer.from(row.sealed, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
      decipher.setAAD(Buffer.from(`${row.account_id}/${row.platform}`)).setAuthTag(bytes.subarray(12, 28))
      return stored.parse(JSON.parse(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString()))
    } catch (error) {
      const why = row.key_id === keyId ? 'it was changed' : 'it was sealed with another GATEPOST_SECRET_KEY'
      throw new ChannelError('config_broken', {
        message: `The stored credentials of ${row.platform} cannot be opened: ${why}.`,
        cause: error,
      })
    }
  }

  return {
    async accounts() {
      const rows = await database.db.selectFrom('credential').select('account_id').distinct().execute()
      return rows.map((row) => row.account_id)
    },
    async read(accountId) {
      const rows = await database.db.selectFrom('credential').selectAll().where('account_id', '=', accountId).execute()
      const channels: Partial<Record<PlatformId, StoredChannel>> = {}
      for (const row of rows) {
        const platform = platformNamed(row.platform)
        if (platform) channels[platform] = unseal(row)
      }
      return channels satisfies StoredChannels
    },
    async change(accountId, platform, change) {
      await database.transaction(async (tx) => {
        const query = tx
          .selectFrom('credential')
          .selectAll()
          .where('account_id', '=', accountId)
          .where('platform', '=', platform)
        const row = await (database.dialect === 'postgres' ? query.forUpdate() : query).executeTakeFirst()
        const channel = change(row ? unseal(row) : undefined)
        if (!channel) {
          await tx
            .deleteFrom('credential')
            .where('account_id', '=', accountId)
            .where('platform', '=', platform)
            .execute()
          return
        }
        const values = { key_id: keyId, sealed: seal(accountId, platform, channel), updated_at_ms: clock.now() }
        await tx
          .insertInto('credential')
          .values({ account_id: accountId, platform, ...values })
          .onConflict((c) => c.columns(['account_id', 'platform']).doUpdateSet(values))
          .execute()
      })
    },
    async revision(accountId) {
      // the nonce makes every sealed text unlike the one before
      const rows = await database.db
        .selectFrom('credential')
        .select(['platform', 'sealed'])
        .where('account_id', '=', accountId)
        .orderBy('platform')
        .execute()
      return createHash('sha256').update(JSON.stringify(rows)).digest('hex')
    },
  }
}
