import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type RunSummary, summarizeRun } from './progress.ts'

/** Names the file for `ProgressReporter`; read by `vitest.config.ts`. */
export const PROGRESS_FILE_VARIABLE = 'TEST_PROGRESS_FILE'

const ROOT = join(import.meta.dirname, '..', '..')
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** What `runSuites` runs, and for how long. */
export interface SuiteRun {
  /** Arguments of `vitest run`. */
  readonly args: readonly string[]
  /** Where vitest runs; its configuration must use `ProgressReporter`. */
  readonly cwd?: string
  /** A guard against hangs, milliseconds: vitest is stopped then. */
  readonly limitMs: number
  /** How long vitest has to stop, milliseconds, before it is killed. Default 20,000. */
  readonly graceMs?: number
}

/**
 * Runs vitest with its output on ours, and counts its tests however it ends. When it reaches the limit, or this process is
 * told to stop, vitest is stopped and what ran until then is counted.
 */
export async function runSuites({ args, cwd = ROOT, limitMs, graceMs = 20_000 }: SuiteRun): Promise<RunSummary> {
  const progress = join(ROOT, '.cache', `test-progress-${process.pid}.jsonl`)
  mkdirSync(dirname(progress), { recursive: true })
  rmSync(progress, { force: true })
  const child = spawn(process.execPath, [VITEST, 'run', ...args], {
    cwd,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, [PROGRESS_FILE_VARIABLE]: progress },
  })
  let killTimer: NodeJS.Timeout | undefined
  const stop = (): void => {
    child.kill('SIGTERM')
    killTimer ??= setTimeout(() => child.kill('SIGKILL'), graceMs)
  }
  const limitTimer = setTimeout(stop, limitMs)
  for (const signal of STOP_SIGNALS) process.on(signal, stop)
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null] // the event's arguments
  for (const signal of STOP_SIGNALS) process.off(signal, stop)
  clearTimeout(limitTimer)
  clearTimeout(killTimer)
  const text = existsSync(progress) ? readFileSync(progress, 'utf8') : ''
  rmSync(progress, { force: true })
  const summary = summarizeRun(text, code)
  if (!summary.ended) console.log(`The test runner ended early (${signal ?? `exit code ${code}`}).`)
  return summary
}

/**
 * Returns the lines that end a test run: the files that didn't finish, how many tests were skipped, and, as the last line,
 * `N passed, M failed`.
 * @param checks Whether each check before the tests passed.
 */
export function describeOutcome(
  summary: RunSummary,
  checks: readonly { readonly passed: boolean }[],
): readonly string[] {
  const passed = summary.passed + checks.filter((check) => check.passed).length
  const failed = summary.failed + checks.filter((check) => !check.passed).length
  return [
    ...summary.interrupted.map((file) => `Interrupted: ${relative(ROOT, file)}`),
    ...summary.notRun.map((file) => `Not run: ${relative(ROOT, file)}`),
    ...(summary.skipped > 0 ? [`${summary.skipped} skipped`] : []),
    `${passed} passed, ${failed} failed`,
  ]
}
