import type { ChannelsOptions, Clock } from '@gatepost/channels'
import { type Database, deriveBytes } from '@gatepost/sql'
import type { GatewayTables } from '../accounts/schema.ts'
import { StartError } from '../server/errors.ts'

/** Secret keys, newest first. The first one encrypts, and all of them decrypt. */
export type SecretKeys = ChannelsOptions['secretKeys']

/** Options of `requireSecretKeys`. */
export interface SecretKeyOptions {
  readonly database: Database<GatewayTables>
  readonly secretKeys: SecretKeys
  /** Whether to go on without keys that stored data may be encrypted with. */
  readonly canForget: boolean
  readonly clock: Clock
}

/** Returns the IDs of the keys, newest first. They don't reveal the keys. */
export const keyIds = ([newest, ...older]: SecretKeys): readonly [string, ...string[]] => {
  const id = (key: SecretKeys[number]): string =>
    deriveBytes(key.reveal(), '', 'gatepost secret key id', 6).toString('hex')
  return [id(newest), ...older.map(id)]
}

/**
 * Records the key that new data is encrypted with. The keys of earlier starts stay recorded until a rotation is done.
 * @throws {StartError} if one of them is missing now
 */
export async function requireSecretKeys({ database, secretKeys, canForget, clock }: SecretKeyOptions): Promise<void> {
  const ids = keyIds(secretKeys)
  const { db } = database
  const recorded = await db.selectFrom('gateway_secret_key').select('key_id').orderBy('first_used_at_ms').execute()
  const missing = recorded.map((row) => row.key_id).filter((id) => !ids.includes(id))
  if (missing.length > 0) {
    if (!canForget) throw new StartError(missingKeys(missing))
    await db.deleteFrom('gateway_secret_key').where('key_id', 'in', missing).execute()
  }
  // a database of an earlier version doesn't say which of the keys it was encrypted with
  const used = recorded.length === 0 ? ids : ids.slice(0, 1)
  await db
    .insertInto('gateway_secret_key')
    .values(used.map((key_id) => ({ key_id, first_used_at_ms: clock.now() })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

const missingKeys = (ids: readonly string[]): string =>
  `GATEPOST_SECRET_KEY: Stored data is encrypted with keys that are missing (IDs: ${ids.join(', ')}). ` +
  'Add them after the new key, start again, and run `npx gatepost keys rotate` before you remove them. ' +
  'If they are lost, start once with GATEPOST_FORGET_LOST_KEYS=on: everyone must sign in again, and stored ' +
  'credentials and second factors must be set up again.'

/** Records that nothing is encrypted with the older ones of these keys anymore. */
export async function forgetOlderKeys(database: Database<GatewayTables>, secretKeys: SecretKeys): Promise<void> {
  const [, ...older] = keyIds(secretKeys)
  if (older.length > 0) await database.db.deleteFrom('gateway_secret_key').where('key_id', 'in', older).execute()
}
