import { isRecord } from '../kit/body.ts'
import { type Answer, badParameter, innerJson, refusal, textOf } from './answer.ts'
import type { Cards } from './cards.ts'
import { plain, type ShownContent } from './shown-content.ts'
import type { FeishuState } from './state.ts'

type Json = Readonly<Record<string, unknown>>

/** Longest request, bytes. */
const LIMITS: Readonly<Record<string, number>> = { text: 150 * 1024, post: 30 * 1024, interactive: 30 * 1024 }

const KEY_OF: Readonly<Record<string, string>> = {
  image: 'image_key',
  file: 'file_key',
  audio: 'file_key',
  media: 'file_key',
}

/** Kind that a file must have had at its upload. */
const UPLOADED_AS: Readonly<Record<string, (type: string) => boolean>> = {
  image: (type) => type === 'message',
  audio: (type) => type === 'opus',
  media: (type) => type === 'mp4',
  file: (type) => type !== 'message' && type !== 'mp4',
}

/** @param bytes Length of the whole request. @returns what is shown, or the refusal */
export function readContent(
  state: FeishuState,
  cards: Cards,
  type: string,
  content: unknown,
  bytes: number,
): ShownContent | Answer {
  if (bytes > (LIMITS[type] ?? LIMITS['text'] ?? 0)) return refusal(230025)
  const json = innerJson(content)
  if (json === null) return badParameter('content is not a string in json format')
  if (type === 'text') return typeof json['text'] === 'string' ? plain(json['text']) : badParameter('text is required')
  if (type === 'post') return readPost(state, json)
  if (type === 'interactive') return cards.shown(json)
  const key = KEY_OF[type]
  if (key === undefined) return badParameter('invalid msg_type')
  const file = state.file(textOf(json[key]))
  if (file === null) return badParameter(`invalid ${key}`)
  if (UPLOADED_AS[type]?.(file.type) !== true) return refusal(230055)
  return { ...plain(''), files: [{ name: file.name, bytes: file.bytes }], fileKeys: [file.key] }
}

/** Whether reading a content ended in a refusal. */
export const isRefusal = (value: ShownContent | Answer): value is Answer => 'status' in value

function readPost(state: FeishuState, json: Json): ShownContent | Answer {
  const [post] = Object.values(json)
  if (!isRecord(post) || !Array.isArray(post['content'])) return badParameter('invalid post content')
  const lines: readonly unknown[] = post['content']
  if (!lines.every((line) => Array.isArray(line) && line.every(isRecord))) return badParameter('invalid post content')
  const elements = lines.map((line) => (Array.isArray(line) ? line.filter(isRecord) : []))
  const title = textOf(post['title'])
  const text = elements.map((line) => line.map(elementText).join('')).join('\n')
  const keys = elements.flat().flatMap((one) => (one['tag'] === 'img' ? [textOf(one['image_key'])] : []))
  const files = keys.map((key) => state.file(key))
  if (files.includes(null)) return badParameter('invalid image_key')
  return {
    ...plain(title === '' ? text : `${title}\n${text}`),
    files: files.flatMap((file) => (file ? [{ name: file.name, bytes: file.bytes }] : [])),
    fileKeys: keys,
  }
}

function elementText(element: Json): string {
  const text = textOf(element['text'])
  switch (element['tag']) {
    case 'a':
      return `[${text}](${textOf(element['href'])})`
    case 'at':
      return `<at user_id="${textOf(element['user_id'])}"></at>`
    case 'code_block':
      return `\`\`\`${textOf(element['language'])}\n${text}\n\`\`\``
    case 'hr':
      return '---'
    default:
      return text
  }
}
