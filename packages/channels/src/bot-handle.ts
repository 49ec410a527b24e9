import type { Database } from '@gatepost/sql'
import type { Transaction } from 'kysely'
import type { ChannelTables } from './schema.ts'
import { fence, type Lease } from './supervisor/lease.sql.ts'

/** One bot whose connection this process holds: what its inbox, turns and outbox write through. */
export interface BotHandle {
  /** `<account id>/<platform>/<bot id>` */
  readonly bot: string
  readonly lease: Lease
  readonly database: Database<ChannelTables>
  /** A fenced transaction. @throws {ChannelError} `lease_lost` */
  write<R>(work: (tx: Transaction<ChannelTables>) => Promise<R>, options?: { readonly durable?: boolean }): Promise<R>
}

/** @param onLost Called once when a write finds that another process has taken over. */
export function botHandle(
  database: Database<ChannelTables>,
  bot: string,
  lease: Lease,
  onLost: (error: unknown) => void,
): BotHandle {
  return {
    bot,
    lease,
    database,
    write: (work, options) =>
      database.transaction(async (tx) => {
        try {
          await fence(tx, lease, database.dialect)
        } catch (error) {
          onLost(error)
          throw error
        }
        return work(tx)
      }, options),
  }
}
