import { badRequest, type TelegramFailure } from '../failure.ts'
import type { FormattedText, MessageEntity } from '../wire.ts'
import { finishEntities, byteOffset } from './finish.ts'

const TAG_TYPES: Readonly<Record<string, string>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  code: 'code',
  pre: 'pre',
  a: 'text_link',
  blockquote: 'blockquote',
  span: 'spoiler',
  'tg-spoiler': 'spoiler',
  'tg-emoji': 'custom_emoji',
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' }

interface OpenTag {
  readonly tag: string
  readonly offset: number
  readonly attributes: ReadonlyMap<string, string>
}

/** Parses parse_mode HTML. @throws {TelegramFailure} 400 "can't parse entities: …" @see Bot API, "HTML style" */
export function parseHtml(source: string): FormattedText {
  const entities: MessageEntity[] = []
  const open: OpenTag[] = []
  let text = ''
  let at = 0
  while (at < source.length) {
    const next = source.slice(at).search(/[<&]/)
    if (next === -1) break
    text += source.slice(at, at + next)
    at += next
    if (source[at] === '&') {
      const [character, length] = readReference(source, at)
      text += character
      at += length
    } else if (source[at + 1] === '/') {
      at = closeTag(source, at, open, entities, text)
    } else {
      at = openTag(source, at, open, text.length)
    }
  }
  text += source.slice(at)
  const unclosed = open.at(-1)
  if (unclosed) throw parseError(`Can't find end tag corresponding to start tag "${unclosed.tag}"`)
  return finishEntities(text, entities)
}

/** Returns the platform's error for text that it can't parse. */
export const parseError = (why: string): TelegramFailure => badRequest(`can't parse entities: ${why}`)

/** Returns the character of a reference and its length in the source. Unknown references stand for themselves. */
function readReference(source: string, at: number): readonly [text: string, length: number] {
  const match = /^&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/i.exec(source.slice(at, at + 12))
  if (!match) return ['&', 1]
  const [whole, decimal, hexadecimal, name] = match
  if (name !== undefined) return [NAMED[name] ?? whole, whole.length]
  const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hexadecimal ?? '', 16)
  const isScalar = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return [isScalar ? String.fromCodePoint(code) : whole, whole.length]
}

function openTag(source: string, at: number, open: OpenTag[], offset: number): number {
  const place = byteOffset(source, at)
  const name = /^<([^\s>/]*)/.exec(source.slice(at, at + 64))?.[1]?.toLowerCase() ?? ''
  if (TAG_TYPES[name] === undefined) throw parseError(`Unsupported start tag "${name}" at byte offset ${place}`)
  const attributes = new Map<string, string>()
  let cursor = at + 1 + name.length
  const attribute = /\s*([a-z-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/iy
  for (;;) {
    const close = /\s*>/y
    close.lastIndex = cursor
    if (close.test(source)) {
      cursor = close.lastIndex
      break
    }
    attribute.lastIndex = cursor
    const match = attribute.exec(source)
    if (!match?.[1]) throw parseError(`Unclosed start tag at byte offset ${place}`)
    attributes.set(match[1].toLowerCase(), unescapeReferences(match[2] ?? match[3] ?? match[4] ?? ''))
    cursor = attribute.lastIndex
  }
  if (name === 'span' && attributes.get('class') !== 'tg-spoiler') {
    throw parseError(`Tag "span" must have class "tg-spoiler" at byte offset ${place}`)
  }
  open.push({ tag: name, offset, attributes })
  return cursor
}

const unescapeReferences = (text: string): string =>
  text.replaceAll(/&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]+);/gi, (found) => readReference(found, 0)[0])

function closeTag(source: string, at: number, open: OpenTag[], entities: MessageEntity[], text: string): number {
  const place = byteOffset(source, at)
  const end = source.indexOf('>', at)
  if (end === -1) throw parseError(`Unclosed end tag at byte offset ${place}`)
  const name = source
    .slice(at + 2, end)
    .trim()
    .toLowerCase()
  const top = open.pop()
  if (!top) throw parseError(`Unexpected end tag at byte offset ${place}`)
  if (name !== '' && name !== top.tag) {
    throw parseError(`Unmatched end tag at byte offset ${place}, expected "</${top.tag}>", found "</${name}>"`)
  }
  addEntity(top, text, open.at(-1), entities)
  return end + 1
}

function addEntity(tag: OpenTag, text: string, outer: OpenTag | undefined, entities: MessageEntity[]): void {
  const length = text.length - tag.offset
  const type =
    tag.tag === 'blockquote' && tag.attributes.has('expandable') ? 'expandable_blockquote' : TAG_TYPES[tag.tag]
  if (length === 0 || type === undefined) return
  const place = { offset: tag.offset, length }
  if (type === 'text_link') return addLink(tag.attributes.get('href') ?? '', text.slice(tag.offset), place, entities)
  if (type === 'custom_emoji') {
    const id = tag.attributes.get('emoji-id')
    return void entities.push({ type, ...place, ...(id !== undefined && { custom_emoji_id: id }) })
  }
  const language = /^language-(.+)$/.exec(tag.attributes.get('class') ?? '')?.[1]
  if (type === 'pre') {
    const inner = entities.findIndex((entity) => entity.type === LANGUAGE_HINT)
    const hint = inner === -1 ? undefined : entities.splice(inner, 1)[0]
    return void entities.push({ type, ...place, ...(hint?.language !== undefined && { language: hint.language }) })
  }
  const isHint = type === 'code' && language !== undefined && outer?.tag === 'pre' && outer.offset === tag.offset
  entities.push(isHint ? { type: LANGUAGE_HINT, ...place, language } : { type, ...place })
}

/** Placeholder for the code entity of `<pre><code class="language-x">`, until the pre closes. */
const LANGUAGE_HINT = 'language_hint'

type Place = Pick<MessageEntity, 'offset' | 'length'>

function addLink(href: string, label: string, place: Place, entities: MessageEntity[]): void {
  const target = href === '' ? label : href
  const user = /^tg:\/\/user\?id=(\d+)$/.exec(target)?.[1]
  if (user !== undefined) {
    entities.push({ type: 'text_mention', ...place, user: { id: Number(user), is_bot: false, first_name: label } })
  } else if (/^(?:https?|tg|ton):\/\/\S+$/i.test(target)) {
    entities.push({ type: 'text_link', ...place, url: target })
  } else if (/^[\w-]+(?:\.[\w-]+)+(?:[/?#]\S*)?$/.test(target)) {
    entities.push({ type: 'text_link', ...place, url: `http://${target}` })
  }
}
