import { describe, expect, it } from 'vitest'
import { telegramDialect } from '../platforms/telegram/dialect.ts'
import { plainDialect } from './dialect.ts'
import { renderMarkdown, renderPlain } from './render.ts'

const telegram = { dialect: telegramDialect, max: 4000, unit: 'utf16' } as const
const html = (source: string): string[] => renderMarkdown(source, telegram).map((part) => part.body)

const constructs: readonly [why: string, source: string, body: string][] = [
  ['a heading is bold', '# Title *x*\ntext', '<b>Title <i>x</i></b>\ntext'],
  ['emphasis nests', '**a *b* ~~c~~**', '<b>a <i>b</i> <s>c</s></b>'],
  ['a mark is not opened twice', '**a __b__**', '<b>a b</b>'],
  ['inline code is literal', '`a&amp;*b*`', '<code>a&amp;amp;*b*</code>'],
  ['fenced code keeps its language', '```ts title\na < b\n```', '<pre><code class="language-ts">a &lt; b</code></pre>'],
  ['fenced code without a language', '~~~\n  a\n\nb\n~~~', '<pre>  a\n\nb</pre>'],
  ['a fence that is not closed', 'x\n```js\na', 'x\n<pre><code class="language-js">a</code></pre>'],
  ['indented code', 'x\n\n    a\n    b', 'x\n\n<pre>a\nb</pre>'],
  ['a link', '[a & b](https://e.org/?a=1&amp;b="2")', '<a href="https://e.org/?a=1&amp;b=&quot;2&quot;">a &amp; b</a>'],
  ['an autolink', 'see www.e.org', 'see <a href="http://www.e.org">www.e.org</a>'],
  ['a reference', '[a][r]\n\n[r]: http://e.org', '<a href="http://e.org">a</a>'],
  ['an unused definition is text', '[r]: http://e.org', '[r]: http://e.org'],
  ['a link with another scheme is text', '[a](javascript:x)', 'a (javascript:x)'],
  ['an image is a link', '![cat](http://e.org/c.png)', '<a href="http://e.org/c.png">cat</a>'],
  ['an image without text', '![](http://e.org/c.png)', '<a href="http://e.org/c.png">http://e.org/c.png</a>'],
  ['lists nest', '- a\n- b\n  1. c\n  2. d\n     e', '• a\n• b\n  1. c\n  2. d\n     e'],
  ['a list keeps its first number', '7. a\n8. b', '7. a\n8. b'],
  ['tasks', '- [x] a\n- [ ] b', '☑ a\n☐ b'],
  ['loose tasks', '- [x] a\n\n- [ ] b', '☑ a\n\n☐ b'],
  ['a quote, and one in it', '> a\n> > b\n> > c', '<blockquote>a\n&gt; b\n&gt; c</blockquote>'],
  ['code in a quote', '> a\n>\n> ```\n> b\n> ```', '<blockquote>a</blockquote>\n\n<pre>b</pre>'],
  ['a thematic break', 'a\n\n***\n\nb', 'a\n\n──────────\n\nb'],
  ['a table', '|a|n|\n|-|-:|\n|中文|1|', '<pre>a    |   n\n-----+----\n中文 |   1</pre>'],
  [
    'HTML is text',
    'a <b>x</b> &lt;\n\n<div>&amp;</div>',
    'a &lt;b&gt;x&lt;/b&gt; &lt;\n\n&lt;div&gt;&amp;amp;&lt;/div&gt;',
  ],
  ['entities are decoded once', '&amp;lt; &#65; &copy; &nope; &amp;#65;', '&amp;lt; A © &amp;nope; &amp;#65;'],
  ['footnotes are text', 'a[^1]\n\n[^1]: note', 'a[^1]\n\n[^1]: note'],
  ['escapes', '\\*a\\* \\`', '*a* `'],
  ['line breaks stay', 'a\nb  \nc\\\nd', 'a\nb\nc\nd'],
  ['control characters are dropped', 'a\u0000b\u0007\tc*\u009f', 'ab\tc*'],
  ['a lone surrogate is replaced', '*a\ud800*', '<i>a\ufffd</i>'],
  ['overrides of direction stay', '*a\u202eb*', '<i>a\u202eb</i>'],
]

describe('constructs', () => {
  it.each(constructs)('%s', (_why, source, body) => {
    expect(html(source)).toEqual([body])
  })

  it('lists a table that is too wide', () => {
    const wide = 'w'.repeat(40)
    expect(html(`|a|**b**|\n|-|-|\n|${wide}|${wide}|\n|1|2|`)).toEqual([
      `a: ${wide}\n<b>b</b>: ${wide}\n\na: 1\n<b>b</b>: 2`,
    ])
  })

  it('tells addresses in the plain form', () => {
    expect(renderMarkdown('**[a](http://e.org)** <http://x.org>', telegram)[0]?.plain).toBe(
      'a (http://e.org) http://x.org',
    )
  })

  it.each(['', ' \n\t', '\u200b\u2060', '&nbsp;', '\u0000'])('has no part when nothing would be seen: %j', (source) => {
    expect(html(source)).toEqual([])
    if (!source.includes('&')) expect(renderPlain(source, telegram)).toEqual([])
  })
})

const split = (source: string, max: number): string[] =>
  renderMarkdown(source, { dialect: telegramDialect, max, unit: 'utf16' }).map((part) => part.body)

const splits: readonly [why: string, source: string, max: number, parts: string[]][] = [
  ['between blocks first', 'one two.\n\nthree four\nfive six', 24, ['one two.\n\nthree four', 'five six']],
  ['a block before a line', 'one two three.\n\nfour\nfive six', 22, ['one two three.', 'four\nfive six']],
  ['then between lines', 'one two. three\nfour five six', 20, ['one two. three', 'four five six']],
  ['then between sentences', 'One two three. Four five', 20, ['One two three.', 'Four five']],
  [
    'between sentences without spaces',
    '一二三四五六七八九十。一二三四五六七',
    16,
    ['一二三四五六七八九十。', '一二三四五六七'],
  ],
  ['then between words', 'one two three four five', 16, ['one two three', 'four five']],
  ['then between characters', 'a'.repeat(20), 16, ['a'.repeat(16), 'aaaa']],
  ['marks go on', '**one two three four five**', 16, ['<b>one two three</b>', '<b>four five</b>']],
  [
    'a fence keeps its language',
    '```c\none two three\nfour five six\n```',
    16,
    [
      '<pre><code class="language-c">one two three</code></pre>',
      '<pre><code class="language-c">four five six</code></pre>',
    ],
  ],
]

describe('splitting', () => {
  it.each(splits)('%s', (_why, source, max, parts) => {
    expect(split(source, max)).toEqual(parts)
  })

  it('keeps the indentation of a line that begins a part', () => {
    expect(split(`\`\`\`\n${'a'.repeat(60)}\n    b\n\`\`\``, 64)).toEqual([
      `<pre>${'a'.repeat(60)}</pre>`,
      '<pre>    b</pre>',
    ])
  })

  it('divides a cluster that is longer than a part, but no surrogate pair', () => {
    const family = '👩‍👩‍👧‍👦'
    const parts = renderPlain(family, { max: 16, unit: 'bytes' }).map((part) => part.body)
    expect(parts.join('')).toBe(family)
    expect(parts.length).toBe(2)
    expect(parts.every((part) => part.isWellFormed())).toBe(true)
  })

  it('has at most as many marks as allowed', () => {
    const parts = split(Array.from({ length: 250 }, (_, i) => `*${i}*`).join(' '), 4000)
    expect(parts.map((part) => part.split('<i>').length - 1)).toEqual([100, 100, 50])
  })

  it('writes an address that does not fit as a link after its text', () => {
    const options = { dialect: plainDialect, max: 20, unit: 'utf16' } as const
    const bodies = renderMarkdown('[here](http://example.org/abc)', options).map((part) => part.body)
    expect(bodies.join('').replaceAll(' ', '')).toBe('here(http://example.org/abc)')
  })

  it.each([15, 0, -1, 20.5, Number.NaN])('refuses a size of %s', (max) => {
    expect(() => renderMarkdown('a', { ...telegram, max })).toThrow(RangeError)
    expect(() => renderPlain('a', { max, unit: 'bytes' })).toThrow(RangeError)
  })
})

const hostile: readonly [why: string, source: string][] = [
  ['a million stars', '*'.repeat(1_000_000)],
  ['ten thousand quotes', `${'>'.repeat(10_000)} a`],
  ['ten thousand spaced quotes', `${'> '.repeat(10_000)} a`],
  ['ten thousand brackets', '['.repeat(10_000)],
  ['ten thousand bullets', `${'* '.repeat(10_000)}a`],
  ['ten thousand nested emphases', `${'**a _b '.repeat(5_000)}${'b_ a** '.repeat(5_000)}`],
  [
    'a table of a million cells that are not there',
    `${'|a'.repeat(4_000)}|\n${'|-'.repeat(4_000)}|\n${'a\n'.repeat(10_000)}`,
  ],
  ['a word that may be an address', `${'a.'.repeat(20_000)}@`],
  ['a line that goes on and on', `- a\n${'b\n'.repeat(20_000)}`],
  ['a million combining characters', `a${'\u0301'.repeat(1_000_000)}`],
  ['a million empty lines', `a${'\n'.repeat(1_000_000)}b`],
  ['a million spaces', `a${' '.repeat(1_000_000)}b`],
]

it.each(hostile)('shows what it cannot read as it is: %s', (_why, source) => {
  const parts = renderMarkdown(source, telegram)
  expect(parts.every((part) => part.plain.length <= 4000)).toBe(true)
  expect(
    parts
      .map((part) => part.plain)
      .join('')
      .replaceAll(/\s/g, ''),
  ).toBe(source.replaceAll(/\s/g, ''))
})
