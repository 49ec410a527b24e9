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

/** A database whose statements a test can watch and fail, and that says when nothing is under way. */
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

export function watchDatabase<Tables>(inner: Database<Tables>): WatchedDatabase<Tables> {
  let underWay = 0
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
      if (watched.failing || watched.onStatement) {
        const { sql, parameters } = inner.db.getExecutor().compileQuery(node, queryId)
        watched.onStatement?.(sql, parameters)
        if (watched.failing?.(sql)) throw unavailable()
      }
      underWay += 1
      return node
    },
    async transformResult({ result }): Promise<QueryResult<UnknownRow>> {
      underWay -= 1
      return result
    },
  }

  const db: Kysely<Tables> = inner.db.withPlugin(plugin)
  const database: Database<Tables> = {
    dialect: inner.dialect,
    db,
    async transaction(work, options) {
      const before = underWay
      underWay += 1
      const commit = { how: null as 'fails' | 'is lost' | null }
      try {
        const result = await inner.transaction(async (tx: Transaction<Tables>) => {
          const done = await work(tx.withPlugin(plugin))
          commit.how = watched.nextCommit
          watched.nextCommit = null
          if (commit.how === 'fails') throw unavailable()
          return done
        }, options)
        if (commit.how === 'is lost') throw unavailable()
        return result
      } catch (error) {
        // a statement that the database itself refused has not come back through the plugin
        underWay = Math.max(before, Math.min(underWay, before + 1))
        throw error
      } finally {
        underWay = Math.max(0, underWay - 1)
      }
    },
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
