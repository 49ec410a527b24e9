import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Suites of more than about fifteen seconds, the longest first. The last suite must be short, because the other workers
 * wait for it. Without the durations of an earlier run, as in a fresh clone, vitest would sort by file size.
 */
export const LONG_SUITES: readonly string[] = [
  'packages/gateway/src/testing/crash/crash.process.test.ts',
  'packages/gateway/src/testing/crash/crash-platforms.process.test.ts',
  'packages/gateway/src/cli/commands/demo-platforms.browser.test.ts',
  'packages/gateway/src/cli/setup/modes.process.test.ts',
  'packages/gateway/src/cli/commands/demo.browser.test.ts',
  'packages/gateway/src/cli/commands/emulator-pages.browser.test.ts',
  'packages/gateway/src/contract-states.process.test.ts',
  'packages/gateway/src/contract-bad-input.process.test.ts',
  'packages/gateway/src/contract-platforms.process.test.ts',
  'bench/gateway/bench.process.test.ts',
  'packages/channels/src/platforms/wecom/wecom.test.ts',
  'packages/auth/src/settings-effects.test.ts',
  'packages/channels/src/platforms/wecom/sender.test.ts',
]

/** Runs the long suites first and all others in vitest's order. */
export class LongestFirst extends BaseSequencer {
  override async sort(suites: TestSpecification[]): Promise<TestSpecification[]> {
    const { sort } = BaseSequencer.prototype
    const sorted = await sort.call(this, suites)
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    const place = ({ project, moduleId }: TestSpecification): readonly [project: number, length: number] => {
      const known = LONG_SUITES.findIndex((path) => moduleId.endsWith(`/${path}`))
      return [projects.indexOf(project.name), known === -1 ? LONG_SUITES.length : known]
    }
    return sorted.toSorted((one, other) => {
      const [a, b] = [place(one), place(other)]
      return a[0] - b[0] || a[1] - b[1]
    })
  }
}
