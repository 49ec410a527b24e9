import fc from 'fast-check'
import { expect, it } from 'vitest'
import { limitReply, trimToBudget } from './limits.ts'
import type { TurnMessage, AssistantPiece } from './assistant.ts'
import { message, collectText } from './testing.ts'

const q = (text: string): TurnMessage => message(text)
const a = (text: string): TurnMessage => message(text, { role: 'assistant' })
const texts = (messages: readonly TurnMessage[]): string[] => messages.map(({ text }) => text)

const cases: readonly [
  why: string,
  messages: readonly TurnMessage[],
  historyMessages: number,
  historyCharacters: number,
  kept: readonly string[],
][] = [
  ['everything fits', [q('q1'), a('a1'), q('q2')], 3, 6, ['q1', 'a1', 'q2']],
  ['the oldest go first', [q('q1'), a('a1'), q('q2'), a('a2'), q('q3')], 3, 99, ['q2', 'a2', 'q3']],
  ['an answer does not stay without its question', [q('q1'), a('a1'), q('q2')], 2, 99, ['q2']],
  ['nor when it is the very first', [a('hello'), q('q1')], 9, 99, ['q1']],
  [
    'what is behind a message that does not fit goes too',
    [q('q1'), a('long answer'), q('q2'), a('a'), q('q3')],
    9,
    8,
    ['q2', 'a', 'q3'],
  ],
  [
    'all messages to answer stay, whatever their number',
    [q('q1'), a('a1'), q('q2'), q('q3'), q('q4')],
    1,
    99,
    ['q2', 'q3', 'q4'],
  ],
  [
    'messages to answer that are too long are cut from the end',
    [q('q1'), a('a1'), q('12345'), q('67890'), q('abc')],
    9,
    8,
    ['12345', '678… (2 more characters omitted)', '… (3 more characters omitted)'],
  ],
  ['a character is not cut in half', [q('ab😀')], 9, 3, ['ab… (2 more characters omitted)']],
  ['nothing stays nothing', [], 9, 9, []],
]
it.each(cases)('%s', (_why, messages, historyMessages, historyCharacters, kept) => {
  expect(texts(trimToBudget(messages, { historyMessages, historyCharacters }))).toEqual(kept)
})

it('counts and cuts quotes', () => {
  const quoting = message('12345', { quoted: 'abcdef' })
  expect(trimToBudget([quoting], { historyMessages: 9, historyCharacters: 8 })).toEqual([
    { ...quoting, quoted: 'abc… (3 more characters omitted)' },
  ])
})

it('keeps a suffix, the newest questions, and a beginning that is a question', () => {
  const messages = fc.array(
    fc.record({ role: fc.constantFrom('user' as const, 'assistant' as const), text: fc.string({ maxLength: 20 }) }),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(messages, fc.nat(12), fc.nat(100), (parts, historyMessages, historyCharacters) => {
      const all = parts.map(({ role, text }) => message(text, { role }))
      const kept = trimToBudget(all, { historyMessages, historyCharacters })
      const toAnswer = all.length - 1 - all.findLastIndex(({ role }) => role === 'assistant')
      expect(kept.length).toBeGreaterThanOrEqual(toAnswer)
      expect(kept.length).toBeLessThanOrEqual(Math.max(toAnswer, historyMessages))
      expect(kept[0]?.role ?? 'user').toBe('user')
      const old = kept.slice(0, kept.length - toAnswer)
      expect(old).toEqual(all.slice(all.length - kept.length, all.length - toAnswer))
      expect(old.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(historyCharacters)
    }),
  )
})

const text = (value: string): AssistantPiece => ({ type: 'text', text: value })
const note = '\n\n_(Reply cut off at 10 characters.)_'

const answers: readonly [why: string, pieces: readonly string[], answer: string][] = [
  ['an answer that fits is passed on', ['12345', '', '67890'], '1234567890'],
  ['a longer one is cut with a note', ['12345', '678901', 'never'], `1234567890${note}`],
  ['a character is not cut in half', ['123456789😀'], `123456789${note}`],
  ['an open fence is closed before the note', ['```ts\n', 'abcdefgh'], `\`\`\`ts\nabcd\n\`\`\`${note}`],
  ['a closed fence stays closed', ['~~~\n~~~\n', 'abcdefgh'], `~~~\n~~~\nab${note}`],
]
it.each(answers)('%s', async (_why, pieces, answer) => {
  async function* source(): AsyncGenerator<AssistantPiece> {
    yield* pieces.map(text)
  }
  expect(await collectText(limitReply(source(), 10))).toBe(answer)
})

it('marks the piece that says that something was left out, and no other', async () => {
  async function* source(...pieces: AssistantPiece[]): AsyncGenerator<AssistantPiece> {
    yield* pieces
  }
  const file: AssistantPiece = { type: 'file', name: 'a', mime: 'a/b', bytes: new Uint8Array() }
  const marks = async (...pieces: AssistantPiece[]): Promise<boolean[]> =>
    (await Array.fromAsync(limitReply(source(...pieces), 10))).flatMap((piece) =>
      piece.type === 'text' ? [piece.isCut === true] : [],
    )
  expect(await marks(text('12345'), text('67890'))).toEqual([false, false])
  expect(await marks(text('12345'), text('678901'))).toEqual([false, true])
  expect(await marks(text('12345'), ...Array.from({ length: 11 }, () => file))).toEqual([false, true])
})

it('ends a source that never ends', async () => {
  let ended = false
  async function* endless(): AsyncGenerator<AssistantPiece> {
    try {
      for (;;) yield text('abc')
    } finally {
      ended = true
    }
  }
  expect(await collectText(limitReply(endless(), 10))).toBe(`abcabcabca${note}`)
  expect(ended).toBe(true)
})

it('passes ten files on and says how many more there were', async () => {
  async function* files(): AsyncGenerator<AssistantPiece> {
    for (let i = 1; i <= 12; i++) yield { type: 'file', name: `${i}`, mime: 'a/b', bytes: new Uint8Array() }
  }
  const answer = await collectText(limitReply(files(), 10))
  expect(answer).toContain('<10 a/b >')
  expect(answer).not.toContain('<11')
  expect(answer).toContain('(2 more files were omitted.)')
})
