import { appendFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestCase, TestModule, TestSpecification } from 'vitest/node'
import { countTests, type ProgressEvent } from './progress.ts'

/** Appends each result to a file as it arrives, so that the tests of a run that dies can still be counted. */
export class ProgressReporter implements Reporter {
  readonly #file: string
  #broken = false

  /** @param file Created if missing. */
  constructor(file: string) {
    this.#file = file
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#append({ event: 'run', files: specifications.map(({ moduleId }) => moduleId) })
  }

  onTestModuleCollected({ moduleId, children }: TestModule): void {
    this.#append({ event: 'collected', file: moduleId, tests: [...children.allTests()].length })
  }

  onTestCaseResult(test: TestCase): void {
    this.#append({ event: 'test', file: test.module.moduleId, state: test.result().state })
  }

  onTestModuleEnd(module: TestModule): void {
    const states = [...module.children.allTests()].map((test) => ({
      state: test.result().state,
      enabled: test.options.mode === 'run' || test.options.mode === 'only',
    }))
    this.#append({ event: 'file', file: module.moduleId, ...countTests(states, module.ok()) })
  }

  onTestRunEnd(_modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    this.#append({ event: 'end', errors: errors.length })
  }

  /** After a write that failed, nothing more is written: what is missing counts as failed. */
  #append(event: ProgressEvent): void {
    if (this.#broken) return
    try {
      appendFileSync(this.#file, `${JSON.stringify(event)}\n`)
    } catch (error) {
      this.#broken = true
      process.stderr.write(`Couldn't record the progress of the tests: ${String(error)}\n`)
    }
  }
}
