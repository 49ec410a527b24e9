import type { MediaRef } from '../../message.ts'
import { filled, isObject, type Json, list, object, parseJson, text } from '../wire/json.ts'

/** What a message says and carries. */
export interface Body {
  readonly text: string
  readonly media: readonly MediaRef[]
}

/** Quotes of quotes of quotes are not looked into. */
const MAX_DEPTH = 4
/** Of one message: no client sends more. */
const MOST_FILES = 20

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  picture: '[picture]',
  audio: '[voice message]',
  video: '[video]',
  file: '[file]',
  markdown: '[formatted message]',
  actionCard: '[card]',
  interactiveCard: '[card]',
  reply: '[reply]',
  chatRecord: '[chat record]',
}

const placeholderFor = (type: string): string => PLACEHOLDERS[type] ?? '[message of a kind that cannot be read]'

/** @see DingTalk Open Platform, "receive messages": one form of `content` per `msgtype` */
export function readBody(type: string, content: Json, robotCode: string): Body {
  const media = (kind: MediaRef['kind'], from: Json, name?: string): readonly MediaRef[] => {
    const code = filled(from['downloadCode']) ?? filled(from['pictureDownloadCode'])
    return code === undefined ? [] : [{ kind, ref: `${robotCode} ${code}`, ...(name === undefined ? {} : { name }) }]
  }
  switch (type) {
    case 'text':
      return { text: (text(content['content']) ?? text(content['text']) ?? '').trim(), media: [] }
    case 'richText': {
      const pieces = list(content['richText'])
        .map(object)
        .filter((piece) => piece !== undefined)
      const said = pieces.map((piece) => text(piece['text']) ?? '').join('')
      return { text: said.trim(), media: pieces.flatMap((piece) => media('image', piece)).slice(0, MOST_FILES) }
    }
    case 'picture':
      return { text: '', media: media('image', content) }
    case 'audio':
      return { text: (text(content['recognition']) ?? '').trim(), media: media('voice', content) }
    case 'video': {
      const extension = /^[a-z0-9]{2,5}$/i.exec(text(content['videoType']) ?? '')?.[0]
      return { text: '', media: media('video', content, extension && `video.${extension}`) }
    }
    case 'file':
      return { text: '', media: media('file', content, filled(content['fileName'])) }
    default: {
      const said = filled(content['text']) ?? filled(content['title']) ?? filled(content['content'])
      return { text: said?.trim() ?? placeholderFor(type), media: media('file', content) }
    }
  }
}

/** A quoted message. Its text is never empty: what it carried is named. */
export function readQuote(replied: Json, robotCode: string): Body {
  const content = unwrapped(replied['content'], 0)
  const type = filled(replied['msgType']) ?? filled(replied['msgtype']) ?? guessedType(content)
  const body = readBody(type, content, robotCode)
  return body.text === '' ? { ...body, text: placeholderFor(type) } : body
}

/** The content may be an object, JSON text, plain text, or one of these in a `content` of its own, again and again. */
function unwrapped(value: unknown, depth: number): Json {
  const read = typeof value === 'string' ? (parseJson(value) ?? value) : value
  if (!isObject(read)) return { text: text(value) ?? '' }
  const inner = read['content']
  const isWrapper = inner !== undefined && !('text' in read) && !('richText' in read) && !('downloadCode' in read)
  if (!isWrapper) return read
  if (depth >= MAX_DEPTH) return { text: '' }
  return typeof inner === 'string' || isObject(inner) ? unwrapped(inner, depth + 1) : read
}

function guessedType(content: Json): string {
  if ('richText' in content) return 'richText'
  if ('text' in content) return 'text'
  return 'downloadCode' in content ? 'file' : ''
}
