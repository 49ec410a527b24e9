import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { previewPart } from '../api/history-shapes.ts'
import type { ShownBlock } from '../markdown/shown.ts'
import { platforms } from '../platforms/registry.ts'
import { renderText, previewMessage } from './plan.ts'

const text = ({ type, spans = [] }: ShownBlock): string =>
  type === 'rule' ? '──' : spans.map((span) => span.text).join('')

describe.each(Object.values(platforms))('the preview of $id', (platform) => {
  const hasQuote = platform.dialect.wrap({ type: 'quote' }) !== null
  const listBlocks = (markdown: string): readonly ShownBlock[] =>
    previewMessage(markdown, platform).flatMap((part) => previewPart.parse(part).blocks)

  it('is of what the outbox sends, within the limit, and links nowhere but to web and mail', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(
        '# a ',
        '**b** ',
        '> c\n',
        '- d\n',
        '\n\n',
        '```js\ne\n```\n',
        '[x](javascript:y) ',
        '[x](tg://z) ',
        '<https://e.org/?a=1> ',
        'long '.repeat(700),
      ),
    )
    const check = (pieces: readonly string[]): void => {
      const source = pieces.join('')
      const parts = previewMessage(source, platform)
      expect(parts.map(({ markup }) => markup)).toEqual(
        renderText(source, platform).map((content) => (content.kind === 'text' ? content.body : '')),
      )
      for (const part of parts) {
        previewPart.parse(part)
        expect(part.size).toBeLessThanOrEqual(part.limit)
        for (const { href } of part.blocks.flatMap(({ spans }) => spans ?? []))
          expect(href ?? 'https:').toMatch(/^(https?|mailto):/)
      }
    }
    fc.assert(fc.property(fc.array(piece, { maxLength: 12 }), check), { numRuns: 60 })
  })

  it('shows blocks, and what this platform cannot show as it shows it', () => {
    const blocks = listBlocks(
      '# Head\n\nText ~~struck~~\n\n- one\n  more\n  - deep\n- [x] done\n\n> said\n\n---\n\n```js\nlet a\n```',
    )
    const [head, paragraph] = blocks
    expect(['heading', 'paragraph']).toContain(head?.type)
    expect(head?.type === 'heading' || head?.spans?.[0]?.bold === true).toBe(true)
    expect(paragraph?.spans?.some(({ strike }) => strike) ?? false).toBe(
      platform.dialect.wrap({ type: 'strike' }) !== null,
    )
    expect(blocks.map((block) => [block.type, text(block)]).slice(1)).toEqual([
      ['paragraph', 'Text struck'],
      ['item', 'one\nmore'],
      ['item', 'deep'],
      ['item', 'done'],
      [hasQuote ? 'quote' : 'paragraph', 'said'],
      ['rule', '──'],
      ['code', 'let a'],
    ])
    expect(blocks.filter(({ type }) => type === 'item').map(({ marker, level }) => [marker, level])).toEqual([
      ['•', 0],
      ['◦', 1],
      ['☑', 0],
    ])
    expect(blocks.at(-1)?.language).toBe('js')
  })

  it('tells of nothing where nothing would be seen', () => {
    expect(previewMessage(' \u200b\n', platform)).toEqual([])
  })
})
