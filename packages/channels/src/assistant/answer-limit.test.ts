import { expect, it } from 'vitest'
import { limitAnswer } from './answer-limit.ts'
import type { AssistantPiece } from './assistant.ts'
import { textOf } from './testing.ts'

const text = (value: string): AssistantPiece => ({ type: 'text', text: value })
const note = '\n\n_(The answer was longer than 10 characters and was cut here.)_'

const cases: readonly [why: string, pieces: readonly string[], answer: string][] = [
  ['an answer that fits is passed on', ['12345', '', '67890'], '1234567890'],
  ['a longer one is cut with a note', ['12345', '678901', 'never'], `1234567890${note}`],
  ['a character is not cut in half', ['123456789😀'], `123456789${note}`],
  ['an open fence is closed before the note', ['```ts\n', 'abcdefgh'], `\`\`\`ts\nabcd\n\`\`\`${note}`],
  ['a closed fence stays closed', ['~~~\n~~~\n', 'abcdefgh'], `~~~\n~~~\nab${note}`],
]
it.each(cases)('%s', async (_why, pieces, answer) => {
  async function* source(): AsyncGenerator<AssistantPiece> {
    yield* pieces.map(text)
  }
  expect(await textOf(limitAnswer(source(), 10))).toBe(answer)
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
  expect(await textOf(limitAnswer(endless(), 10))).toBe(`abcabcabca${note}`)
  expect(ended).toBe(true)
})

it('passes ten files on and says how many more there were', async () => {
  async function* files(): AsyncGenerator<AssistantPiece> {
    for (let i = 1; i <= 12; i++) yield { type: 'file', name: `${i}`, mime: 'a/b', bytes: new Uint8Array() }
  }
  const answer = await textOf(limitAnswer(files(), 10))
  expect(answer).toContain('<10 a/b >')
  expect(answer).not.toContain('<11')
  expect(answer).toContain('(2 more files were left out.)')
})
