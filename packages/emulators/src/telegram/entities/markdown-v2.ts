import type { FormattedText, MessageEntity } from '../wire.ts'
import { finishEntities, byteOffset } from './finish.ts'
import { parseError } from './html.ts'

const MARKERS: readonly (readonly [marker: string, type: string, name: string])[] = [
  ['__', 'underline', 'Underline'],
  ['||', 'spoiler', 'Spoiler'],
  ['*', 'bold', 'Bold'],
  ['_', 'italic', 'Italic'],
  ['~', 'strikethrough', 'Strikethrough'],
]

const RESERVED = new Set('_*[]()~`>#+-=|{}.!')

interface Open {
  readonly type: string
  readonly name: string
  readonly offset: number
  readonly place: number
}

interface Reader {
  readonly source: string
  at: number
  text: string
  readonly open: Open[]
  readonly entities: MessageEntity[]
}

/** Parses parse_mode MarkdownV2. @throws {TelegramFailure} 400 "can't parse entities: …" @see Bot API, "MarkdownV2 style" */
export function parseMarkdownV2(source: string): FormattedText {
  const reader: Reader = { source, at: 0, text: '', open: [], entities: [] }
  while (reader.at < source.length) step(reader)
  closeQuote(reader)
  const unclosed = reader.open.at(-1)
  if (unclosed)
    throw parseError(`Can't find end of ${unclosed.name} entity at byte offset ${byteOffset(source, unclosed.place)}`)
  return finishEntities(reader.text, reader.entities)
}

function step(reader: Reader): void {
  const { source, at } = reader
  const character = source[at] ?? ''
  if (character === '\\' && at + 1 < source.length && source.charCodeAt(at + 1) < 127) return take(reader, 1, 1)
  if (character === '\n') return newLine(reader)
  if (character === '>' && (at === 0 || source[at - 1] === '\n')) return openQuote(reader)
  if (source.startsWith('```', at)) return fence(reader)
  if (character === '`') return code(reader)
  if (character === '[' || source.startsWith('![', at)) return openLink(reader)
  if (character === ']' && reader.open.at(-1)?.type === 'text_link') return closeLink(reader)
  const marker = MARKERS.find(([text]) => source.startsWith(text, at))
  if (marker) return toggle(reader, marker)
  if (RESERVED.has(character)) {
    throw parseError(`Character '${character}' is reserved and must be escaped with the preceding '\\'`)
  }
  take(reader, 0, 1)
}

function take(reader: Reader, skip: number, length: number): void {
  reader.text += reader.source.slice(reader.at + skip, reader.at + skip + length)
  reader.at += skip + length
}

function toggle(reader: Reader, [marker, type, name]: readonly [string, string, string]): void {
  const top = reader.open.at(-1)
  if (top?.type === type) {
    reader.open.pop()
    push(reader, { type, offset: top.offset })
  } else {
    reader.open.push({ type, name, offset: reader.text.length, place: reader.at })
  }
  reader.at += marker.length
}

function push(reader: Reader, entity: Omit<MessageEntity, 'length'>): void {
  const length = reader.text.length - entity.offset
  if (length > 0) reader.entities.push({ ...entity, length })
}

function verbatim(reader: Reader, marker: string, name: string): string {
  const place = reader.at
  let body = ''
  for (reader.at += marker.length; reader.at < reader.source.length; reader.at++) {
    if (reader.source.startsWith(marker, reader.at)) {
      reader.at += marker.length
      return body
    }
    if (reader.source[reader.at] === '\\') reader.at++
    body += reader.source[reader.at] ?? ''
  }
  throw parseError(`Can't find end of ${name} entity at byte offset ${byteOffset(reader.source, place)}`)
}

function code(reader: Reader): void {
  const offset = reader.text.length
  reader.text += verbatim(reader, '`', 'Code')
  push(reader, { type: 'code', offset })
}

function fence(reader: Reader): void {
  const offset = reader.text.length
  const body = verbatim(reader, '```', 'Pre')
  const language = /^([^\s`]+)\n/.exec(body)?.[1]
  reader.text += body.slice(language === undefined ? 0 : language.length).replace(/^\n/, '')
  push(reader, { type: 'pre', offset, ...(language !== undefined && { language }) })
}

function openLink(reader: Reader): void {
  reader.open.push({ type: 'text_link', name: 'TextUrl', offset: reader.text.length, place: reader.at })
  reader.at += reader.source[reader.at] === '!' ? 2 : 1
}

function closeLink(reader: Reader): void {
  const top = reader.open.pop()
  reader.at++
  if (!top || reader.source[reader.at] !== '(') return
  reader.at++
  let url = ''
  for (; reader.at < reader.source.length && reader.source[reader.at] !== ')'; reader.at++) {
    if (reader.source[reader.at] === '\\') reader.at++
    url += reader.source[reader.at] ?? ''
  }
  if (reader.at >= reader.source.length) {
    throw parseError(`Can't find end of a URL at byte offset ${byteOffset(reader.source, top.place)}`)
  }
  reader.at++
  if (url !== '') push(reader, { type: 'text_link', offset: top.offset, url })
}

function openQuote(reader: Reader): void {
  if (reader.open[0]?.type !== 'blockquote') {
    if (reader.open.length > 0)
      throw parseError("Character '>' is reserved and must be escaped with the preceding '\\'")
    reader.open.push({ type: 'blockquote', name: 'Blockquote', offset: reader.text.length, place: reader.at })
  }
  reader.at++
}

function newLine(reader: Reader): void {
  if (reader.open[0]?.type === 'blockquote' && reader.source[reader.at + 1] !== '>') closeQuote(reader)
  take(reader, 0, 1)
}

function closeQuote(reader: Reader): void {
  const [quote] = reader.open
  if (quote?.type !== 'blockquote' || reader.open.length !== 1) return
  reader.open.length = 0
  push(reader, { type: 'blockquote', offset: quote.offset })
}
