import { type Database, SqlError } from '@gatepost/sql'
import type {
  Kysely,
  KyselyPlugin,
  PluginTransformQueryArgs,
  QueryResult,
  RootOperationNode,
  Transaction,
  UnknownRow,
} from 'kysely'

/** A database whose statements a test can watch and fail, and that says when nothing is in progress. */
export interface WatchedDatabase<Tables> {
  readonly database: Database<Tables>
  /** Asked with the text of every statement: true makes it fail with `database_unavailable` before it is run. */
  failing: ((statement: string) => boolean) | null
  /** For the next commit: rolled back, or done but reported as failed, as when the connection is lost. */
  nextCommit: 'fails' | 'is lost' | null
  /** Called with every statement and its parameters. */
  onStatement: ((statement: string, parameters: readonly unknown[]) => void) | null
  /** Resolves when no statement has been under way for some turns of the event loop. */
  idle(): Promise<void>
}

const unavailable = (): SqlError => new SqlError('database_unavailable', { reason: 'SCRIPTED' })
const turnOfEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const QUIET_TURNS = 4

/** Wraps a database to observe and break its statements. */
export function watchDatabase<Tables>(inner: Database<Tables>): WatchedDatabase<Tables> {
  let underWay = 0
  const look = ({ node, queryId }: PluginTransformQueryArgs): void => {
    if (!watched.failing && !watched.onStatement) return
    const { sql, parameters } = inner.db.getExecutor().compileQuery(node, queryId)
    watched.onStatement?.(sql, parameters)
    if (watched.failing?.(sql)) throw unavailable()
  }
  const inTransaction: KyselyPlugin = {
    transformQuery(args): RootOperationNode {
      look(args)
      return args.node
    },
    transformResult: async ({ result }): Promise<QueryResult<UnknownRow>> => result,
  }
  const alone: KyselyPlugin = {
    transformQuery(args): RootOperationNode {
      look(args)
      underWay += 1
      return args.node
    },
    async transformResult({ result }): Promise<QueryResult<UnknownRow>> {
      underWay -= 1
      return result
    },
  }

  const db: Kysely<Tables> = inner.db.withPlugin(alone)
  const database: Database<Tables> = {
    dialect: inner.dialect,
    db,
    async transaction(work, options) {
      underWay += 1
      const commit: { how: WatchedDatabase<Tables>['nextCommit'] } = { how: null }
      try {
        const result = await inner.transaction(async (tx: Transaction<Tables>) => {
          const done = await work(tx.withPlugin(inTransaction))
          commit.how = watched.nextCommit
          watched.nextCommit = null
          if (commit.how === 'fails') throw unavailable()
          return done
        }, options)
        if (commit.how === 'is lost') throw unavailable()
        return result
      } finally {
        underWay -= 1
      }
    },
    prepareRead: (statement) => inner.prepareRead(statement),
    async flush() {
      underWay += 1
      await inner.flush().finally(() => {
        underWay -= 1
      })
    },
    failed: inner.failed,
    close: () => inner.close(),
  }

  const watched: WatchedDatabase<Tables> = {
    database,
    failing: null,
    nextCommit: null,
    onStatement: null,
    async idle() {
      for (let quiet = 0; quiet < QUIET_TURNS; ) {
        await turnOfEventLoop()
        quiet = underWay === 0 ? quiet + 1 : 0
      }
    },
  }
  return watched
}
