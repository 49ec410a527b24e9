import type { TestProjectInlineConfiguration, ViteUserConfig } from 'vitest/config'
import { LONG_SUITES, LongestFirst } from './tools/suites/longest-first.ts'
import { ProgressReporter } from './tools/suites/progress-reporter.ts'
import { PROGRESS_FILE_VARIABLE } from './tools/suites/run-suites.ts'

/** Suites that start processes or a browser, or depend on a database of their own: each runs in a process of its own. */
const SEPARATE = ['db', 'process', 'browser'].map(
  (kind) => `{packages,bench,examples,tools,scripts}/**/*.${kind}.test.ts`,
)
const exclude = ['**/node_modules/**', '**/dist/**']

/** `npm run test:quick`: on SQLite alone, without the suites above and without those that take long. */
const isQuick = process.env['TEST_QUICK'] === '1'
const progressFile = process.env[PROGRESS_FILE_VARIABLE]

/** No test fails because the machine is busy: these limits only end one that hangs. */
const HANG_MS = { pure: 120_000, separate: 600_000 }
/** Far above what anything takes: for conditions that a test waits for. */
const POLL = { timeout: 60_000, interval: 20 }

const pure: TestProjectInlineConfiguration = {
  test: {
    name: 'pure',
    include: ['{packages,bench,examples,tools,scripts}/**/*.test.ts'],
    exclude: [...exclude, ...SEPARATE, ...(isQuick ? LONG_SUITES : [])],
    pool: 'threads',
    isolate: false,
    testTimeout: HANG_MS.pure,
    hookTimeout: HANG_MS.pure,
    expect: { poll: POLL },
  },
}
const separate: TestProjectInlineConfiguration = {
  test: {
    name: 'separate',
    include: SEPARATE,
    exclude,
    pool: 'forks',
    testTimeout: HANG_MS.separate,
    hookTimeout: HANG_MS.separate,
    expect: { poll: POLL },
  },
}

const config: ViteUserConfig = {
  test: {
    // In the root: once for both projects, which share the PostgreSQL server that it starts.
    globalSetup: isQuick ? [] : ['./packages/sql/src/testing-global-setup.ts'],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    ...(progressFile !== undefined && { reporters: ['default', new ProgressReporter(progressFile)] }),
    projects: isQuick ? [pure] : [pure, separate],
  },
}
export default config
