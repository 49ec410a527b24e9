import { expect, it } from 'vitest'
import { runSteps } from './steps.ts'

it('runs every step, and shows what the failing ones said and only that', async () => {
  const lines: string[] = []
  const results = await runSteps(
    [
      { name: 'good', args: ['-e', `console.log('quiet')`] },
      { name: 'bad', args: ['-e', `console.error('the reason'); process.exit(3)`] },
      { name: 'killed', args: ['-e', `process.kill(process.pid, 'SIGKILL')`] },
    ],
    (line) => lines.push(line),
  )
  expect(Object.fromEntries(results.map(({ name, passed }) => [name, passed]))).toEqual({
    good: true,
    bad: false,
    killed: false,
  })
  expect(lines.join('\n')).toContain('the reason')
  expect(lines.join('\n')).not.toContain('quiet')
})
