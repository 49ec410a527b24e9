import { expect, it } from 'vitest'
import { outcomeOf, type Outcome } from './outcome.ts'

const report = (passed: number, failed: number, files: readonly object[] = [], skipped = 0): string =>
  JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
    numTodoTests: 0,
    testResults: files,
  })
const notLoaded = { status: 'failed', assertionResults: [] }
const withFailure = { status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'passed' }] }

const cases: readonly [why: string, report: string | null, exitCode: number | null, outcome: Outcome][] = [
  ['all pass', report(3, 0), 0, { passed: 3, failed: 0, skipped: 0 }],
  ['left out tests are told', report(3, 0, [], 2), 0, { passed: 3, failed: 0, skipped: 2 }],
  ['a failure is counted once', report(3, 1, [withFailure]), 1, { passed: 3, failed: 1, skipped: 0 }],
  ['a suite that does not load fails', report(3, 0, [notLoaded]), 1, { passed: 3, failed: 1, skipped: 0 }],
  ['both', report(3, 1, [withFailure, notLoaded]), 1, { passed: 3, failed: 2, skipped: 0 }],
  ['an error outside of tests fails', report(3, 0), 1, { passed: 3, failed: 1, skipped: 0 }],
  ['a crash after the report fails', report(3, 0), null, { passed: 3, failed: 1, skipped: 0 }],
  ['a crash before it fails', null, null, { passed: 0, failed: 1, skipped: 0 }],
  ['a report that is cut off fails', report(3, 0).slice(0, -5), null, { passed: 0, failed: 1, skipped: 0 }],
  ['no test at all fails', report(0, 0), 0, { passed: 0, failed: 1, skipped: 0 }],
]
it.each(cases)('%s', (_why, text, exitCode, outcome) => {
  expect(outcomeOf(text, exitCode)).toEqual(outcome)
})
