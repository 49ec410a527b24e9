import { setImmediate as nextTick } from 'node:timers/promises'
import { type Database, isUnavailable } from '@gatepost/sql'
import type { Transaction } from 'kysely'
import { ChannelError } from '../errors.ts'
import type { ChannelTables } from './schema.ts'
import { fence, type Lease } from '../supervisor/lease.sql.ts'

/** What everything of one bot is kept under: another bot on the same channel starts afresh. */
export const botName = (accountId: string, platform: string, identity: string): string =>
  `${accountId}/${platform}/${identity}`

type Work<R> = (tx: Transaction<ChannelTables>) => Promise<R>

/** One bot whose connection this process holds: what its inbox, turns and outbox write through. */
export interface BotHandle {
  /** `<account id>/<platform>/<bot id>` */
  readonly bot: string
  readonly lease: Lease
  readonly database: Database<ChannelTables>
  /**
   * Runs `work` in a fenced transaction. Writes that wait at the same time share one commit, so `work` may be run a
   * second time, in a transaction of its own, when another one of the group fails: it must do nothing but write.
   * @param options.durable Resolves only when the data is on the disk.
   * @throws {ChannelError} `lease_lost`
   */
  write<R>(work: Work<R>, options?: { readonly durable?: boolean }): Promise<R>
}

interface Waiting {
  readonly durable: boolean
  /** Runs the work; the result is handed on by `done`, once it has been committed. */
  readonly run: (tx: Transaction<ChannelTables>) => Promise<() => void>
  readonly fail: (error: unknown) => void
}

const MOST_AT_ONCE = 64

/** @param onLost Called when a write finds that another process has taken over. */
export const botHandle = (
  database: Database<ChannelTables>,
  bot: string,
  lease: Lease,
  onLost: (error: unknown) => void,
): BotHandle => new GroupingHandle(database, bot, lease, onLost)

class GroupingHandle implements BotHandle {
  readonly database: Database<ChannelTables>
  readonly bot: string
  readonly lease: Lease
  readonly #onLost: (error: unknown) => void
  readonly #waiting: Waiting[] = []
  #draining = false

  constructor(database: Database<ChannelTables>, bot: string, lease: Lease, onLost: (error: unknown) => void) {
    this.database = database
    this.bot = bot
    this.lease = lease
    this.#onLost = onLost
  }

  write<R>(work: Work<R>, { durable = false }: { readonly durable?: boolean } = {}): Promise<R> {
    return new Promise((resolve, reject) => {
      const run: Waiting['run'] = async (tx) => {
        const result = await work(tx)
        return () => resolve(result)
      }
      this.#waiting.push({ durable, run, fail: reject })
      if (!this.#draining) void this.#drain()
    })
  }

  async #drain(): Promise<void> {
    this.#draining = true
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, MOST_AT_ONCE)
      await this.#commit(group).catch((error: unknown) => this.#failed(group, error))
      // under load it is worth while to let more come together; alone, nobody waits
      if (group.length > 1) await nextTick()
    }
    this.#draining = false
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    const { database, lease } = this
    const done = await database.transaction(async (tx) => {
      await fence(tx, lease, database.dialect).catch((error: unknown) => {
        this.#onLost(error)
        throw error
      })
      const results: { readonly one: Waiting; readonly hand: () => void }[] = []
      for (const one of group) results.push({ one, hand: await one.run(tx) })
      return results
    })
    for (const { one, hand } of done) {
      // the next group need not wait for the disk
      if (one.durable) database.flush().then(hand, one.fail)
      else hand()
    }
  }

  /** One of them may be at fault; that the lease or the database is gone concerns all of them. */
  async #failed(group: readonly Waiting[], error: unknown): Promise<void> {
    const isLost = error instanceof ChannelError && error.code === 'lease_lost'
    // a commit that the database did not answer may have been done: it must not be done again
    if (group.length > 1 && !isLost && !isUnavailable(error)) {
      for (const one of group) await this.#commit([one]).catch(one.fail)
      return
    }
    for (const one of group) one.fail(error)
  }
}
