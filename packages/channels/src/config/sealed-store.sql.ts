import { createHash } from 'node:crypto'
import {
  createSealer,
  type Database,
  deriveBytes,
  type SealedTable,
  sealedTable,
  type SealingFormat,
} from '@gatepost/sql'
import { sql } from 'kysely'
import { z } from 'zod'
import { ChannelError } from '../errors.ts'
import type { Clock } from '../platform-io.ts'
import { type PlatformId, parsePlatformId } from '../platform-names.ts'
import type { ChannelTables } from '../storage/schema.ts'
import { resealColumns } from '../storage/sealed-columns.ts'
import { revealKeys, type SecretKeys } from '../secret.ts'
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
 * Stores one row per channel, sealed with AES-256-GCM under a key derived from the service's secret key. Account and
 * platform are authenticated data, so a row cannot be moved to another channel.
 */
export function sealedCredentialStore(
  database: Database<ChannelTables>,
  secretKeys: SecretKeys,
  clock: Clock,
): CredentialStore {
  const sealer = createRowSealer(secretKeys, clock)

  return {
    async accounts() {
      const rows = await database.db.selectFrom('credential').select('account_id').distinct().execute()
      return rows.map((row) => row.account_id)
    },
    async read(accountId) {
      const rows = await database.db.selectFrom('credential').selectAll().where('account_id', '=', accountId).execute()
      const channels: Partial<Record<PlatformId, StoredChannel>> = {}
      for (const row of rows) {
        const platform = parsePlatformId(row.platform)
        if (platform) channels[platform] = sealer.open(row)
      }
      return channels satisfies StoredChannels
    },
    async change(accountId, platform, change) {
      while (!(await tryChange(database, sealer, { accountId, platform }, change))) {
        // another process has just stored the first credentials: apply the change to those
      }
    },
    async revision(accountId) {
      // the nonce makes every sealed text unique
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

/** A row's `sealed` column: base64url of nonce, tag and ciphertext. */
const KEY_INFO = 'gatepost channel credentials'
const FORMAT: SealingFormat = {
  info: KEY_INFO,
  saltBytes: 0,
  order: 'tag_text',
  keyId: (secret) =>
    createHash('sha256')
      .update(deriveBytes(secret, '', KEY_INFO, 32))
      .digest('hex')
      .slice(0, 16),
}

interface RowSealer {
  seal(account_id: string, platform: string, channel: StoredChannel): Omit<Row, 'account_id' | 'platform'>
  /** @throws {ChannelError} `config_broken` */
  open(row: Row): StoredChannel
}

function createRowSealer(secretKeys: SecretKeys, clock: Clock): RowSealer {
  const sealer = createSealer(FORMAT, revealKeys(secretKeys))
  return {
    seal(accountId, platform, channel) {
      const { keyId, bytes } = sealer.seal(JSON.stringify(channel), `${accountId}/${platform}`)
      return { key_id: keyId, sealed: Buffer.from(bytes).toString('base64url'), updated_at_ms: clock.now() }
    },
    open(row) {
      const sealed = { keyId: row.key_id, bytes: Buffer.from(row.sealed, 'base64url') }
      const text = sealer.open(sealed, `${row.account_id}/${row.platform}`)
      try {
        if (text !== null) return stored.parse(JSON.parse(text))
      } catch (cause) {
        throw unreadable(row, 'they were changed', cause)
      }
      const isOtherKey = !sealer.hasKey(row.key_id)
      throw unreadable(row, isOtherKey ? 'they were sealed with another GATEPOST_SECRET_KEY' : 'they were changed')
    },
  }
}

const unreadable = (row: Row, reason: string, cause?: unknown): ChannelError =>
  new ChannelError('config_broken', {
    message: `Couldn't read the stored credentials of ${row.platform}: ${reason}.`,
    cause,
  })

/** Returns false when a row appeared that did not exist to be locked. */
const tryChange = (
  database: Database<ChannelTables>,
  sealer: RowSealer,
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
    const channel = change(row ? sealer.open(row) : undefined)
    if (!channel) {
      await tx.deleteFrom('credential').where('account_id', '=', accountId).where('platform', '=', platform).execute()
      return true
    }
    const values = sealer.seal(accountId, platform, channel)
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

/** Creates the `SealedTable` of the stored credentials. */
export function sealedCredentials(database: Database<ChannelTables>, secretKeys: SecretKeys): SealedTable {
  const sealer = createSealer(FORMAT, revealKeys(secretKeys))
  return sealedTable(database, {
    table: 'credential',
    key: sql`account_id || '/' || platform`,
    columns: ['key_id', 'sealed'],
    reseal: (row, key) => resealColumns(sealer, row, String(key)),
  })
}
