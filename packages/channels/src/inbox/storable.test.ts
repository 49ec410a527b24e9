import { expect, it } from 'vitest'
import type { InboundEvent } from '../message.ts'
import { said } from '../testing/bot-world.ts'
import { isStorable } from './storable.ts'

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
