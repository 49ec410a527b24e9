import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import type { Chat, OutboundFilePart, OutboundTextPart } from '../../message.ts'
import { feishuDialect, needsCard, tidyMarkdown } from './dialect.ts'

/** What a message is made of, as create, reply and edit take it. */
export interface Written {
  readonly msg_type: 'text' | 'post' | 'interactive' | 'image' | 'file' | 'audio'
  /** JSON as text. */
  readonly content: string
}

/** The element of a card that holds the answer: a letter first, at most 20 signs. */
export const ANSWER_ELEMENT = 'answer'

/** A text part: a post, or a card where only that shows it faithfully. Plain text is what nothing is read into. */
export function textContent(part: OutboundTextPart): Written {
  if (part.plain) return plainContent(part.body)
  return needsCard(part.body)
    ? { msg_type: 'interactive', content: JSON.stringify(staticCard(part)) }
    : { msg_type: 'post', content: toPost([{ tag: 'md', text: tidyMarkdown(part.body) }]) }
}

/** Escapes tags in plain text, which would mention people. */
const plainContent = (body: string): Written => ({
  msg_type: 'text',
  content: JSON.stringify({ text: body.replace(/<(?=\/?at\b)/gi, '<\u200b') }),
})

const toPost = (line: readonly object[]): string => JSON.stringify({ zh_cn: { title: '', content: [line] } })

/** Builds the content for editing a post, whose type cannot change. */
export const postContent = (part: OutboundTextPart): Written => ({
  msg_type: 'post',
  content: toPost([part.plain ? { tag: 'text', text: part.body } : { tag: 'md', text: tidyMarkdown(part.body) }]),
})

/** Markdown for a card; plain text with everything escaped that would mean something. */
export const cardMarkdown = (part: OutboundTextPart): string =>
  part.plain ? feishuDialect.text(part.body, []) : tidyMarkdown(part.body)

/** A card that is replaced as a whole. */
export const staticCard = (part: OutboundTextPart): object => ({
  schema: '2.0',
  config: { update_multi: true, summary: { content: summarize(part.body) } },
  body: { elements: [{ tag: 'markdown', element_id: ANSWER_ELEMENT, content: cardMarkdown(part) }] },
})

/** A card whose text grows. */
export const streamingCard = (part: OutboundTextPart): object => ({
  schema: '2.0',
  config: {
    update_multi: true,
    streaming_mode: true,
    streaming_config: { print_frequency_ms: { default: 50 }, print_step: { default: 4 }, print_strategy: 'fast' },
    summary: { content: summarize(part.body) },
  },
  body: { elements: [{ tag: 'markdown', element_id: ANSWER_ELEMENT, content: cardMarkdown(part) }] },
})

/** Ends the growing; the list of chats shows the summary. */
export const finishedSettings = (part: OutboundTextPart): string =>
  JSON.stringify({ config: { streaming_mode: false, summary: { content: summarize(part.body) } } })

const SUMMARY_MAX = 100

function summarize(body: string): string {
  const words = body
    .replace(/&#(\d{1,7});/g, (_all, code: string) => String.fromCodePoint(Math.min(Number(code), 0x10ffff)))
    .replace(/```\S*|[*`~]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  return words.slice(0, SUMMARY_MAX).toWellFormed()
}

/** Returns the receiver type, which the prefix of the id reveals. */
export function toReceiver(chat: Chat): { readonly type: string; readonly id: string } {
  const type = RECEIVERS.find(([pattern]) => pattern.test(chat.id))?.[1] ?? 'user_id'
  return { type, id: chat.id }
}
const RECEIVERS: readonly [RegExp, string][] = [
  [/^oc_/, 'chat_id'],
  [/^ou_/, 'open_id'],
  [/^on_/, 'union_id'],
  [/@/, 'email'],
]

const KEY_MAX = 50

/** `uuid` of a send: the same for every attempt, at most 50 characters. */
export const idempotencyKey = (deliveryId: string): string =>
  /^[\w.-]+$/.test(deliveryId) && deliveryId.length <= KEY_MAX
    ? deliveryId
    : createHash('sha256').update(deliveryId).digest('hex').slice(0, KEY_MAX)

/** How a file is uploaded and shown. */
export type FileForm =
  | { readonly as: 'image' }
  | { readonly as: 'audio'; readonly fileType: 'opus' }
  | { readonly as: 'file'; readonly fileType: string }

const FILE_TYPES: Readonly<Record<string, string>> = {
  '.pdf': 'pdf',
  '.doc': 'doc',
  '.docx': 'doc',
  '.xls': 'xls',
  '.xlsx': 'xls',
  '.ppt': 'ppt',
  '.pptx': 'ppt',
}
const IMAGE = /^image\/(?:png|jpe?g|gif|webp|bmp|tiff|x-icon|vnd\.microsoft\.icon)$/

/** A picture that is small enough is shown as one, speech as such; anything else, video too, as a file to download. */
export function fileForm(part: OutboundFilePart, sizeBytes: number, maxImageBytes: number): FileForm {
  if (IMAGE.test(part.mime) && sizeBytes <= maxImageBytes) return { as: 'image' }
  if (part.mime === 'audio/opus' || part.name.toLowerCase().endsWith('.opus')) return { as: 'audio', fileType: 'opus' }
  return { as: 'file', fileType: FILE_TYPES[extname(part.name).toLowerCase()] ?? 'stream' }
}
