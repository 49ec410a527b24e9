import type { MediaRef } from '../../message.ts'
import { filled, integer, type Json, list, object, parseJson, text } from '../wire/json.ts'

/** A mention, as events and the history both contain it. */
export interface Mention {
  /** What stands for it in the text, e.g. `@_user_1`. */
  readonly key: string
  readonly openId: string
  readonly name: string
}

/** Content of a message. */
export interface Content {
  readonly text: string
  readonly media: readonly MediaRef[]
  /** The forwarded messages have to be requested. */
  readonly forwarded?: true
}

/** Longest text that is taken, in UTF-16 units: above what the platform lets a person write (150 KB). */
const TEXT_MAX = 160_000

/**
 * Reads the content of a message of any type; what cannot be shown as text is named in brackets. Pure; never throws.
 * @param messageId Files are requested by message and key.
 * @param botId `open_id` of the bot, whose mentions are left out.
 * @returns `null` when the content is malformed.
 * @see Feishu Open Platform, "Receive message", content of each type
 */
export function readContent(
  type: string,
  raw: string,
  context: { readonly messageId: string; readonly mentions: readonly Mention[]; readonly botId: string | null },
): Content | null {
  if (raw.length > 4 * TEXT_MAX) return null
  const content = object(parseJson(raw))
  if (type === 'merge_forward') return { text: '', media: [], forwarded: true }
  if (content === undefined) return null
  const read = READERS[type]?.(content, context.messageId) ?? { text: `[${NAMES[type] ?? type}]`, media: [] }
  return { ...read, text: withMentions(read.text, context).slice(0, TEXT_MAX).trim() }
}

const NAMES: Readonly<Record<string, string>> = {
  share_calendar_event: 'calendar event',
  general_calendar: 'calendar event',
  calendar: 'calendar event',
  video_chat: 'video call',
  hongbao: 'red packet',
  todo: 'task',
}

type Reader = (content: Json, messageId: string) => Content

const toTextContent = (words: string): Content => ({ text: words, media: [] })

const READERS: Readonly<Record<string, Reader>> = {
  text: (content) => toTextContent(text(content['text']) ?? ''),
  post: readPost,
  image: (content, id) => toFileContent(content['image_key'], id, 'image', 'image', {}),
  file: (content, id) => toFileContent(content['file_key'], id, 'file', 'file', readFileName(content)),
  audio: (content, id) => toFileContent(content['file_key'], id, 'file', 'voice', { mime: 'audio/ogg' }),
  media: (content, id) => toFileContent(content['file_key'], id, 'file', 'video', readFileName(content)),
  // its file cannot be had
  sticker: () => toTextContent('[sticker]'),
  interactive: (content) => toTextContent(readCard(content)),
  share_chat: () => toTextContent('[shared a group]'),
  share_user: () => toTextContent('[shared a contact]'),
  location: (content) =>
    toTextContent(`[location${filled(content['name']) === undefined ? '' : `: ${filled(content['name'])}`}]`),
  // "Ann joined": not written by anyone
  system: () => toTextContent(''),
}

const readFileName = (content: Json): Pick<MediaRef, 'name'> => {
  const name = filled(content['file_name'])?.slice(0, 255)
  return name === undefined ? {} : { name }
}

function toFileContent(
  key: unknown,
  messageId: string,
  type: ResourceType,
  kind: MediaRef['kind'],
  more: Partial<MediaRef>,
): Content {
  const resource = filled(key)
  if (resource === undefined) return toTextContent(`[${kind}]`)
  return { text: '', media: [{ kind, ref: mediaRef({ messageId, type, key: resource }), ...more }] }
}

/** Lines of elements; received without the wrapper of a language, but as it was sent where it is read back. */
function readPost(content: Json, messageId: string): Content {
  const wrapped = Array.isArray(content['content']) ? content : (object(Object.values(content)[0]) ?? {})
  const lines = list(wrapped['content']).map((line) =>
    list(line)
      .map((element) => readElement(object(element) ?? {}))
      .join(''),
  )
  const elements = list(wrapped['content']).flatMap(list).map(object)
  const media = elements.flatMap((element): readonly MediaRef[] => {
    const key = filled(element?.['tag'] === 'img' ? element['image_key'] : undefined)
    const file = filled(element?.['tag'] === 'media' ? element['file_key'] : undefined)
    if (key !== undefined) return [{ kind: 'image', ref: mediaRef({ messageId, type: 'image', key }) }]
    return file === undefined ? [] : [{ kind: 'video', ref: mediaRef({ messageId, type: 'file', key: file }) }]
  })
  const title = filled(wrapped['title'])
  return { text: [...(title === undefined ? [] : [title]), ...lines].join('\n'), media }
}

function readElement(element: Json): string {
  const words = text(element['text']) ?? ''
  switch (element['tag']) {
    case 'a': {
      const href = filled(element['href'])
      return href === undefined || href === words ? words : `[${words}](${href})`
    }
    case 'at': {
      const key = filled(element['user_id']) ?? ''
      return key.startsWith('@') ? key : `@${filled(element['user_name']) ?? (key === 'all' ? 'all' : '')}`
    }
    case 'emotion':
      return `[${filled(element['emoji_type']) ?? 'emoji'}]`
    case 'code_block':
      return `\`\`\`${(filled(element['language']) ?? '').toLowerCase()}\n${words.replace(/\n$/, '')}\n\`\`\``
    case 'hr':
      return '---'
    case 'img':
    case 'media':
      return ''
    default:
      return words
  }
}

/** Returns the texts of a card in order; Feishu returns cards in a reduced form. */
function readCard(content: Json): string {
  const found: string[] = []
  const visit = (value: unknown, depth: number): void => {
    if (depth > 20 || found.length > 200) return
    if (Array.isArray(value)) return value.forEach((one) => visit(one, depth + 1))
    const element = object(value)
    if (element === undefined) return
    const words = filled(element['text']) ?? filled(element['content'])
    if (words !== undefined) found.push(words)
    for (const name of ['title', 'header', 'text', 'body', 'elements', 'columns', 'fields', 'rows']) {
      visit(element[name], depth + 1)
    }
  }
  const title = filled(content['title'])
  if (title !== undefined) found.push(title)
  visit(content, 0)
  return found.length === 0 ? '[card]' : found.join('\n')
}

const PLACEHOLDER = /@_(?:user_\d+|all)/g

function withMentions(
  words: string,
  { mentions, botId }: { readonly mentions: readonly Mention[]; readonly botId: string | null },
): string {
  const byKey = new Map(mentions.map((mention) => [mention.key, mention]))
  return words
    .replace(PLACEHOLDER, (key) => {
      const mention = byKey.get(key)
      if (key === '@_all') return '@all'
      if (mention === undefined) return key
      return mention.openId === botId ? '' : `@${mention.name}`
    })
    .replace(/^ +/, '')
}

/** `image` or `file`, as the download asks for it: sound and video are files. */
export type ResourceType = 'image' | 'file'

/** A file of a message. */
export interface Resource {
  readonly messageId: string
  readonly type: ResourceType
  readonly key: string
}

/** Builds `MediaRef.ref`: the message of a file, its type for the download, and its key. */
const mediaRef = ({ messageId, type, key }: Resource): string => `${messageId}/${type}/${key}`

/** `null` for anything else. */
export function readMediaRef(ref: string): Resource | null {
  const [messageId = '', type, key = '', ...rest] = ref.split('/')
  if (rest.length > 0 || messageId === '' || key === '' || (type !== 'image' && type !== 'file')) return null
  return { messageId, type, key }
}

/** Milliseconds as text; `null` for what is no time. */
export function readMs(value: unknown): number | null {
  const ms = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : integer(value)
  return ms !== undefined && ms >= 0 && ms <= 8_640_000_000_000_000 ? ms : null
}
