import {
  linkStyle,
  markdownBlocks,
  plainBlocks,
  type ShownBlock,
  type ShownSpan,
  type SpanStyle,
} from '../kit/shown-blocks.ts'
import type { Message, MessageEntity } from './wire.ts'

/** What people see of a message: entities say how, offsets are UTF-16 units. */
export function telegramBlocks(
  text: string,
  entities: readonly MessageEntity[] = [],
  rich?: Message['rich_message'],
): readonly ShownBlock[] {
  if (rich?.markdown !== undefined) return markdownBlocks(rich.markdown)
  const blocks: ShownBlock[] = []
  let at = 0
  for (const entity of entities.filter(({ type }) => BLOCKS.has(type)).toSorted((a, b) => a.offset - b.offset)) {
    const end = entity.offset + entity.length
    if (entity.offset < at) continue
    blocks.push(...paragraph(text, entities, at, entity.offset), blockOf(text, entities, entity))
    at = end
  }
  blocks.push(...paragraph(text, entities, at, text.length))
  return blocks.length === 0 ? plainBlocks(text) : blocks
}

const BLOCKS = new Set(['pre', 'blockquote', 'expandable_blockquote'])

function blockOf(text: string, entities: readonly MessageEntity[], entity: MessageEntity): ShownBlock {
  const { type, offset, length, language } = entity
  if (type !== 'pre') return { type: 'quote', spans: spansOf(text, entities, offset, offset + length) }
  const code = { text: text.slice(offset, offset + length) }
  return { type: 'code', ...(language !== undefined && { language }), spans: [code] }
}

/** What stands between two blocks, without the line breaks beside them. */
function paragraph(text: string, entities: readonly MessageEntity[], from: number, to: number): readonly ShownBlock[] {
  const start = from + (/^\n+/.exec(text.slice(from, to))?.[0].length ?? 0)
  const end = to - (/\n+$/.exec(text.slice(start, to))?.[0].length ?? 0)
  return end <= start ? [] : [{ type: 'paragraph', spans: spansOf(text, entities, start, end) }]
}

const STYLES: Readonly<Record<string, SpanStyle>> = {
  bold: { bold: true },
  italic: { italic: true },
  strikethrough: { strike: true },
  code: { code: true },
}

/** Cut wherever the look changes. */
function spansOf(text: string, entities: readonly MessageEntity[], from: number, to: number): readonly ShownSpan[] {
  const inside = entities.filter(
    ({ type, offset, length }) => !BLOCKS.has(type) && offset < to && offset + length > from,
  )
  const edges = inside.flatMap(({ offset, length }) => [offset, offset + length])
  const cuts = [...new Set([from, ...edges.filter((edge) => edge > from && edge < to), to])].toSorted((a, b) => a - b)
  return cuts.slice(0, -1).map((cut, index) => {
    const over = inside.filter(({ offset, length }) => offset <= cut && cut < offset + length)
    const look = over.reduce<SpanStyle>((style, entity) => ({ ...style, ...styleOf(text, entity) }), {})
    return { text: text.slice(cut, cuts[index + 1]), ...look }
  })
}

function styleOf(text: string, { type, offset, length, url }: MessageEntity): SpanStyle {
  if (type === 'text_link' || type === 'url') return linkStyle(url ?? text.slice(offset, offset + length))
  return STYLES[type] ?? {}
}
