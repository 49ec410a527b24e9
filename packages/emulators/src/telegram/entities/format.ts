import { isRecord } from '../../kit/http.ts'
import { badRequest } from '../failure.ts'
import type { Parameters } from '../parameters.ts'
import type { FormattedText, MessageEntity } from '../wire.ts'
import { withDetectedEntities, finishEntities, limitEntities, scalarLength } from './finish.ts'
import { parseHtml } from './html.ts'
import { parseMarkdown } from './markdown.ts'
import { parseMarkdownV2 } from './markdown-v2.ts'

/** Maximum length of texts and captions, in Unicode scalars after parsing. */
const LIMITS = { text: 4096, caption: 1024 } as const

/**
 * Returns the text of a call with its entities; parse_mode takes precedence over explicit entities. Can be empty.
 * @throws {TelegramFailure} 400 when the text can't be parsed or is too long
 */
export function readFormatted(parameters: Parameters, name: 'text' | 'caption'): FormattedText {
  const parsed = parse(parameters, name)
  if (scalarLength(parsed.text) > LIMITS[name]) {
    throw badRequest(name === 'text' ? 'message is too long' : 'message caption is too long')
  }
  return limitEntities(withDetectedEntities(parsed))
}

function parse(parameters: Parameters, name: 'text' | 'caption'): FormattedText {
  const source = parameters.text(name)
  const mode = parameters.text('parse_mode').toLowerCase()
  if (mode === 'html') return parseHtml(source)
  if (mode === 'markdownv2') return parseMarkdownV2(source)
  if (mode === 'markdown') return parseMarkdown(source)
  if (mode !== '') throw badRequest('unsupported parse_mode')
  const given = parameters.array(name === 'text' ? 'entities' : 'caption_entities')
  return finishEntities(source, given ? readEntities(given, source.length) : [])
}

/** Returns the valid entities. @throws {TelegramFailure} 400 when one lacks type, offset or length */
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
