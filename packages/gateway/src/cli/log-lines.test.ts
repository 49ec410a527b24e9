import { expect, it } from 'vitest'
import { terminalSink } from './log-lines.ts'
import { displayWidth } from './width.ts'

const AT = new Date(2026, 10, 21, 9, 5, 3)
const line = (level: string, msg: string, fields: object = {}): string =>
  `${JSON.stringify({ level, time: AT.toISOString(), ...fields, msg })}\n`

function createSink(columns = 200): { sink: ReturnType<typeof terminalSink>; shown: () => string } {
  const written: string[] = []
  const write = (text: string): void => void written.push(text)
  return { sink: terminalSink({ write, isTty: true, colour: false, columns }), shown: () => written.join('') }
}

it('shows time, level, message and fields', () => {
  const { sink, shown } = createSink()
  sink.showAll()
  sink.write(line('info', 'Channel state', { platform: 'telegram', state: 'running', reason: null, sizes: [5] }))
  expect(shown()).toBe('09:05:03 info   Channel state  platform=telegram state=running sizes=[5]\n')
})

it('shows of an error its sentence', () => {
  const { sink, shown } = createSink()
  sink.write(line('error', 'it failed', { error: { name: 'Error', message: 'No more room.', stack: 'at x' } }))
  expect(shown()).toBe('09:05:03 error  it failed  error=No more room.\n')
})

it('shows only warnings and errors until it is told to show all', () => {
  const { sink, shown } = createSink()
  for (const level of ['debug', 'info', 'warn', 'error']) sink.write(line(level, level))
  expect(shown()).toBe('09:05:03 warn   warn\n09:05:03 error  error\n')
})

it('keeps a line to the width of the terminal', () => {
  const { sink, shown } = createSink(60)
  sink.write(line('warn', 'x'.repeat(20), { detail: 'y'.repeat(100) }))
  expect(shown().trimEnd()).toHaveLength(60)
})

it('counts columns, not characters: a wide message leaves less room for the fields', () => {
  const { sink, shown } = createSink(60)
  sink.write(line('warn', '中'.repeat(13), { detail: 'y'.repeat(100) }))
  expect(displayWidth(shown().trimEnd())).toBe(60)
})

it('shows what is no JSON, without what would act on the terminal', () => {
  const { sink, shown } = createSink()
  sink.write('plain\u001b[2J text\n')
  expect(shown()).toBe('plain text\n')
})
