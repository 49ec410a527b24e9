import { expect, it } from 'vitest'
import { telegramBlocks } from '../telegram/common-control.ts'
import { markdownBlocks, plainBlocks, type ShownBlock } from './shown-blocks.ts'

const plain = (text: string): ShownBlock => ({ type: 'paragraph', spans: [{ text }] })

const markdown: readonly [why: string, text: string, blocks: readonly ShownBlock[]][] = [
  ['nothing', '', []],
  ['words keep their line breaks', '\none\ntwo\n', [plain('one\ntwo')]],
  [
    'marks inside of marks',
    'so **very *loud* `a*b`**',
    [
      {
        type: 'paragraph',
        spans: [
          { text: 'so ' },
          { text: 'very ', bold: true },
          { text: 'loud', bold: true, italic: true },
          { text: ' ', bold: true },
          { text: 'a*b', bold: true, code: true },
        ],
      },
    ],
  ],
  [
    'lists, numbered and nested',
    '- a\n  - b\n3. c',
    [
      { type: 'item', level: 0, marker: '•', spans: [{ text: 'a' }] },
      { type: 'item', level: 1, marker: '•', spans: [{ text: 'b' }] },
      { type: 'item', level: 0, marker: '3.', spans: [{ text: 'c' }] },
    ],
  ],
  [
    'code that was not ended yet',
    'see\n```ts\nconst a = *1*',
    [plain('see'), { type: 'code', language: 'ts', spans: [{ text: 'const a = *1*' }] }],
  ],
  [
    'a heading, a rule, a quote of two lines',
    '## Now\n---\n> a\n> b',
    [
      { type: 'heading', level: 2, spans: [{ text: 'Now' }] },
      { type: 'rule' },
      { type: 'quote', spans: [{ text: 'a\nb' }] },
    ],
  ],
  [
    'a table',
    '| A | **B** |\n|---|---|\n| 1 | 2 |',
    [
      {
        type: 'table',
        rows: [
          ['A', 'B'],
          ['1', '2'],
        ],
      },
    ],
  ],
  [
    'links that lead somewhere, and those that must not',
    '[a](https://example.org/x) [b](javascript:alert(1)',
    [
      {
        type: 'paragraph',
        spans: [{ text: 'a', href: 'https://example.org/x' }, { text: ' ' }, { text: 'b' }],
      },
    ],
  ],
  ['what is escaped', '\\*no\\* &lt;b&gt; &#42;', [plain('*no* <b> *')]],
]

it.each(markdown)('%s', (_why, text, blocks) => {
  expect(markdownBlocks(text)).toEqual(blocks)
})

it('takes a text of a person as it is', () => {
  expect([plainBlocks('**no**'), plainBlocks('')]).toEqual([[plain('**no**')], []])
})

it('shows what the entities of Telegram say, also where they overlap', () => {
  const text = 'a bold link\n\nx = 1\n\nsaid'
  const entities = [
    { type: 'bold', offset: 2, length: 9 },
    { type: 'text_link', offset: 7, length: 4, url: 'https://example.org/' },
    { type: 'pre', offset: 13, length: 5, language: 'py' },
    { type: 'blockquote', offset: 20, length: 4 },
  ]
  expect(telegramBlocks(text, entities)).toEqual([
    {
      type: 'paragraph',
      spans: [
        { text: 'a ' },
        { text: 'bold ', bold: true },
        { text: 'link', bold: true, href: 'https://example.org/' },
      ],
    },
    { type: 'code', language: 'py', spans: [{ text: 'x = 1' }] },
    { type: 'quote', spans: [{ text: 'said' }] },
  ])
})
