import { runSteps, listSteps } from './checks/steps.ts'

const results = await runSteps(listSteps(), console.log)
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1
