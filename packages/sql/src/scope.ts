import { AsyncLocalStorage } from 'node:async_hooks'
import { SqlError } from './errors.ts'

type State = 'beginning' | 'open' | 'over'

/**
 * Knows whether the running code belongs to an open transaction of one database. The store is an object that is marked
 * over when the transaction ends: work that was started inside and goes on afterwards is free again.
 */
export class TransactionScope {
  readonly #storage = new AsyncLocalStorage<{ state: State }>()

  /** Runs `begin`, whose first use of a connection is the transaction's own, and `work` once it has begun. */
  async run<T, R>(begin: (work: (tx: T) => Promise<R>) => Promise<R>, work: (tx: T) => Promise<R>): Promise<R> {
    this.refuseInside()
    const scope: { state: State } = { state: 'beginning' }
    try {
      return await this.#storage.run(scope, begin, (tx: T) => {
        scope.state = 'open'
        return work(tx)
      })
    } finally {
      scope.state = 'over'
    }
  }

  /** @throws {SqlError} `outer_handle_in_transaction` inside an open transaction */
  refuseInside(): void {
    if (this.#storage.getStore()?.state === 'open') throw new SqlError('outer_handle_in_transaction')
  }

  /** @throws {SqlError} `transaction_unguarded` when a transaction is begun in another way than by `run` */
  refuseUnguarded(): void {
    if (this.#storage.getStore()?.state !== 'beginning') throw new SqlError('transaction_unguarded')
  }
}
