import { type TestDatabase, testDatabases } from '@gatepost/sql/testing'
import type { KyselyPlugin } from 'kysely'

type OpenDatabase = (typeof testDatabases)[number][1]

/** A database that counts statements, to test that their number doesn't depend on the input. */
export interface CountedDatabase {
  readonly open: OpenDatabase
  /** Returns the number of statements since the last call. */
  taken(): number
}

/** Creates a counted database. @param open Default: SQLite. */
export function countedDatabase(open: OpenDatabase | undefined = testDatabases[0]?.[1]): CountedDatabase {
  if (open === undefined) throw new Error('no test database')
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
          failed: database.failed,
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
