import { runSteps, steps } from './checks/steps.ts'

const results = await runSteps(steps(), console.log)
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1
