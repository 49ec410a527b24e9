import { describe, expect, it } from 'vitest'
import { renderMarkdown } from '../../markdown/render.ts'
import { cardText, dingtalkDialect, tidyMarkdown, toTitle } from './dialect.ts'

const escapeText = (markdown: string): string =>
  renderMarkdown(markdown, { dialect: dingtalkDialect, max: 3_500, unit: 'utf16' })
    .map(({ body }) => body)
    .join('|')

describe('what is written for DingTalk', () => {
  it.each<[why: string, markdown: string, body: string]>([
    ['bold and italic, also between letters', '中**粗**文 *x*y', '中**粗**文 *x*y'],
    ['a heading is bold', '# Report', '**Report**'],
    ['a single line break is made visible', 'one\ntwo', 'one  \ntwo'],
    ['an empty line stays', 'one\n\ntwo', 'one\n\ntwo'],
    ['a list', '- a\n- b', '• a  \n• b'],
    ['what is indented is no code', '- a\n  - b', '• a  \n\u00a0\u00a0◦ b'],
    ['a quote goes on in each line', '> a\n> b', '\n> a  \n> b\n'],
    ['a link', '[docs](https://e.org/a_(b))', '[docs](https://e.org/a_%28b%29)'],
    ['code', '`a*b_c`', '`a*b_c`'],
    ['a backtick inside of code', '``a`b``', '`a\u1fefb`'],
    ['a fenced block keeps its lines', '```ts\na\n  b\n```', '```ts\na\n  b\n```'],
    ['a fence inside of a block', '````\n```\n````', '```\n\u1fef\u1fef\u1fef\n```'],
    ['marks that it does not know are left out', '~~gone~~', 'gone'],
    ['stars and brackets are escaped', '2 \\* 3 [x]', '2 \\* 3 \\[x\\]'],
    ['names with underscores stay readable', 'snake_case_name', 'snake_case_name'],
    ['a word in underscores is no emphasis', 'an \\_x\\_', 'an \\_x\\_'],
    ['a hash at the beginning of a line', '\\# no heading', '\\# no heading'],
    ['tags are text, smaller-than signs stay', '<b> 1 < 2', '\\<b> 1 < 2'],
  ])('%s', (_why, markdown, body) => {
    expect(escapeText(markdown)).toBe(body)
  })

  it('makes no picture of a link after an exclamation mark', () => {
    expect(escapeText('wow!**[a](https://e.org)**')).toBe('wow\\!**[a](https://e.org)**')
    expect(escapeText('wow\\![a](https://e.org)')).toBe('wow\\![a](https://e.org)')
  })
})

it('breaks the lines of a card, but not those of code and quotes', () => {
  const body = escapeText('a\nb\n\n> c\n> d\n\n```\ne  \nf\n```\n\n- g\n- h')
  expect(cardText(body)).toBe('a<br>b\n\n> c  \n> d\n\n```\ne  \nf\n```\n\n• g<br>• h')
})

it('leaves out empty lines that nobody wrote, but those of code', () => {
  expect(tidyMarkdown(escapeText('a\n\n> b'))).toBe('a\n\n> b')
  expect(tidyMarkdown(escapeText('> b\n\n```\nc\n\n\n\nd\n```'))).toBe('> b\n\n```\nc\n\n\n\nd\n```')
})

it.each<[body: string, title: string]>([
  ['**Report** for [you](https://e.org)\n\nmore', 'Report for you'],
  ['\n> quoted', 'quoted'],
  ['```ts\ncode\n```', 'code'],
  ['2 \\* 3', '2 * 3'],
  ['x'.repeat(100), 'x'.repeat(64)],
  ['😀'.repeat(100), '😀'.repeat(64)],
  ['**', '…'],
])('takes the first line as the title: %s', (body, title) => {
  expect(toTitle(body)).toBe(title)
})
