/** How many tests passed, failed and were left out. */
export interface Outcome {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** What is read of vitest's JSON report. */
interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly { status: string }[] }[]
}

/** `null` for a report that was cut off by a crash. */
function parseReport(text: string): Report | null {
  try {
    return JSON.parse(text) as Report // vitest is pinned, and so is the shape of what it writes
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/**
 * What a run of vitest comes to. A suite that did not load is one failure, and so is a run that ended badly without a
 * failing test: a crash, an error outside of tests, no test at all.
 * @param text     The JSON report; `null` when vitest left none.
 * @param exitCode What vitest ended with; `null` when a signal ended it.
 */
export function outcomeOf(text: string | null, exitCode: number | null): Outcome {
  const report = text === null ? null : parseReport(text)
  if (report === null) return { passed: 0, failed: 1, skipped: 0 }
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length
  const failed = report.numFailedTests + unloaded
  const endedBadly = exitCode !== 0 || report.numPassedTests === 0
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && endedBadly ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}
