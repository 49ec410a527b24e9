import type { FormattedText, MessageEntity } from '../wire.ts'
import { finishEntities, byteOffset } from './finish.ts'
import { parseError } from './html.ts'

/** Parses the legacy parse_mode Markdown, which does not nest. @throws {TelegramFailure} 400 "can't parse entities: …" */
export function parseMarkdown(source: string): FormattedText {
  const entities: MessageEntity[] = []
  let text = ''
  let at = 0
  while (at < source.length) {
    const character = source[at] ?? ''
    if (character === '\\' && /[_*`[]/.test(source[at + 1] ?? '')) {
      text += source[at + 1] ?? ''
      at += 2
      continue
    }
    const entity = /[_*`[]/.test(character) ? readEntity(source, at) : null
    if (entity === null) {
      text += character
      at++
      continue
    }
    if (entity.label !== '' && entity.type !== null) {
      const { type, url, language } = entity
      entities.push({
        type,
        offset: text.length,
        length: entity.label.length,
        ...(url && { url }),
        ...(language && { language }),
      })
    }
    text += entity.label
    at = entity.end
  }
  return finishEntities(text, entities)
}

interface Found {
  /** `null` for brackets that aren't a link. */
  readonly type: string | null
  readonly label: string
  readonly end: number
  readonly url?: string
  readonly language?: string
}

function readEntity(source: string, at: number): Found {
  const marker = source.startsWith('```', at) ? '```' : (source[at] ?? '')
  const closing = marker === '[' ? ']' : marker
  const close = source.indexOf(closing, at + marker.length)
  if (close === -1) throw parseError(`Can't find end of the entity starting at byte offset ${byteOffset(source, at)}`)
  const label = source.slice(at + marker.length, close)
  const end = close + closing.length
  if (marker === '*') return { type: 'bold', label, end }
  if (marker === '_') return { type: 'italic', label, end }
  if (marker === '`') return { type: 'code', label, end }
  if (marker === '```') {
    const language = /^([^\s`]+)\n/.exec(label)?.[1]
    const body = label.slice(language?.length ?? 0).replace(/^\n/, '')
    return { type: 'pre', label: body, end, ...(language !== undefined && { language }) }
  }
  const target = /^\(([^)]*)\)/.exec(source.slice(end))
  return target?.[1]
    ? { type: 'text_link', label, end: end + target[0].length, url: target[1] }
    : { type: null, label, end }
}
