import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

const ROOT: string = join(import.meta.dirname, '..', '..')

/** A check: a script that Node runs from the root, and its arguments. */
export interface Step {
  readonly name: string
  readonly args: readonly [script: string, ...rest: string[]]
}

export interface StepResult {
  readonly name: string
  readonly passed: boolean
  readonly durationMs: number
  /** What the step printed, without colors: some print them into a pipe when `CI` is set. */
  readonly output: string
}

const modules = (path: string): string => join('node_modules', path)

/** Lists the checks, the longest first: they run two at a time. */
export const listSteps = (): readonly Step[] => [
  { name: 'types', args: [modules('typescript/bin/tsc'), '-p', '.'] },
  { name: 'lint', args: [modules('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings'] },
  { name: 'console', args: [modules('typescript/bin/tsc'), '-p', 'packages/console'] },
  { name: 'unused', args: [modules('knip/bin/knip.js'), '--no-progress'] },
  { name: 'format', args: [modules('@biomejs/biome/bin/biome'), 'format', '--max-diagnostics=5'] },
  { name: 'imports', args: ['tools/check-imports.ts'] },
  { name: 'exports documented, names, folders', args: ['tools/check-source.ts'] },
  { name: 'docs', args: ['tools/generate-docs.ts', '--check'] },
]

function runStep(step: Step): Promise<StepResult> {
  const startedMs = performance.now()
  return new Promise((resolve) => {
    const output: string[] = []
    const finish = (passed: boolean): void => {
      resolve({
        name: step.name,
        passed,
        durationMs: performance.now() - startedMs,
        output: stripVTControlCharacters(output.join('')),
      })
    }
    const child = spawn(process.execPath, step.args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => output.push(text))
    }
    child.on('error', (error) => {
      output.push(String(error))
      finish(false)
    })
    child.on('close', (code) => finish(code === 0))
  })
}

/** Runs all steps, two at a time, prints each result as it arrives, and then the output of the failed ones. */
export async function runSteps(all: readonly Step[], print: (line: string) => void): Promise<readonly StepResult[]> {
  const waiting = [...all]
  const results: StepResult[] = []
  const worker = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const result = await runStep(step)
      results.push(result)
      const seconds = (result.durationMs / 1000).toFixed(1).padStart(6)
      print(`${result.passed ? 'ok    ' : 'FAILED'} ${result.name.padEnd(36)}${seconds} s`)
    }
  }
  await Promise.all([worker(), worker()])
  for (const { name, output } of results.filter(({ passed }) => !passed)) print(`\n${name}:\n${output.trimEnd()}`)
  return results
}
