import { expect, it } from 'vitest'
import { renderMarkdown } from '../../markdown/render.ts'
import { discordDialect } from './dialect.ts'
import { discordLimits } from './limits.ts'

const { max, unit } = discordLimits.text
const write = (source: string): string =>
  renderMarkdown(source, { dialect: discordDialect, max, unit })
    .map(({ body }) => body)
    .join('|')

it.each([
  ['**bold** _italic_ ~~gone~~', '**bold** *italic* ~~gone~~'],
  ['## Title\n\nText', '### Title\n\nText'],
  ['use `a_b*c`', 'use ``a_b*c``'],
  ['```ts\nconst a = `b`\n```', '```ts\nconst a = `b`\n```'],
  ['> one\n> two\n\nafter', '> one\n> two\n\nafter'],
  ['[text](https://e.org/a_(b))', '[text](https://e.org/a_%28b%29)'],
  ['https://e.org/a_b_c', 'https://e.org/a_b_c'],
  ['mail a_b@e.org', 'mail a\\_b@e.org'],
  ['[call](tel:1) me', 'call (tel:1) me'],
  ['snake_case_name and 2 * 3 * 4', 'snake\\_case\\_name and 2 \\* 3 \\* 4'],
  ['<@99> and @everyone', '\\<@99\\> and @everyone'],
])('writes %j as %j', (source, body) => {
  expect(write(source)).toBe(body)
})

it('keeps a fence closed by nothing but its end', () => {
  const body = write('````\n```\ninside\n```\n````')
  expect(body.match(/```/g)).toHaveLength(2)
  expect(body.replaceAll('\u200b', '')).toContain('```\ninside\n```')
})
