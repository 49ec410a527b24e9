import type { FormattedText, MessageEntity } from '../wire.ts'

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
export const sorted = (entities: readonly MessageEntity[]): readonly MessageEntity[] =>
  entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length)
