import { runSteps, listSteps } from './checks/steps.ts'
import { describeOutcome, runSuites } from './suites/run-suites.ts'

/** A guard against hangs: about three times what all suites take on two idle cores. */
const LIMIT_MS = 45 * 60_000

if (process.env['CI'] !== undefined || !process.stdout.isTTY) {
  process.env['NO_COLOR'] = '1'
  delete process.env['FORCE_COLOR']
}
const quick = process.argv.includes('--quick')
const checks = quick ? [] : await runSteps(listSteps(), console.log)
if (quick) process.env['TEST_QUICK'] = '1'
const summary = await runSuites({ args: [], limitMs: LIMIT_MS })
const lines = describeOutcome(summary, checks)
for (const line of lines) console.log(line)
process.exitCode = lines.at(-1)?.endsWith(', 0 failed') === true ? 0 : 1
