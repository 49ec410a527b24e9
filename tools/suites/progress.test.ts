import { describe, expect, it } from 'vitest'
import {
  countTests,
  type Outcome,
  type ProgressEvent,
  type RunSummary,
  summarizeRun,
  type TestState,
} from './progress.ts'

const run: ProgressEvent = { event: 'run', files: ['a', 'b'] }
const end = (errors = 0): ProgressEvent => ({ event: 'end', errors })
const file = (name: string, passed: number, failed = 0, skipped = 0): ProgressEvent => ({
  event: 'file',
  file: name,
  passed,
  failed,
  skipped,
})
const collected = (name: string, tests: number): ProgressEvent => ({ event: 'collected', file: name, tests })
const test = (name: string, state: TestState): ProgressEvent => ({ event: 'test', file: name, state })

const complete: Omit<RunSummary, keyof Outcome> = { ended: true, interrupted: [], notRun: [] }
const cases: readonly [why: string, events: readonly ProgressEvent[], exitCode: number | null, RunSummary][] = [
  ['everything passes', [run, file('a', 3), file('b', 2), end()], 0, { passed: 5, failed: 0, skipped: 0, ...complete }],
  [
    'skipped tests are counted apart',
    [run, file('a', 3, 0, 2), file('b', 1), end()],
    0,
    { passed: 4, failed: 0, skipped: 2, ...complete },
  ],
  ['a failed test', [run, file('a', 3, 1), file('b', 2), end()], 1, { passed: 5, failed: 1, skipped: 0, ...complete }],
  [
    'an error outside of tests',
    [run, file('a', 3), file('b', 2), end(1)],
    1,
    { passed: 5, failed: 1, skipped: 0, ...complete },
  ],
  [
    'a bad exit code alone',
    [run, file('a', 3), file('b', 2), end()],
    1,
    { passed: 5, failed: 1, skipped: 0, ...complete },
  ],
  [
    'killed after the last test',
    [run, file('a', 3), file('b', 2)],
    null,
    { passed: 5, failed: 1, skipped: 0, ...complete, ended: false },
  ],
  [
    'killed after the first file',
    [run, collected('a', 3), file('a', 3)],
    null,
    { passed: 3, failed: 1, skipped: 0, ended: false, interrupted: [], notRun: ['b'] },
  ],
  [
    'killed in the middle of a file',
    [run, collected('a', 5), test('a', 'passed'), test('a', 'failed'), test('a', 'skipped'), file('b', 4)],
    null,
    { passed: 5, failed: 3, skipped: 1, ended: false, interrupted: ['a'], notRun: [] },
  ],
  [
    'killed before anything was collected',
    [run],
    null,
    { passed: 0, failed: 2, skipped: 0, ended: false, interrupted: [], notRun: ['a', 'b'] },
  ],
  ['killed before it started', [], null, { passed: 0, failed: 1, skipped: 0, ...complete, ended: false }],
  ['no test at all', [{ event: 'run', files: [] }, end()], 0, { passed: 0, failed: 1, skipped: 0, ...complete }],
]
const toText = (events: readonly ProgressEvent[]): string => events.map((each) => `${JSON.stringify(each)}\n`).join('')

describe('the summary of a run', () => {
  it.each(cases)('%s', (_why, events, exitCode, summary) => {
    expect(summarizeRun(toText(events), exitCode)).toEqual(summary)
  })

  it('ignores a last line that was cut off', () => {
    const text = `${toText([run, file('a', 3)])}{"event":"file","file":"b","pas`
    expect(summarizeRun(text, null)).toEqual({
      passed: 3,
      failed: 1,
      skipped: 0,
      ended: false,
      interrupted: [],
      notRun: ['b'],
    })
  })
})

const counts: readonly [why: string, states: readonly TestState[], enabled: boolean, ok: boolean, Outcome][] = [
  ['a good file', ['passed', 'passed'], true, true, { passed: 2, failed: 0, skipped: 0 }],
  ['a file with a failed test', ['passed', 'failed'], true, false, { passed: 1, failed: 1, skipped: 0 }],
  ['a file that did not load', [], true, false, { passed: 0, failed: 1, skipped: 0 }],
  ['a failed hook before the tests', ['skipped', 'skipped'], true, false, { passed: 0, failed: 2, skipped: 0 }],
  ['a failed hook after the tests', ['passed'], true, false, { passed: 1, failed: 1, skipped: 0 }],
  ['tests that are switched off', ['skipped', 'skipped'], false, true, { passed: 0, failed: 0, skipped: 2 }],
  ['a worker that died', ['passed', 'pending'], true, false, { passed: 1, failed: 1, skipped: 0 }],
]
it.each(counts)('counts %s', (_why, states, enabled, ok, outcome) => {
  expect(
    countTests(
      states.map((state) => ({ state, enabled })),
      ok,
    ),
  ).toEqual(outcome)
})
