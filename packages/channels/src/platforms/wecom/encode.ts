import { createHash } from 'node:crypto'
import type { Chat, OutboundTextPart } from '../../message.ts'
import { wecomDialect } from './dialect.ts'
import { CONTENT_BYTES } from './limits.ts'

const MB = 1024 * 1024

/** How a file is sent. */
export type MediaType = 'image' | 'video' | 'voice' | 'file'

/** Largest of each kind, and the smallest of all, in bytes. */
const MEDIA_BYTES: Readonly<Record<MediaType, number>> = {
  image: 10 * MB,
  video: 10 * MB,
  voice: 2 * MB,
  file: 20 * MB,
}
/** Smallest file that WeCom accepts, in bytes. */
export const MIN_MEDIA_BYTES = 5

const BY_MIME: ReadonlyMap<string, MediaType> = new Map<string, MediaType>([
  ['image/png', 'image'],
  ['image/jpeg', 'image'],
  ['video/mp4', 'video'],
  ['audio/amr', 'voice'],
])

/** How a file is shown best; what is too large for that, or of another form, goes as a file. */
export function mediaTypeFor(mime: string, sizeBytes: number): MediaType {
  const type = BY_MIME.get(mime.split(';', 1)[0]?.trim().toLowerCase() ?? '') ?? 'file'
  return sizeBytes <= MEDIA_BYTES[type] ? type : 'file'
}

const MAX_NAME_BYTES = 256

/** A name that the platform takes: without control characters, at most 256 bytes, its end kept. */
export function fileName(name: string): string {
  const bytes = Buffer.from(name.replace(/\p{Cc}/gu, ' ').trim())
  // a character cut in half decodes to U+FFFD
  const kept = bytes
    .subarray(-MAX_NAME_BYTES)
    .toString()
    .replace(/^\uFFFD+/, '')
  return kept === '' ? 'file' : kept
}

/** What a message is made of; the same in a reply and in a push. */
export type Content = Readonly<Record<string, unknown>> & { readonly msgtype: string }

/** A text that is no part of any stream. */
export const markdown = (content: string): Content => ({ msgtype: 'markdown', markdown: { content } })

/** Builds the content of a file message. */
export const media = (type: MediaType, mediaId: string): Content => ({ msgtype: type, [type]: { media_id: mediaId } })

/** `finish` closes the bubble; until then each frame replaces its whole text. */
export const stream = (id: string, content: string, finish: boolean): Content => ({
  msgtype: 'stream',
  stream: { id, finish, content },
})

/** The body of a push. */
export const push = (chat: Chat, content: Content): Readonly<Record<string, unknown>> => ({
  chatid: chat.id,
  chat_type: chat.kind === 'group' ? 2 : 1,
  ...content,
})

/** The text to send: every message is Markdown here, so plain text is escaped as far as there is room. */
export function toContent(part: OutboundTextPart): string {
  if (!part.plain) return part.body.trim()
  const escaped = wecomDialect.text(part.body, [])
  return Buffer.byteLength(escaped) <= CONTENT_BYTES ? escaped : part.body
}

/** Our name of a message: the same for every attempt at the same delivery. @param about What else it depends on */
export const ownId = (kind: 'stream' | 'push', deliveryId: string, about = ''): string =>
  `${kind}_${createHash('sha256').update(`${deliveryId}\n${about}`).digest('hex').slice(0, 32)}`

/** What stands at the end of a bubble that was closed before the answer was complete. */
const CONTINUES = '\n\n… *continues below*'

/** The text of a bubble that is closed early: what can stand for itself, and where the rest is. */
export const closingContent = (head: string): string => `${head}${CONTINUES}`.trimStart()

/**
 * The part of an unfinished Markdown text that ends with a whole block, so that the rest can be a message of its own.
 * '' when there is none.
 */
export function wholeBlocks(body: string): string {
  let end = -1
  let fenced = false
  let at = 0
  for (const line of body.split('\n')) {
    if (line.startsWith('```')) fenced = !fenced
    else if (line === '' && !fenced && at > 0) end = at
    at += line.length + 1
  }
  return end <= 0 ? '' : body.slice(0, end).trimEnd()
}
