import { expect, it } from 'vitest'
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
