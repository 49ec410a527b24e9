import { badRequest } from '../failure.ts'
import type { FormattedText, MessageEntity } from '../wire.ts'

/** The platform keeps this many entities of a message and ignores further ones. */
const ENTITY_LIMIT = 100

/**
 * All entities of a message may take about this much, bytes.
 * @see github.com/tdlib/telegram-bot-api, issue 165
 */
const ENTITY_BYTES = 9_500

/** Trims the text, fits the entities to it, drops empty ones and those inside code. */
export function finish(text: string, entities: readonly MessageEntity[]): FormattedText {
  const end = text.trimEnd().length
  const start = Math.min(text.length - text.trimStart().length, end)
  if (entities.length === 0) return { text: text.slice(start, end), entities: NONE }
  const kept: MessageEntity[] = []
  for (const entity of entities) {
    const from = Math.max(entity.offset, start)
    const to = Math.min(entity.offset + entity.length, end)
    if (to > from) kept.push({ ...entity, offset: from - start, length: to - from })
  }
  const code = kept.filter(({ type }) => type === 'code' || type === 'pre')
  const allowed = code.length === 0 ? kept : kept.filter((entity) => !code.some((outer) => encloses(outer, entity)))
  return { text: text.slice(start, end), entities: sorted(allowed) }
}

/** Applies `ENTITY_LIMIT`. @throws {TelegramFailure} 400 when what is left takes more than `ENTITY_BYTES` */
export function limited({ text, entities }: FormattedText): FormattedText {
  const kept = entities.slice(0, ENTITY_LIMIT)
  if (kept.reduce((sum, entity) => sum + sizeOf(entity), 0) > ENTITY_BYTES) throw badRequest('ENTITIES_TOO_LONG')
  return { text, entities: kept }
}

/** Bytes of an entity in the platform's own serialisation, about: three numbers, and its words. */
const sizeOf = ({ url = '', language = '', custom_emoji_id: emoji }: MessageEntity): number =>
  12 + Buffer.byteLength(url) + Buffer.byteLength(language) + (emoji === undefined ? 0 : 8)

const NONE: readonly MessageEntity[] = []

const encloses = (outer: MessageEntity, inner: MessageEntity): boolean =>
  inner !== outer && inner.offset >= outer.offset && inner.offset + inner.length <= outer.offset + outer.length

const PATTERNS: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['url', /\bhttps?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}']/gi],
  ['email', /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b/g],
  ['bot_command', /(?<![\w/<>])\/[a-z0-9_]{1,64}(?:@\w{3,32})?(?![\w/<>])/gi],
  ['mention', /(?<![\w@/])@[a-z]\w{2,31}(?!\w)/gi],
  ['hashtag', /(?<![\w#&/])#[\p{L}_][\p{L}\p{N}_]*/gu],
]

/** A cheap test that spares plain texts the patterns. */
const MAY_HOLD = /[/@#]/

/** Adds the entities that the platform finds by itself: links, addresses, commands, mentions, hashtags. */
export function withDetectedEntities(formatted: FormattedText): FormattedText {
  if (!MAY_HOLD.test(formatted.text)) return formatted
  const entities: MessageEntity[] = [...formatted.entities]
  const closed = entities.filter(({ type }) => ['code', 'pre', 'text_link', 'text_mention'].includes(type))
  for (const [type, pattern] of PATTERNS) {
    for (const match of formatted.text.matchAll(pattern)) {
      const found = { type, offset: match.index, length: match[0].length }
      if (closed.some((entity) => overlap(entity, found))) continue
      entities.push(found)
      closed.push(found)
    }
  }
  return entities.length === formatted.entities.length
    ? formatted
    : { text: formatted.text, entities: sorted(entities) }
}

const overlap = (a: MessageEntity, b: MessageEntity): boolean =>
  a.offset < b.offset + b.length && b.offset < a.offset + a.length

/** By offset; of two that begin together the longer first, so that an outer entity stands before an inner one. */
const sorted = (entities: readonly MessageEntity[]): readonly MessageEntity[] =>
  entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length)

/** Unicode scalars in a text: how the platform counts a message's length (entity offsets are UTF-16 units). */
export function scalarLength(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length - 1; at++) {
    const high = text.charCodeAt(at)
    if (high < 0xd800 || high > 0xdbff) continue
    const low = text.charCodeAt(at + 1)
    if (low < 0xdc00 || low > 0xdfff) continue
    length--
    at++
  }
  return length
}

/** Bytes of a text's first `end` UTF-16 units: parse errors name places by byte. */
export const byteOffset = (text: string, end: number): number => Buffer.byteLength(text.slice(0, end))
