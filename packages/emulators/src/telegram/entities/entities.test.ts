import { expect, it } from 'vitest'
import { withDetectedEntities, limitEntities, scalarLength } from './finish.ts'
import { parseHtml } from './html.ts'
import { parseMarkdown } from './markdown.ts'
import { parseMarkdownV2 } from './markdown-v2.ts'

/** Entities as `type:the text they cover:extra`. */
const shown = ({ text, entities }: ReturnType<typeof parseHtml>): readonly string[] => [
  text,
  ...entities.map(({ type, offset, length, url, language }) =>
    [type, text.slice(offset, offset + length), url ?? language].filter(Boolean).join(':'),
  ),
]

const html: readonly [source: string, text: string, ...entities: string[]][] = [
  ['a &lt;b&gt; &amp; &quot; &#65;&#x42; &nbsp; & &#0;', 'a <b> & " AB &nbsp; & &#0;'],
  ['<b>x</b> <strong>y</strong>', 'x y', 'bold:x', 'bold:y'],
  ['<b>x <i>y</i></b>', 'x y', 'bold:x y', 'italic:y'],
  [
    '<u>a</u><ins>b</ins><s>c</s><strike>d</strike><del>e</del>',
    'abcde',
    'underline:a',
    'underline:b',
    'strikethrough:c',
    'strikethrough:d',
    'strikethrough:e',
  ],
  ['<span class="tg-spoiler">a</span><tg-spoiler>b</tg-spoiler>', 'ab', 'spoiler:a', 'spoiler:b'],
  ['<pre>a</pre>', 'a', 'pre:a'],
  ['<pre><code class="language-ts">a\n</code></pre>', 'a', 'pre:a:ts'],
  ['<code><b>x</b></code>', 'x', 'code:x'],
  ['<a href="https://e.org/?a=1&amp;b=2">x</a>', 'x', 'text_link:x:https://e.org/?a=1&b=2'],
  ["<a href='javascript:alert(1)'>x</a>", 'x'],
  ['<blockquote>q</blockquote><blockquote expandable>r</blockquote>', 'qr', 'blockquote:q', 'expandable_blockquote:r'],
  ['😀<b>é</b>', '😀é', 'bold:é'],
  ['  <b> x </b>  ', 'x', 'bold:x'],
  ['<B>x</b>', 'x', 'bold:x'],
]
it.each(html)('HTML %s', (source, ...expected) => {
  expect(shown(parseHtml(source))).toEqual(expected)
})

const broken: readonly [parse: (source: string) => unknown, source: string, why: string][] = [
  [parseHtml, '<b>x', `Can't find end tag corresponding to start tag "b"`],
  [parseHtml, 'x</b>', 'Unexpected end tag at byte offset 1'],
  [parseHtml, '<b>x</i>', 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'],
  [parseHtml, 'é<br>', 'Unsupported start tag "br" at byte offset 2'],
  [parseHtml, 'a < b', 'Unsupported start tag "" at byte offset 2'],
  [parseHtml, '<b', 'Unclosed start tag at byte offset 0'],
  [parseHtml, '<span>x</span>', 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
  [parseMarkdownV2, 'a.b', `Character '.' is reserved and must be escaped with the preceding '\\'`],
  [parseMarkdownV2, '*a', "Can't find end of Bold entity at byte offset 0"],
  [parseMarkdownV2, '`a', "Can't find end of Code entity at byte offset 0"],
  [parseMarkdown, 'snake_case', "Can't find end of the entity starting at byte offset 5"],
]
it.each(broken)('%o refuses %s', (parse, source, why) => {
  expect(() => parse(source)).toThrow(`Bad Request: can't parse entities: ${why}`)
})

const markdown: readonly [parse: typeof parseHtml, source: string, text: string, ...entities: string[]][] = [
  [
    parseMarkdownV2,
    '*a _b_* \\. ~c~ ||d|| __e__',
    'a b . c d e',
    'bold:a b',
    'italic:b',
    'strikethrough:c',
    'spoiler:d',
    'underline:e',
  ],
  [parseMarkdownV2, '`a.b` ```js\nx\\`y```', 'a.b x`y', 'code:a.b', 'pre:x`y:js'],
  [parseMarkdownV2, '[a](https://e.org/\\))', 'a', 'text_link:a:https://e.org/)'],
  [parseMarkdownV2, '>a\n>b\nc', 'a\nb\nc', 'blockquote:a\nb'],
  [
    parseMarkdown,
    '*a* _b_ `c.d` [e](https://e.org) \\_',
    'a b c.d e _',
    'bold:a',
    'italic:b',
    'code:c.d',
    'text_link:e:https://e.org',
  ],
]
it.each(markdown)('%o %s', (parse, source, ...expected) => {
  expect(shown(parse(source))).toEqual(expected)
})

const found: readonly [text: string, ...entities: string[]][] = [
  ['see https://e.org/a, or a@e.org', 'url:https://e.org/a', 'email:a@e.org'],
  ['/start@some_bot @ann #tag', 'bot_command:/start@some_bot', 'mention:@ann', 'hashtag:#tag'],
  ['a/b 1/2 x@y </b>'],
]
it.each(found)('finds in %s', (text, ...expected) => {
  expect(shown(withDetectedEntities({ text, entities: [] })).slice(1)).toEqual(expected)
})

it('keeps 100 entities and ignores further ones', () => {
  const formatted = limitEntities(parseHtml('<b>x</b> '.repeat(150)))
  expect(formatted.entities).toHaveLength(100)
  expect(formatted.text).toHaveLength(299)
})

it('refuses entities of more than about 9 500 bytes', () => {
  const links = (length: number): string => `<a href="https://e.org/${'x'.repeat(length)}">a</a> `.repeat(95)
  expect(limitEntities(parseHtml(links(70))).entities).toHaveLength(95)
  expect(() => limitEntities(parseHtml(links(80)))).toThrow('Bad Request: ENTITIES_TOO_LONG')
})

it.each([
  ['abc', 3],
  ['😀😀', 2],
  ['\ud83d', 1],
  ['\udc00\ud83d😀', 3],
  ['', 0],
])('counts the scalars of %j', (text, count) => {
  expect(scalarLength(text)).toBe(count)
})
