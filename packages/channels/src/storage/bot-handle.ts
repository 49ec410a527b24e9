import { setImmediate as nextTick } from 'node:timers/promises'
import { type Database, isUnavailable } from '@gatepost/sql'
import type { Transaction } from 'kysely'
import { ChannelError } from '../errors.ts'
import type { ChannelTables } from './schema.ts'
import { fence, type Lease } from '../supervisor/lease.sql.ts'

/** Returns the key under which all data of one bot is stored: `<account id>/<platform>/<bot id>`. */
export const toBotKey = (accountId: string, platform: string, identity: string): string =>
  `${accountId}/${platform}/${identity}`

type Work<R> = (tx: Transaction<ChannelTables>) => Promise<R>

/** A bot whose connection this process holds. Its inbox, turns and outbox write through this handle. */
export interface BotHandle {
  /** `<account id>/<platform>/<bot id>` */
  readonly bot: string
  readonly lease: Lease
  readonly database: Database<ChannelTables>
  /**
   * Runs `work` in a transaction that fails once the lease is lost. Concurrent writes share one commit, so `work` may
   * run a second time, in its own transaction, when another write of the batch fails: it must do nothing but write.
   * @param options.durable Resolves only when the data is on disk.
   * @throws {ChannelError} `lease_lost`
   */
  write<R>(work: Work<R>, options?: { readonly durable?: boolean }): Promise<R>
}

interface QueuedWrite {
  readonly durable: boolean
  /** Runs the work and returns a function that resolves the caller's promise after the commit. */
  readonly run: (tx: Transaction<ChannelTables>) => Promise<() => void>
  readonly fail: (error: unknown) => void
}

const MAX_BATCH = 64

/** Creates a handle. @param onLost Called when a write finds that another process has taken over. */
export const createBotHandle = (
  database: Database<ChannelTables>,
  bot: string,
  lease: Lease,
  onLost: (error: unknown) => void,
): BotHandle => new BatchingHandle(database, bot, lease, onLost)

class BatchingHandle implements BotHandle {
  readonly database: Database<ChannelTables>
  readonly bot: string
  readonly lease: Lease
  readonly #onLost: (error: unknown) => void
  readonly #queue: QueuedWrite[] = []
  #draining = false

  constructor(database: Database<ChannelTables>, bot: string, lease: Lease, onLost: (error: unknown) => void) {
    this.database = database
    this.bot = bot
    this.lease = lease
    this.#onLost = onLost
  }

  write<R>(work: Work<R>, { durable = false }: { readonly durable?: boolean } = {}): Promise<R> {
    return new Promise((resolve, reject) => {
      const run: QueuedWrite['run'] = async (tx) => {
        const result = await work(tx)
        return () => resolve(result)
      }
      this.#queue.push({ durable, run, fail: reject })
      if (!this.#draining) void this.#drainQueue()
    })
  }

  async #drainQueue(): Promise<void> {
    this.#draining = true
    while (this.#queue.length > 0) {
      const group = this.#queue.splice(0, MAX_BATCH)
      await this.#commit(group).catch((error: unknown) => this.#retryOneByOne(group, error))
      // under load, a larger batch is worth the wait; a single write is not delayed
      if (group.length > 1) await nextTick()
    }
    this.#draining = false
  }

  async #commit(group: readonly QueuedWrite[]): Promise<void> {
    const { database, lease } = this
    const done = await database.transaction(async (tx) => {
      await fence(tx, lease, database.dialect).catch((error: unknown) => {
        this.#onLost(error)
        throw error
      })
      const results: { readonly one: QueuedWrite; readonly hand: () => void }[] = []
      for (const one of group) results.push({ one, hand: await one.run(tx) })
      return results
    })
    for (const { one, hand } of done) {
      // the next batch need not wait for the disk
      if (one.durable) database.flush().then(hand, one.fail)
      else hand()
    }
  }

  /** A single write may be at fault, so each is retried alone; a lost lease or database fails all of them. */
  async #retryOneByOne(group: readonly QueuedWrite[], error: unknown): Promise<void> {
    const isLost = error instanceof ChannelError && error.code === 'lease_lost'
    // a commit without a response may have been made: it must not be repeated
    if (group.length > 1 && !isLost && !isUnavailable(error)) {
      for (const one of group) await this.#commit([one]).catch(one.fail)
      return
    }
    for (const one of group) one.fail(error)
  }
}
