import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..', '..')
const CONFIG = `
import { ProgressReporter } from '../../tools/suites/progress-reporter.ts'
export default { test: {
  globals: true, maxWorkers: 1, fileParallelism: false, testTimeout: 600_000, include: ['*.test.ts'], watch: false,
  sequence: { sequencer: class { shard(files) { return files } sort(files) {
    return files.toSorted((a, b) => a.moduleId < b.moduleId ? -1 : 1)
  } } },
  reporters: ['default', new ProgressReporter(process.env.TEST_PROGRESS_FILE)],
} }`
const RUNNER = `
import { describeOutcome, runSuites } from '../../tools/suites/run-suites.ts'
const summary = await runSuites({ args: [], cwd: import.meta.dirname, limitMs: Number(process.argv[2]), graceMs: 1_000 })
for (const line of describeOutcome(summary, [{ passed: true }])) console.log(line)`
const GOOD = `it('one', () => {})\nit('two', () => {})\nit.skip('three', () => {})`
const BAD = `it('good', () => {})\nit('bad', () => { throw new Error('made up') })`
/** Passes one test, and then hangs. */
const HANGING = `
it('passes', () => {})
it('hangs', async () => {
  process.getBuiltinModule('node:fs').writeFileSync(process.env.VITEST_PID_FILE, String(process.ppid))
  await new Promise(() => {})
})
it('comes after', () => {})`
const IGNORES_SIGTERM = `process.on('SIGTERM', () => {})`

let folder: string
beforeEach(() => {
  mkdirSync(join(ROOT, '.cache'), { recursive: true })
  folder = mkdtempSync(join(ROOT, '.cache', 'suites-'))
  put('vitest.config.ts', CONFIG)
  put('runner.ts', RUNNER)
  put('a.test.ts', GOOD)
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

const put = (name: string, content: string): void => writeFileSync(join(folder, name), content)
const pidFile = (): string => join(folder, 'vitest.pid')

/** Starts a run. @param limitMs Of the whole run. */
function start(limitMs = 600_000): { child: ChildProcess; lines: Promise<readonly string[]> } {
  const child = spawn(process.execPath, ['runner.ts', String(limitMs)], {
    cwd: folder,
    env: { ...process.env, VITEST_PID_FILE: pidFile(), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return {
    child,
    lines: Promise.all([text(child.stdout), once(child, 'close')]).then(([all]) => all.trimEnd().split('\n')),
  }
}

/** Waits until `b.test.ts` hangs and its first result is recorded. @returns the id of vitest's main process */
async function untilHanging({ pid }: ChildProcess): Promise<number> {
  const progress = join(ROOT, '.cache', `test-progress-${pid}.jsonl`)
  const readPid = (): number => (existsSync(pidFile()) ? Number(readFileSync(pidFile(), 'utf8')) : 0)
  const hangs = (): boolean => readPid() > 0 && /b\.test\.ts","state":"passed"/.test(readFileSync(progress, 'utf8'))
  await expect.poll(hangs).toBe(true)
  return readPid()
}

it('counts the tests of a run that ends well, and the check before it', async () => {
  const lines = await start().lines
  expect(lines.slice(-2)).toEqual(['1 skipped', '3 passed, 0 failed'])
})

it('counts failed tests and files that do not load', async () => {
  put('b.test.ts', BAD)
  put('c.test.ts', `import './missing.ts'`)
  expect((await start().lines).at(-1)).toBe('4 passed, 2 failed')
})

it('stops at the limit', async () => {
  expect((await start(1).lines).at(-1)).toBe('1 passed, 1 failed')
})

const ends: readonly [why: string, end: (runner: ChildProcess, vitest: number) => void, config?: string][] = [
  ['vitest is killed', (_runner, vitest) => process.kill(vitest, 'SIGKILL')],
  ['vitest is told to stop', (_runner, vitest) => process.kill(vitest, 'SIGTERM')],
  ['the run is told to stop', (runner) => runner.kill('SIGTERM')],
  ['the run is told to stop and vitest does not', (runner) => runner.kill('SIGTERM'), IGNORES_SIGTERM],
]
it.each(ends)('counts what ran, and names what did not, when %s', async (_why, end, config = '') => {
  put('vitest.config.ts', `${CONFIG}\n${config}`)
  put('b.test.ts', HANGING)
  put('c.test.ts', GOOD)
  const { child, lines } = start()
  end(child, await untilHanging(child))
  expect((await lines).slice(-4)).toEqual([
    expect.stringMatching(/^Interrupted: .*b\.test\.ts$/),
    expect.stringMatching(/^Not run: .*c\.test\.ts$/),
    '1 skipped',
    '4 passed, 3 failed',
  ])
})

it('counts everything as failed when nothing could be recorded', async () => {
  put('vitest.config.ts', CONFIG.replace('process.env.TEST_PROGRESS_FILE', `'/dev/null/missing'`))
  expect((await start().lines).at(-1)).toBe('1 passed, 1 failed')
})
