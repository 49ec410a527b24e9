import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import type { Database } from '@gatepost/sql'
import { z } from 'zod'
import { ChannelError } from '../errors.ts'
import type { Clock } from '../platform-io.ts'
import { type PlatformId, platformNamed } from '../platform-names.ts'
import type { ChannelTables } from '../schema.ts'
import type { Secret } from '../secret.ts'
import { type CredentialStore, GROUP_POLICIES, type StoredChannel, type StoredChannels } from './credential-store.ts'

type Row = ChannelTables['credential']
type Change = Parameters<CredentialStore['change']>[2]

const stored = z.object({
  enabled: z.boolean(),
  allowedUsers: z.array(z.string()),
  groupPolicy: z.exactOptional(z.enum(GROUP_POLICIES)),
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
  const sealer = sealerOf(secretKey, clock)

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
        if (platform) channels[platform] = sealer.unseal(row)
      }
      return channels satisfies StoredChannels
    },
    async change(accountId, platform, change) {
      while (!(await tryChange(database, sealer, { accountId, platform }, change))) {
        // somebody else has stored the first credentials meanwhile: the change is applied to those
      }
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

interface Sealer {
  seal(account_id: string, platform: string, channel: StoredChannel): Omit<Row, 'account_id' | 'platform'>
  /** @throws {ChannelError} `config_broken` */
  unseal(row: Row): StoredChannel
}

function sealerOf(secretKey: Secret, clock: Clock): Sealer {
  const key = Buffer.from(hkdfSync('sha256', secretKey.reveal(), '', 'gatepost channel credentials', 32))
  const keyId = createHash('sha256').update(key).digest('hex').slice(0, 16)

  return {
    seal(accountId, platform, channel) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(`${accountId}/${platform}`))
      const sealed = Buffer.concat([cipher.update(JSON.stringify(channel), 'utf8'), cipher.final()])
      const text = Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
      return { key_id: keyId, sealed: text, updated_at_ms: clock.now() }
    },
    unseal(row) {
      try {
        const bytes = Buffer.from(row.sealed, 'base64url')
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
        decipher.setAAD(Buffer.from(`${row.account_id}/${row.platform}`)).setAuthTag(bytes.subarray(12, 28))
        return stored.parse(
          JSON.parse(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString()),
        )
      } catch (error) {
        const why = row.key_id === keyId ? 'it was changed' : 'it was sealed with another GATEPOST_SECRET_KEY'
        throw new ChannelError('config_broken', {
          message: `The stored credentials of ${row.platform} cannot be opened: ${why}.`,
          cause: error,
        })
      }
    },
  }
}

/** False: there was no row to lock, and now there is one. */
const tryChange = (
  database: Database<ChannelTables>,
  { seal, unseal }: Sealer,
  { accountId, platform }: { readonly accountId: string; readonly platform: PlatformId },
  change: Change,
): Promise<boolean> =>
  database.transaction(async (tx) => {
    const query = tx
      .selectFrom('credential')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('platform', '=', platform)
    const row = await (database.dialect === 'postgres' ? query.forUpdate() : query).executeTakeFirst()
    const channel = change(row ? unseal(row) : undefined)
    if (!channel) {
      await tx.deleteFrom('credential').where('account_id', '=', accountId).where('platform', '=', platform).execute()
      return true
    }
    const values = seal(accountId, platform, channel)
    const stored = await tx
      .insertInto('credential')
      .values({ account_id: accountId, platform, ...values })
      .onConflict((c) => {
        const conflict = c.columns(['account_id', 'platform'])
        return row ? conflict.doUpdateSet(values) : conflict.doNothing()
      })
      .returning('platform')
      .executeTakeFirst()
    return stored !== undefined
  })
