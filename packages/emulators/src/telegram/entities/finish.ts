import { badRequest } from '../failure.ts'
import type { FormattedText, MessageEntity } from '../wire.ts'
import { sorted } from './detect.ts'

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
