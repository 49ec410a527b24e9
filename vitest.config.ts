import type { ViteUserConfig } from 'vitest/config'
import { LongestFirst } from './tools/suites/longest-first.ts'

/** Starts processes or a browser, or counts on a database of its own: one process each. */
const SEPARATE = ['db', 'process', 'browser'].map(
  (kind) => `{packages,bench,examples,tools,scripts}/**/*.${kind}.test.ts`,
)
const exclude = ['**/node_modules/**', '**/dist/**']

const config: ViteUserConfig = {
  test: {
    // In the root: once for both projects, which share the PostgreSQL server that it starts.
    globalSetup: ['./packages/sql/src/testing-global-setup.ts'],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'pure',
          include: ['{packages,bench,examples,tools,scripts}/**/*.test.ts'],
          exclude: [...exclude, ...SEPARATE],
          pool: 'threads',
          isolate: false,
          testTimeout: 15_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'separate',
          include: SEPARATE,
          exclude,
          pool: 'forks',
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
}
export default config
