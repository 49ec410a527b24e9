import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readMarkdown } from '../../markdown/read.ts'
import { renderMarkdown } from '../../markdown/render.ts'
import { weixinDialect } from './dialect.ts'
import { weixinLimits } from './limits.ts'

const bodies = (source: string): readonly string[] =>
  renderMarkdown(source, { dialect: weixinDialect, ...weixinLimits.text }).map(({ body }) => body)

it.each([
  ['bold', '**非常**好', '**非常**好'],
  ['italics around Chinese text', '*非常*好', '非常好'],
  ['a deep heading', '##### 标题', '**标题**'],
  ['a picture', '![a cat](https://e.org/c.png)', 'a cat (https://e.org/c.png)'],
  ['a link', '[here](https://e.org)', 'here (https://e.org)'],
  ['a bare address', 'see https://e.org', 'see https://e.org'],
  ['code', 'run `npm test`', 'run `npm test`'],
  ['a fence', '```ts\nlet a = 1\n```', '```ts\nlet a = 1\n```'],
  ['a fence in a fence', '````\n```\nx\n```\n````', '```\n``\u200B`\nx\n``\u200B`\n```'],
  ['backticks that are none', '\\`\\`\\` x', '``\u200B` x'],
  ['a table', '| a | b |\n|---|---|\n| 1 | 2 |', '```\na   | b\n----+----\n1   | 2\n```'],
  ['names with underscores and a lone asterisk', 'snake_case_name 2 * 3', 'snake_case_name 2 * 3'],
  ['struck-out text', '~~old~~ new', 'old new'],
])('writes %s', (_what, source, body) => {
  expect(bodies(source)).toEqual([body])
})

it('divides a fence so that each part is one', () => {
  const parts = bodies(`\`\`\`\n${'line of code\n'.repeat(300)}\`\`\``)
  expect(parts.length).toBe(2)
  for (const part of parts) {
    expect(part).toMatch(/^```\n[^`]+\n```$/)
    expect(part.length).toBeLessThanOrEqual(2_000)
  }
})

it('loses no text, keeps to the limit and ends every fence in its part', () => {
  const words = fc.oneof(
    fc.constantFrom('word', '中文，句子。', '👩‍👩‍👧‍👦', '1 < 2', 'a_b'),
    // without what would make a fence of it, whose language is no text
    fc.string({ maxLength: 12 }).map((text) => `${text.replaceAll(/[`~]/g, '')}.`),
  )
  const inline = words.chain((text) => fc.constantFrom(text, `**${text}**`, `*${text}*`, `\`${text}\``, `~~${text}~~`))
  const block = fc.oneof(
    fc.array(inline, { minLength: 1, maxLength: 5 }).map((list) => list.join(' ')),
    inline.map((text) => `##### ${text}`),
    fc.array(inline, { minLength: 1, maxLength: 4 }).map((list) => list.map((text) => `- ${text}`).join('\n')),
    fc.array(fc.oneof(words, fc.constant('```')), { maxLength: 9 }).map((lines) => `~~~\n${lines.join('\n')}\n~~~`),
  )
  const source = fc.array(block, { minLength: 1, maxLength: 6 }).map((blocks) => blocks.join('\n\n'))
  const bare = (text: string): string => text.replace(/[\s*`\u200b]/g, '')
  fc.assert(
    fc.property(source, fc.integer({ min: 16, max: 400 }), (markdown, max) => {
      const parts = renderMarkdown(markdown, { dialect: weixinDialect, max, unit: 'utf16' })
      for (const { body } of parts) expect(body.length).toBeLessThanOrEqual(max)
      const read = readMarkdown(markdown)
      const text = bare(read.map((run) => run.text).join(''))
      if (text !== '') expect(bare(parts.map(({ body }) => body).join(''))).toBe(text)
      for (const { body } of parts) expect((body.match(/```/g) ?? []).length % 2).toBe(0)
    }),
    { numRuns: 300 },
  )
})
