import { type TestDatabase, testDatabases } from '@gatepost/sql/testing'
import type { KyselyPlugin } from 'kysely'

type OpenDatabase = (typeof testDatabases)[number][1]

/** A database that counts what is asked of it, for work that must not depend on what somebody sends. */
export interface CountedDatabase {
  readonly open: OpenDatabase
  /** Statements since the last call. */
  taken(): number
}

/** @param open Default: SQLite. */
export function countedDatabase(open: OpenDatabase | undefined = testDatabases[0]?.[1]): CountedDatabase {
  if (open === undefined) throw new Error('there is no test database')
  let count = 0
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      count++
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
  return {
    async open<Tables>(): Promise<TestDatabase<Tables>> {
      const test = await open<Tables>()
      const { database } = test
      return {
        ...test,
        database: {
          dialect: database.dialect,
          db: database.db.withPlugin(counting),
          transaction: (work, options) => database.transaction((tx) => work(tx.withPlugin(counting)), options),
          prepareRead<Row>(statement: string) {
            const read = database.prepareRead<Row>(statement)
            return (parameters) => {
              count++
              return read(parameters)
            }
          },
          flush: () => database.flush(),
          close: () => database.close(),
        },
      }
    },
    taken() {
      const before = count
      count = 0
      return before
    },
  }
}
