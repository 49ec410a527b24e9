/** One line of the file that `ProgressReporter` appends to while vitest runs. */
export type ProgressEvent =
  /** Comes first: all test files of the run. */
  | { readonly event: 'run'; readonly files: readonly string[] }
  | { readonly event: 'collected'; readonly file: string; readonly tests: number }
  | { readonly event: 'test'; readonly file: string; readonly state: TestState }
  /** The file has finished; its counts replace those of its tests. */
  | ({ readonly event: 'file'; readonly file: string } & Outcome)
  /** Comes last. `errors`: how many were thrown outside of tests. */
  | { readonly event: 'end'; readonly errors: number }

/** How a test ended; `pending` if it never did. */
export type TestState = 'passed' | 'failed' | 'skipped' | 'pending'

/** How many tests passed, failed and were skipped. */
export interface Outcome {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** What a run of vitest amounts to. */
export interface RunSummary extends Outcome {
  /** Whether the runner reached its end, with whatever result. */
  readonly ended: boolean
  /** Test files that started but didn't finish. */
  readonly interrupted: readonly string[]
  /** Test files that never started. */
  readonly notRun: readonly string[]
}

/**
 * Counts the tests of one file. Tests that should have run but didn't, because the file didn't load, a hook failed or the
 * worker died, count as failed. A file that failed without a failed test counts as one failure.
 * @param states The states of all collected tests, and whether each was meant to run.
 * @param ok     Whether the file as a whole passed.
 */
export function countTests(states: readonly { state: TestState; enabled: boolean }[], ok: boolean): Outcome {
  const count = (wanted: TestState): number => states.filter(({ state }) => state === wanted).length
  const [passed, failed, pending] = [count('passed'), count('failed'), count('pending')]
  const missed = ok || failed > 0 ? 0 : states.filter(({ state, enabled }) => state === 'skipped' && enabled).length
  const known = failed + pending + missed
  return { passed, failed: ok ? known : Math.max(1, known), skipped: count('skipped') - missed }
}

/**
 * Summarizes a run from its progress file, however the run ended. Each file that didn't finish counts with its tests that
 * ran, and the rest as failed (one, if their number is unknown). A run that ended badly without a failed test is one failure.
 * @param progress The text of the progress file; its last line may be cut off.
 * @param exitCode What vitest exited with; `null` if a signal ended it.
 */
export function summarizeRun(progress: string, exitCode: number | null): RunSummary {
  const events = parseProgress(progress)
  const files = events.flatMap((each) => (each.event === 'run' ? each.files : []))
  const finished = new Map(events.flatMap((each) => (each.event === 'file' ? [[each.file, each] as const] : [])))
  const collected = new Map(
    events.flatMap((each) => (each.event === 'collected' ? [[each.file, each.tests] as const] : [])),
  )
  const unfinished = files.filter((file) => !finished.has(file))
  const counts: readonly Outcome[] = [
    ...finished.values(),
    ...unfinished.map((file) => countUnfinished(statesInFile(events, file), collected.get(file) ?? 0)),
  ]
  const add = (key: keyof Outcome): number => counts.reduce((sum, each) => sum + each[key], 0)
  const end = events.find((each) => each.event === 'end')
  const passed = add('passed')
  const failed = add('failed') + (end?.errors ?? 0)
  const endedBadly = exitCode !== 0 || end === undefined || passed === 0
  return {
    passed,
    failed: failed === 0 && endedBadly ? 1 : failed,
    skipped: add('skipped'),
    ended: end !== undefined,
    interrupted: unfinished.filter((file) => collected.has(file)),
    notRun: unfinished.filter((file) => !collected.has(file)),
  }
}

const statesInFile = (events: readonly ProgressEvent[], file: string): readonly TestState[] =>
  events.flatMap((each) => (each.event === 'test' && each.file === file ? [each.state] : []))

function countUnfinished(states: readonly TestState[], collected: number): Outcome {
  const { passed, failed, skipped } = countTests(
    states.map((state) => ({ state, enabled: true })),
    true,
  )
  return { passed, failed: failed + Math.max(1, collected - states.length), skipped }
}

/** Reads complete lines only: a run that was killed may have left half a line at the end. */
function parseProgress(text: string): readonly ProgressEvent[] {
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as ProgressEvent) // written by our own reporter
}
