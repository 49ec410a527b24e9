import { isRecord } from '../../kit/http.ts'
import { badRequest } from '../failure.ts'
import type { Parameters } from '../parameters.ts'
import type { FormattedText, MessageEntity } from '../wire.ts'
import { withDetectedEntities, finish, limited, scalarLength } from './finish.ts'
import { parseHtml } from './html.ts'
import { parseMarkdown } from './markdown.ts'
import { parseMarkdownV2 } from './markdown-v2.ts'

/** Largest text and caption, Unicode scalars after parsing. */
const LIMITS = { text: 4096, caption: 1024 } as const

/**
 * The text of a call with its entities: parse_mode wins over explicit entities. An empty text passes.
 * @throws {TelegramFailure} 400 for text that cannot be parsed or is too long.
 */
export function readFormatted(parameters: Parameters, name: 'text' | 'caption'): FormattedText {
  const parsed = parse(parameters, name)
  if (scalarLength(parsed.text) > LIMITS[name]) {
    throw badRequest(name === 'text' ? 'message is too long' : 'message caption is too long')
  }
  return limited(withDetectedEntities(parsed))
}

function parse(parameters: Parameters, name: 'text' | 'caption'): FormattedText {
  const source = parameters.text(name)
  const mode = parameters.text('parse_mode').toLowerCase()
  if (mode === 'html') return parseHtml(source)
  if (mode === 'markdownv2') return parseMarkdownV2(source)
  if (mode === 'markdown') return parseMarkdown(source)
  if (mode !== '') throw badRequest('unsupported parse_mode')
  const given = parameters.array(name === 'text' ? 'entities' : 'caption_entities')
  return finish(source, given ? readEntities(given, source.length) : [])
}

/** The valid ones of the given entities. @throws {TelegramFailure} 400 for one without type, offset and length. */
function readEntities(given: readonly unknown[], textLength: number): readonly MessageEntity[] {
  const entities: MessageEntity[] = []
  for (const item of given) {
    if (!isRecord(item)) throw badRequest("can't parse MessageEntity: expected an object")
    const { type, offset, length, url, language, custom_emoji_id } = item
    if (typeof type !== 'string' || typeof offset !== 'number' || typeof length !== 'number') {
      throw badRequest("can't parse MessageEntity: field type, offset or length is wrong")
    }
    if (offset < 0 || length <= 0 || offset + length > textLength) continue
    entities.push({
      type,
      offset,
      length,
      ...(typeof url === 'string' && { url }),
      ...(typeof language === 'string' && { language }),
      ...(typeof custom_emoji_id === 'string' && { custom_emoji_id }),
    })
  }
  return entities
}
