import type { MediaRef } from '../../message.ts'
import { integer, type Json, list, object, text } from '../wire/json.ts'

/** Our bot on Telegram. */
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
function readSpans(raw: string, entities: readonly unknown[]): Span[] {
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
  return readSpans(raw, entities).some((span) => {
    if (isBotName(span, bot)) return true
    if (span.entity['type'] !== 'bot_command') return false
    return commandTarget(span) === undefined ? span.start === 0 : isCommandFor(span, bot)
  })
}

/** The text without the bot's name, and with the addresses of links that hide theirs. */
export function readableText(raw: string, entities: readonly unknown[], bot: Bot): string {
  let shown = ''
  let at = 0
  for (const span of readSpans(raw, entities)) {
    if (span.start < at) continue // inside of one that was cut out
    if (isBotName(span, bot)) {
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

const isBotName = ({ entity, written }: Span, bot: Bot): boolean =>
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

type Field = readonly [field: string, kind: MediaRef['kind'], mime: string | undefined]

/** Fields of a message that hold one file, with the type that Telegram leaves out. @see Bot API, `Message` */
const FILES: readonly Field[] = [
  ['animation', 'video', 'video/mp4'],
  ['document', 'file', undefined],
  ['voice', 'voice', 'audio/ogg'],
  ['audio', 'audio', undefined],
  ['video', 'video', 'video/mp4'],
  ['video_note', 'video', 'video/mp4'],
  ['sticker', 'sticker', undefined],
]

/** The files of a message; what lacks an id is left out. */
export function readMedia(message: Json): readonly MediaRef[] {
  const media: MediaRef[] = []
  const photo = largest(list(message['photo']))
  if (photo !== undefined) media.push(photo)
  for (const [field, kind, mime] of FILES) {
    // An animation comes as a document too, for clients that do not know animations.
    if (field === 'document' && message['animation'] !== undefined) continue
    const file = object(message[field])
    if (file === undefined) continue
    const ref = toMediaRef(file, kind, kind === 'sticker' ? stickerMime(file) : mime)
    if (ref !== undefined) media.push(ref)
  }
  return media
}

function largest(sizes: readonly unknown[]): MediaRef | undefined {
  let best: Json | undefined
  let bestArea = -1
  for (const value of sizes.slice(0, 100)) {
    const size = object(value)
    const area = (integer(size?.['width']) ?? 0) * (integer(size?.['height']) ?? 0)
    if (size === undefined || typeof size['file_id'] !== 'string' || area <= bestArea) continue
    best = size
    bestArea = area
  }
  return best === undefined ? undefined : toMediaRef(best, 'image', 'image/jpeg')
}

function toMediaRef(file: Json, kind: MediaRef['kind'], usualMime: string | undefined): MediaRef | undefined {
  const ref = text(file['file_id'])
  if (ref === undefined || ref === '' || ref.length > 1_024) return undefined
  const name = text(file['file_name'])?.slice(0, 256)
  const mime = text(file['mime_type'])?.slice(0, 128) ?? usualMime
  const sizeBytes = integer(file['file_size'])
  return {
    kind,
    ref,
    ...(name === undefined || name === '' ? {} : { name }),
    ...(mime === undefined ? {} : { mime }),
    ...(sizeBytes === undefined || sizeBytes < 0 ? {} : { sizeBytes }),
  }
}

const stickerMime = (sticker: Json): string => {
  if (sticker['is_video'] === true) return 'video/webm'
  return sticker['is_animated'] === true ? 'application/x-tgsticker' : 'image/webp'
}

type Line = (content: Json) => string

const number = (value: unknown): string => (typeof value === 'number' ? String(value) : '?')
const words = (value: unknown): string => (text(value) ?? '').slice(0, 512)
const joined = (parts: readonly string[], separator: string): string =>
  parts.filter((part) => part !== '').join(separator)

/** What a message holds besides text and files, so that the assistant knows. First match wins. */
const LINES: readonly (readonly [field: string, line: Line])[] = [
  ['venue', (venue) => `[Place: ${joined([words(venue['title']), words(venue['address'])], ', ')}]`],
  ['location', (location) => `[Location: ${number(location['latitude'])}, ${number(location['longitude'])}]`],
  [
    'contact',
    (contact) => {
      const name = joined([words(contact['first_name']), words(contact['last_name'])], ' ')
      return `[Contact: ${joined([name, words(contact['phone_number'])], ', ')}]`
    },
  ],
  [
    'poll',
    (poll) => {
      const options = list(poll['options']).slice(0, 20)
      return `[Poll: ${joined([words(poll['question']), ...options.map((o) => words(object(o)?.['text']))], ' | ')}]`
    },
  ],
  ['dice', (dice) => `[Dice ${words(dice['emoji'])}: ${number(dice['value'])}]`],
  ['sticker', (sticker) => `[Sticker ${words(sticker['emoji'])}]`.replace(' ]', ']')],
  ['game', (game) => `[Game: ${words(game['title'])}]`],
  ['checklist', (checklist) => `[Checklist: ${words(checklist['title'])}]`],
  ['invoice', (invoice) => `[Invoice: ${words(invoice['title'])}]`],
  ['story', () => '[Story]'],
  ['paid_media', () => '[Paid media]'],
  ['giveaway', () => '[Giveaway]'],
  ['rich_message', () => '[Rich message]'],
]

/** Returns one bracketed line about content that is neither text nor a file, or an empty string. */
export function contentLine(message: Json): string {
  for (const [field, line] of LINES) {
    const content = object(message[field])
    if (content !== undefined) return line(content)
  }
  return ''
}
