import { expect, it } from 'vitest'
import { cleanText, cleanTexts, isStorable } from './storable.ts'
import type { InboundEvent } from '../message.ts'
import { said } from '../testing/bot-world.ts'

it.each([
  ['plain', 'plain'],
  ['a\0b\0', 'ab'],
  ['\ud83d', '\ufffd'],
  ['x\udc00\0y', 'x\ufffdy'],
  ['\ud83d\ude00 stays\n\t', '\ud83d\ude00 stays\n\t'],
])('%j becomes %j', (text, clean) => {
  expect(cleanText(text)).toBe(clean)
})

it('leaves a clean value as it is, the same object', () => {
  const value = { a: 'x', b: [{ c: 1, d: null }] }
  expect(cleanTexts(value)).toBe(value)
})

it('cleans every text, however deep, and keeps everything else', () => {
  const value = { text: 'a\0', n: 1, none: null, media: [{ name: '\ud800' }, 'b\0'], from: { id: '\0' } }
  expect(cleanTexts(value)).toEqual({ text: 'a', n: 1, none: null, media: [{ name: '\ufffd' }, 'b'], from: { id: '' } })
})

const LONG = 'x'.repeat(501)
const CHAT = { id: '42', kind: 'direct' } as const

const cases: readonly [why: string, event: InboundEvent, storable: boolean][] = [
  ['a message', said('hello'), true],
  ['an id of the longest kind', { ...said('hello'), key: 'x'.repeat(500) }, true],
  ['a key that is too long', { ...said('hello'), key: LONG }, false],
  ['a message id that is too long', { ...said('hello'), messageId: LONG }, false],
  ['a person whose id is too long', { ...said('hello'), from: { id: LONG } }, false],
  ['a chat whose id is too long', { ...said('hello'), chat: { id: LONG, kind: 'direct' } }, false],
  ['a topic whose id is too long', { ...said('hello'), chat: { ...CHAT, threadId: LONG } }, false],
  ['a time that no column holds', { ...said('hello'), sentAtMs: 1e300 }, false],
  ['a time that is none', { ...said('hello'), sentAtMs: Number.NaN }, false],
  ['a chat that moved to nowhere real', { type: 'chat_moved', key: 'k', chat: CHAT, toChatId: LONG }, false],
]
it.each(cases)('%s', (_why, event, storable) => {
  expect(isStorable(event)).toBe(storable)
})
