import { badRequest } from '../failure.ts'
import type { FormattedText, MessageEntity } from '../wire.ts'

/** Maximum number of entities of a message; the platform ignores further ones. */
const ENTITY_LIMIT = 100

/**
 * Approximate maximum size of all entities of a message, in bytes.
 * @see github.com/tdlib/telegram-bot-api, issue 165
 */
const ENTITY_BYTES = 9_500

/** Trims a text and its entities, and drops entities that are empty or inside code. */
export function finishEntities(text: string, entities: readonly MessageEntity[]): FormattedText {
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
  const allowed = code.length === 0 ? kept : kept.filter((entity) => !code.some((outer) => contains(outer, entity)))
  return { text: text.slice(start, end), entities: sortEntities(allowed) }
}

/** Applies `ENTITY_LIMIT`. @throws {TelegramFailure} 400 when the rest exceeds `ENTITY_BYTES` */
export function limitEntities({ text, entities }: FormattedText): FormattedText {
  const kept = entities.slice(0, ENTITY_LIMIT)
  if (kept.reduce((sum, entity) => sum + serializedSize(entity), 0) > ENTITY_BYTES)
    throw badRequest('ENTITIES_TOO_LONG')
  return { text, entities: kept }
}

/** Approximate size of an entity in the platform's serialization: three numbers and its texts. */
const serializedSize = ({ url = '', language = '', custom_emoji_id: emoji }: MessageEntity): number =>
  12 + Buffer.byteLength(url) + Buffer.byteLength(language) + (emoji === undefined ? 0 : 8)

const NONE: readonly MessageEntity[] = []

const contains = (outer: MessageEntity, inner: MessageEntity): boolean =>
  inner !== outer && inner.offset >= outer.offset && inner.offset + inner.length <= outer.offset + outer.length

const PATTERNS: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['url', /\bhttps?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}']/gi],
  ['email', /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b/g],
  ['bot_command', /(?<![\w/<>])\/[a-z0-9_]{1,64}(?:@\w{3,32})?(?![\w/<>])/gi],
  ['mention', /(?<![\w@/])@[a-z]\w{2,31}(?!\w)/gi],
  ['hashtag', /(?<![\w#&/])#[\p{L}_][\p{L}\p{N}_]*/gu],
]

/** Cheap pre-check, so that plain texts skip the patterns. */
const MAY_HOLD = /[/@#]/

/** Adds the entities that the platform detects: links, addresses, commands, mentions, hashtags. */
export function withDetectedEntities(formatted: FormattedText): FormattedText {
  if (!MAY_HOLD.test(formatted.text)) return formatted
  const entities: MessageEntity[] = [...formatted.entities]
  const closed = entities.filter(({ type }) => ['code', 'pre', 'text_link', 'text_mention'].includes(type))
  for (const [type, pattern] of PATTERNS) {
    for (const match of formatted.text.matchAll(pattern)) {
      const found = { type, offset: match.index, length: match[0].length }
      if (closed.some((entity) => doOverlap(entity, found))) continue
      entities.push(found)
      closed.push(found)
    }
  }
  return entities.length === formatted.entities.length
    ? formatted
    : { text: formatted.text, entities: sortEntities(entities) }
}

const doOverlap = (a: MessageEntity, b: MessageEntity): boolean =>
  a.offset < b.offset + b.length && b.offset < a.offset + a.length

/** Sorts by offset, longer entities first, so that outer entities precede inner ones. */
const sortEntities = (entities: readonly MessageEntity[]): readonly MessageEntity[] =>
  entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length)

/** Returns the length of a text in Unicode scalars, as the platform counts it (entity offsets are UTF-16 units). */
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

/** Returns the size of the first `end` UTF-16 units in bytes; parse errors report byte offsets. */
export const byteOffset = (text: string, end: number): number => Buffer.byteLength(text.slice(0, end))
