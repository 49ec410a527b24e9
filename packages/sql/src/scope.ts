import { AsyncLocalStorage } from 'node:async_hooks'
import { SqlError } from './errors.ts'

type State = 'beginning' | 'open' | 'over'

/**
 * Tracks whether the running code is inside an open transaction of one database. Work started inside a transaction that
 * continues after its end counts as outside.
 */
export class TransactionScope {
  readonly #storage = new AsyncLocalStorage<{ state: State }>()

  /** Runs `begin`, which opens the transaction with its first use of a connection, and `work` inside it. */
  async run<T, R>(begin: (work: (tx: T) => Promise<R>) => Promise<R>, work: (tx: T) => Promise<R>): Promise<R> {
    this.assertOutside()
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

  /** Checks that no transaction is open. @throws {SqlError} `outer_handle_in_transaction` inside one */
  assertOutside(): void {
    if (this.#storage.getStore()?.state === 'open') throw new SqlError('outer_handle_in_transaction')
  }

  /** Checks that `run` starts the transaction. @throws {SqlError} `transaction_unguarded` otherwise */
  assertGuarded(): void {
    if (this.#storage.getStore()?.state !== 'beginning') throw new SqlError('transaction_unguarded')
  }
}
