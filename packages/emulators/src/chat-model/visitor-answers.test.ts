import { expect, it } from 'vitest'
import { visitorAnswer } from './visitor-answers.ts'

const answerTo = (content: unknown): readonly string[] =>
  visitorAnswer({ path: '', authorization: null, model: 'm', stream: true, messages: [{ role: 'user', content }] })

const CASES: readonly [asked: string, answer: RegExp][] = [
  ['Hello!', /^Hello! I am the assistant/],
  ['good morning', /^Hello!/],
  ['HELP', /- \*\*stream\*\*/],
  ['?', /- \*\*stream\*\*/],
  ['stream something', /3\. The assistant begins/],
  ['a table, please', /\| Berth \| Ship \| Until \|/],
  ['show me code', /```sh\n/],
  ['are you still there?', /has \*\*not been lost\*\*/],
  ['which berth is free?', /^You said: which berth is free\?\n/],
  ['你好', /^你好！/],
  ['给我一个表格', /\| 泊位 \| 船 \| 到 \|/],
  ['今天天气怎么样', /^你说的是：今天天气怎么样\n/],
]

it.each(CASES)('answers %s', (asked, answer) => {
  const pieces = answerTo([{ type: 'text', text: asked }])
  expect(pieces.join('')).toMatch(answer)
  expect(pieces.length).toBeGreaterThan(5)
})

it('quotes the beginning of what is long, on one line', () => {
  expect(answerTo('many\nwords '.repeat(1_000)).join('')).toMatch(/^You said: many words .{100,120}…\n/)
})
