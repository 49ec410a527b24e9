import { integer, type Json, object, text } from '../wire/json.ts'

/** Who we are on Telegram. */
export interface Bot {
  readonly id: number
  /** Without `@`; a bot always has one. */
  readonly username: string
}

interface Span {
  readonly start: number
  readonly end: number
  readonly entity: Json
  readonly written: string
}

/** Most entities that are looked at; Telegram sends about 100 at most. */
const ENTITIES_MAX = 1_000

/**
 * Entities in order, without those that lie outside of the text. Offsets count UTF-16 units.
 * @see Bot API, `MessageEntity`
 */
function spansOf(raw: string, entities: readonly unknown[]): Span[] {
  const spans: Span[] = []
  for (const value of entities.slice(0, ENTITIES_MAX)) {
    const entity = object(value)
    const start = integer(entity?.['offset'])
    const length = integer(entity?.['length'])
    if (entity === undefined || start === undefined || length === undefined) continue
    const end = start + length
    if (start < 0 || length <= 0 || end > raw.length) continue
    spans.push({ start, end, entity, written: raw.slice(start, end) })
  }
  return spans.toSorted((a, b) => a.start - b.start)
}

/**
 * Whether the text speaks to the bot: names it, or gives it a command. A command for another bot does not count, nor
 * does a slash in the middle of a sentence, which Telegram marks as a command too.
 */
export function mentionsBot(raw: string, entities: readonly unknown[], bot: Bot): boolean {
  return spansOf(raw, entities).some((span) => {
    if (isNameOf(span, bot)) return true
    if (span.entity['type'] !== 'bot_command') return false
    return commandTarget(span) === undefined ? span.start === 0 : isCommandFor(span, bot)
  })
}

/** The text without the bot's name, and with the addresses of links that hide theirs. */
export function readableText(raw: string, entities: readonly unknown[], bot: Bot): string {
  let shown = ''
  let at = 0
  for (const span of spansOf(raw, entities)) {
    if (span.start < at) continue // inside of one that was cut out
    if (isNameOf(span, bot)) {
      shown += raw.slice(at, span.start)
      at = raw[span.end] === ' ' && (shown === '' || /\s$/.test(shown)) ? span.end + 1 : span.end
    } else if (isCommandFor(span, bot)) {
      shown += raw.slice(at, span.start) + span.written.slice(0, span.written.indexOf('@'))
      at = span.end
    } else if (span.entity['type'] === 'text_link') {
      const url = text(span.entity['url'])
      shown += raw.slice(at, span.end) + (url === undefined || url === span.written ? '' : ` (${url.slice(0, 2_048)})`)
      at = span.end
    }
  }
  if (at === 0) return raw
  const kept = (shown + raw.slice(at)).trim()
  return kept === '' ? raw : kept // nothing but the name: a call for the bot, and no reason to drop it
}

const isNameOf = ({ entity, written }: Span, bot: Bot): boolean =>
  entity['type'] === 'mention'
    ? isSameName(written.slice(1), bot)
    : entity['type'] === 'text_mention' && integer(object(entity['user'])?.['id']) === bot.id

const isCommandFor = (span: Span, bot: Bot): boolean => {
  const target = span.entity['type'] === 'bot_command' ? commandTarget(span) : undefined
  return target !== undefined && isSameName(target, bot)
}

const commandTarget = ({ written }: Span): string | undefined => {
  const at = written.indexOf('@')
  return at === -1 ? undefined : written.slice(at + 1)
}

const isSameName = (name: string, bot: Bot): boolean => name.toLowerCase() === bot.username.toLowerCase()
