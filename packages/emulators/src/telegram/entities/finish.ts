import type { FormattedText, MessageEntity } from '../wire.ts'
import { sorted } from './detect.ts'

/** The platform keeps this many entities of a message and ignores further ones. */
export const ENTITY_LIMIT = 100

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

/** Applies `ENTITY_LIMIT`. */
export const limited = (formatted: FormattedText): FormattedText =>
  formatted.entities.length <= ENTITY_LIMIT
    ? formatted
    : { text: formatted.text, entities: formatted.entities.slice(0, ENTITY_LIMIT) }

const NONE: readonly MessageEntity[] = []

const encloses = (outer: MessageEntity, inner: MessageEntity): boolean =>
  inner !== outer && inner.offset >= outer.offset && inner.offset + inner.length <= outer.offset + outer.length
