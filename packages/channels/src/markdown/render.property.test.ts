import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seeDingtalk, seenDialect } from '../platforms/dingtalk/dialect.fixture.ts'
import { seeDiscord } from '../platforms/discord/dialect.fixture.ts'
import { discordDialect } from '../platforms/discord/dialect.ts'
import { seeFeishu, seenFeishuDialect } from '../platforms/feishu/dialect.fixture.ts'
import { telegramDialect } from '../platforms/telegram/dialect.ts'
import { seeWecom } from '../platforms/wecom/dialect.fixture.ts'
import { wecomDialect } from '../platforms/wecom/dialect.ts'
import { cleanText, isBlank, measureText } from './plain-text.ts'
import { type Dialect, plainDialect } from './dialect.ts'
import { markdownLike, type Seen, seeHtml, seeMarkdownLike } from './dialects.fixture.ts'
import { readMarkdown } from './read.ts'
import { renderMarkdown, renderPlain } from './render.ts'

const FLOOD = 1_000_000
const seePlain = (body: string): Seen => ({ text: body, marks: 0 })
const dialects: readonly [name: string, dialect: Dialect, see: (body: string) => Seen][] = [
  ['visible, HTML', telegramDialect, seeHtml],
  ['visible, HTML, few marks', { ...telegramDialect, maxMarks: 8 }, seeHtml],
  ['rendered, Markdown-like', markdownLike, seeMarkdownLike],
  ['WeCom', wecomDialect, seeWecom],
  ['rendered, plain', plainDialect, seePlain],
  ['Discord', discordDialect, seeDiscord],
  ['DingTalk', seenDialect, seeDingtalk],
  ['Feishu', seenFeishuDialect, seeFeishu],
]

const squeeze = (text: string): string => text.replace(/\s+/g, '')
const unit = fc.constantFrom('utf16', 'code_points', 'bytes')
const max = fc.oneof(fc.integer({ min: 16, max: 64 }), fc.integer({ min: 65, max: 4000 }))

const anyText = fc.string({ unit: 'binary', maxLength: 300 })
const piece = fc.oneof(
  fc.constantFrom(
    'word',
    'two words',
    '中文，句子。',
    '👩‍👩‍👧‍👦',
    '🇩🇪🇫🇷',
    'e\u0301',
    '&amp;',
    '<b>',
    'a_b',
    '1 < 2',
    'न्मस्ते',
    'end. Next',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
)
const inline = fc.letrec<{ inline: string }>((tie) => ({
  inline: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    piece,
    tie('inline').map((text) => `**${text}**`),
    tie('inline').map((text) => `_${text}_`),
    tie('inline').map((text) => `~~${text}~~`),
    piece.map((text) => `\`${text}\``),
    fc
      .tuple(
        tie('inline'),
        fc.constantFrom('https://e.org/a?b=1&c="2"', 'tg://user?id=1', 'javascript:x', `http://x/${'long'.repeat(30)}`),
      )
      .map(([text, href]) => `[${text}](${href})`),
    piece.map((text) => `![${text}](https://e.org/i.png)`),
    fc.tuple(tie('inline'), tie('inline')).map((pair) => pair.join(' ')),
  ),
})).inline
const prefixed = (text: string, first: string, rest: string): string => first + text.replaceAll('\n', `\n${rest}`)
const block = fc.letrec<{ block: string }>((tie) => ({
  block: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.array(inline, { minLength: 1, maxLength: 5 }).map((lines) => lines.join('\n')),
    inline.map((text) => `## ${text}`),
    fc
      .tuple(fc.constantFrom('', 'ts', 'c++'), fc.array(piece, { maxLength: 6 }))
      .map(([language, lines]) => `\`\`\`${language}\n${lines.join('\n    ')}\n\`\`\``),
    tie('block').map((text) => prefixed(text, '> ', '> ')),
    fc
      .array(tie('block'), { minLength: 1, maxLength: 3 })
      .map((items) => items.map((text) => prefixed(text, '- ', '  ')).join('\n')),
    fc
      .array(inline, { minLength: 1, maxLength: 3 })
      .map((items) => items.map((text, i) => `${i + 7}. [ ] ${text}`).join('\n')),
    fc
      .array(fc.tuple(piece, inline), { minLength: 1, maxLength: 4 })
      .map((rows) => `| a | b |\n|---|:-:|\n${rows.map(([a, b]) => `| ${a} | ${b} |`).join('\n')}`),
    fc.constantFrom('---', '<div>\n<b>x</b>\n</div>', '[x]: http://e.org', 'text[^1]\n\n[^1]: note'),
  ),
})).block
const markdown = fc.array(block, { minLength: 1, maxLength: 8 }).map((blocks) => blocks.join('\n\n'))

describe.each(dialects)('%s', (_name, dialect, see) => {
  const check = (source: string, options: { max: number; unit: 'utf16' | 'code_points' | 'bytes' }): void => {
    const parts = renderMarkdown(source, { dialect, ...options })
    expect(renderMarkdown(source, { dialect, ...options })).toEqual(parts)
    const whole = renderMarkdown(source, { dialect: { ...dialect, maxMarks: FLOOD }, max: FLOOD, unit: options.unit })
    for (const part of parts) {
      const seen = see(part.body)
      const measured = dialect.measures === 'rendered' ? part.body : seen.text
      expect(measureText(measured, options.unit)).toBeLessThanOrEqual(options.max)
      expect(measureText(part.plain, options.unit)).toBeLessThanOrEqual(options.max)
      expect(seen.marks).toBeLessThanOrEqual(dialect.maxMarks ?? FLOOD)
      expect(seen.text.trim()).not.toBe('')
      expect(part.plain.trim()).not.toBe('')
    }
    const text = (list: typeof parts): string => squeeze(list.map((part) => see(part.body).text).join(''))
    // an address that does not fit as a link is shown after its text
    const added = new RegExp(`\\((?:https?|tg|mailto):[^()]*\\)`, 'g')
    expect(text(parts).replace(added, '')).toBe(text(whole).replace(added, ''))
    const read = readMarkdown(source)
    if (!isBlank(read.map((run) => run.text).join(''))) {
      expect(text(whole).replace(added, '')).toBe(squeeze(read.map((run) => run.text).join('')).replace(added, ''))
    }
  }

  it('loses nothing of any text and stays within the limit', () => {
    fc.assert(
      fc.property(anyText, max, unit, (source, size, by) => check(source, { max: size, unit: by })),
      { numRuns: 400 },
    )
  })

  it('loses nothing of any Markdown, stays within the limit and balances every part', () => {
    fc.assert(
      fc.property(markdown, max, unit, (source, size, by) => check(source, { max: size, unit: by })),
      { numRuns: 400 },
    )
  })
})

describe('plain text', () => {
  it('keeps every character but white space at a break, and is the same when split again', () => {
    fc.assert(
      fc.property(anyText, max, unit, (source, size, by) => {
        const parts = renderPlain(source, { max: size, unit: by }).map((part) => part.body)
        if (parts.length > 0) expect(squeeze(parts.join(''))).toBe(squeeze(cleanText(source)))
        else expect(isBlank(cleanText(source))).toBe(true)
        for (const part of parts)
          expect(renderPlain(part, { max: size, unit: by }).map((again) => again.body)).toEqual([part])
      }),
    )
  })

  it('is divided between grapheme clusters', () => {
    const cluster = fc.constantFrom('👩‍👩‍👧‍👦', '🇩🇪', 'e\u0301', 'a', ' ', '\n', '。', '한', '🏽', 'क्षि', '. ')
    const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })
    fc.assert(
      fc.property(fc.array(cluster, { minLength: 1, maxLength: 80 }), unit, (clusters, by) => {
        const source = clusters.join('')
        const longest = Math.max(...Array.from(segmenter.segment(source), ({ segment }) => measureText(segment, by)))
        fc.pre(longest <= 32)
        const borders = new Set(Array.from(segmenter.segment(source), ({ index }) => index))
        let at = 0
        for (const { body } of renderPlain(source, { max: 32, unit: by })) {
          at = source.indexOf(body, at)
          expect(at).toBeGreaterThanOrEqual(0)
          expect(borders.has(at)).toBe(true)
          at += body.length
        }
      }),
    )
  })

  it('is rendered alike with and without the fast path', () => {
    const plain = fc.array(
      fc.constantFrom('word', ' ', 'a.', '\n', '\n\n', '1.', 'é', '中', '!', ':', '"', '-', '#', '='),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(plain, (words) => {
        const source = words.join('')
        const fast = renderMarkdown(source, { dialect: telegramDialect, max: 4000, unit: 'utf16' })
        const slow = renderMarkdown(`${source.trim()}\n\n*x*`, { dialect: telegramDialect, max: 4000, unit: 'utf16' })
        fc.pre(fast.length === 1)
        const lines = (text = ''): string => text.replaceAll(/ +\n/g, '\n').trim()
        expect(lines(slow[0]?.plain)).toBe(lines(`${fast[0]?.plain.trimEnd()}\n\nx`))
      }),
      { numRuns: 500 },
    )
  })
})
