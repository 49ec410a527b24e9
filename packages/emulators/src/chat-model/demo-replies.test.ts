import { expect, it } from 'vitest'
import { demoReply } from './demo-replies.ts'

const replyTo = (content: unknown): readonly string[] =>
  demoReply({ path: '', authorization: null, model: 'm', stream: true, messages: [{ role: 'user', content }] })

const CASES: readonly [question: string, reply: RegExp][] = [
  ['Hello!', /^Hello! I'm the assistant/],
  ['good morning', /^Hello!/],
  ['HELP', /- \*\*stream\*\*/],
  ['?', /- \*\*stream\*\*/],
  ['stream something', /3\. The assistant starts/],
  ['a table, please', /\| Berth \| Ship \| Until \|/],
  ['show me code', /```sh\n/],
  ['are you still there?', /are \*\*not lost\*\*/],
  ['which berth is free?', /^You said: which berth is free\?\n/],
  ['你好', /^你好！/],
  ['给我一个表格', /\| 泊位 \| 船名 \| 离港 \|/],
  ['今天天气怎么样', /^你说的是：今天天气怎么样\n/],
]

it.each(CASES)('replies to %s', (question, reply) => {
  const pieces = replyTo([{ type: 'text', text: question }])
  expect(pieces.join('')).toMatch(reply)
  expect(pieces.length).toBeGreaterThan(5)
})

it('quotes the beginning of a long message on one line', () => {
  expect(replyTo('many\nwords '.repeat(1_000)).join('')).toMatch(/^You said: many words .{100,120}…\n/)
})

it('replies to a file in the language of earlier messages', () => {
  const user = (content: string) => ({ role: 'user', content })
  const base = { path: '', authorization: null, model: 'm', stream: true }
  expect(demoReply({ ...base, messages: [user('你好'), user('')] }).join('')).toMatch(/^文件已收到/)
  expect(demoReply({ ...base, messages: [user('hello'), user('')] }).join('')).toMatch(/^I got your file/)
})
