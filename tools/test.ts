import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { outcomeOf, type Outcome } from './checks/outcome.ts'
import { ROOT, runSteps, steps } from './checks/steps.ts'

const REPORT = join(ROOT, '.cache', 'test-report.json')
/** Far more than the suites take: only a run that hangs meets it. */
const LIMIT_MS = 25 * 60_000

async function runSuites(): Promise<Outcome> {
  rmSync(REPORT, { force: true })
  mkdirSync(dirname(REPORT), { recursive: true })
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json']
  const child = spawn(process.execPath, [...args, `--outputFile.json=${REPORT}`], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  })
  const [code] = (await once(child, 'close')) as [number | null] // the event's first argument
  return outcomeOf(existsSync(REPORT) ? readFileSync(REPORT, 'utf8') : null, code)
}

if (process.env['CI'] !== undefined || !process.stdout.isTTY) {
  process.env['NO_COLOR'] = '1'
  delete process.env['FORCE_COLOR']
}
const checks = await runSteps(steps(), console.log)
const suites = await runSuites()
const passed = suites.passed + checks.filter((step) => step.passed).length
const failed = suites.failed + checks.filter((step) => !step.passed).length
if (suites.skipped > 0) console.log(`${suites.skipped} skipped`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
