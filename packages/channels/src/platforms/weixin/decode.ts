import type { InboundMessage, MediaRef } from '../../message.ts'
import { filled, isObject, type Json, list, object, parseJson } from '../wire/json.ts'

/** A decoded message, or why it is not passed on. */
export interface Decoded {
  readonly event?: InboundMessage
  readonly context?: Context
  /** Malformed: dropped with a warning. */
  readonly malformed?: string
}

/** What every send to this person must echo from this message on. */
interface Context {
  readonly person: string
  readonly messageId: string
  readonly token: string
  /** When it was written, by Weixin's clock; absent: not dated, or in the future. */
  readonly sentAtMs?: number
}

/** What decoding needs to know besides the message. */
interface Around {
  /** Our own id on Weixin, when it is known. */
  readonly botId?: string
  /** For what is not dated, milliseconds since the Unix epoch. */
  readonly nowMs: number
  /** The text of a recent message in the chat with this person. */
  readonly recent: (person: string, messageId: string) => string | undefined
}

/** Longest text that is taken, in UTF-16 units: far above what the app lets a person write. */
const TEXT_MAX = 65_536
const MAX_ITEMS = 100
const TOKEN_CHARACTERS = 8_192
/** Weixin's clock may be ahead of ours by so much. */
const CLOCKS_DIFFER_MS = 5 * 60_000
const QUOTED_CHARACTERS = 4_096
/** Pictures that were chosen together come as one message each, within this time. */
const SETTLE_MS = 1_000

const USER = 1
const GENERATING = 1
/** Steps of tools, which are no content. */
const TOOL_ITEMS: ReadonlySet<unknown> = new Set([11, 12])

/** Reads one element of `msgs`. Pure; never throws, whatever it is given. */
export function decodeMessage(value: unknown, around: Around): Decoded {
  const message = object(value)
  if (message === undefined) return { malformed: 'object' }
  if ((message['message_type'] ?? USER) !== USER || message['message_state'] === GENERATING) return {}
  if (filled(message['group_id']) !== undefined) return {} // groups are not served
  const from = filled(message['from_user_id'])
  if (from === undefined || from.length > 200) return { malformed: 'from_user_id' }
  if (from === around.botId || from.endsWith('@im.bot')) return {}
  const messageId = id(message['message_id']) ?? filled(message['client_id'])?.slice(0, 200)
  if (messageId === undefined) return { malformed: 'message_id' }
  const context = readContext(message, from, messageId, around.nowMs)
  const content = readItems(list(message['item_list']).slice(0, MAX_ITEMS).filter(isObject))
  if (content.text === '' && content.media.length === 0) return context
  const quoted = readQuotedRef(list(message['item_list']), from, around)
  const event: InboundMessage = {
    type: 'message',
    key: `m:${from}:${messageId}`,
    messageId,
    chat: { id: from, kind: 'direct' },
    from: { id: from },
    text: content.text,
    sentAtMs: readTimeMs(message['create_time_ms']) ?? around.nowMs,
    addressed: true,
    media: content.media,
    ...(quoted === undefined ? {} : { quoted }),
    ...(content.text === '' ? { settleMs: SETTLE_MS } : {}),
  }
  return { ...context, event }
}

function readContext(message: Json, person: string, messageId: string, nowMs: number): Pick<Decoded, 'context'> {
  const token = filled(message['context_token'])
  if (token === undefined || token.length > TOKEN_CHARACTERS) return {}
  const sentAtMs = readTimeMs(message['create_time_ms'])
  const isDated = sentAtMs !== undefined && sentAtMs <= nowMs + CLOCKS_DIFFER_MS
  return { context: { person, messageId, token, ...(isDated ? { sentAtMs } : {}) } }
}

/** What stands for a message in a quote of it: its text, or what it is. */
export const summarizeContent = ({ text: words, media }: Pick<InboundMessage, 'text' | 'media'>): string =>
  words === '' ? media.map(({ kind, name }) => `[${kind}${name === undefined ? '' : `: ${name}`}]`).join(' ') : words

const readTimeMs = (value: unknown): number | undefined => {
  const ms = integer(value)
  return ms !== undefined && ms > 0 && ms <= 8_640_000_000_000_000 ? ms : undefined
}

interface Content {
  readonly text: string
  readonly media: readonly MediaRef[]
}

function readItems(items: readonly Json[]): Content {
  const lines: string[] = []
  const media: MediaRef[] = []
  for (const item of items) {
    const words = readText(item)
    const file = words === undefined ? readMedia(item) : undefined
    if (words !== undefined) lines.push(words)
    else if (file !== undefined) media.push(file)
    else if (!TOOL_ITEMS.has(item['type'])) lines.push(lineFor(item))
  }
  const written = lines.filter((line) => line !== '').join('\n')
  return { text: written.slice(0, TEXT_MAX), media }
}

/** What was written, or said: of a voice message the transcript is taken where there is one. */
const readText = (item: Json): string | undefined =>
  filled(object(item['text_item'])?.['text']) ?? filled(object(item['voice_item'])?.['text'])

/** So that nothing a person sends goes by unnoticed. */
function lineFor(item: Json): string {
  if (item['type'] === 1) return ''
  const kind = [undefined, undefined, 'Image', 'Voice message', 'File', 'Video'][integer(item['type']) ?? 0]
  return kind === undefined ? '[unsupported content]' : `[${kind}: unavailable]`
}

/** Newer apps name only the id of what is quoted, older ones send its text along. */
function readQuotedRef(items: readonly unknown[], from: string, around: Around): InboundMessage['quoted'] {
  const ref = items.map((item) => object(object(item)?.['ref_msg'])).find((one) => one !== undefined)
  if (ref === undefined) return undefined
  const messageId = id(ref['svr_id'])
  const item = object(ref['message_item'])
  const sent = item === undefined ? '' : summarizeContent(readItems([item]))
  const known = messageId === undefined ? undefined : around.recent(from, messageId)
  const words = (sent === '' ? (known ?? filled(ref['title']) ?? '') : sent).slice(0, QUOTED_CHARACTERS)
  if (words === '' && messageId === undefined) return undefined
  return { text: words, ...(messageId === undefined ? {} : { messageId }) }
}

/** Where a file lies and what it was encrypted with: what `MediaRef.ref` holds, as JSON. */
interface MediaPlace {
  readonly url?: string
  readonly param?: string
  readonly hexKey?: string
  readonly base64Key?: string
}

const MAX_CHARACTERS = 8_192

/** What `placeOf` wrote; `null` for anything else. */
export function readPlace(ref: string): MediaPlace | null {
  const value = parseJson(ref)
  if (!isObject(value)) return null
  return dropMissing({
    url: filled(value['url']),
    param: filled(value['param']),
    hexKey: filled(value['hexKey']),
    base64Key: filled(value['base64Key']),
  })
}

type Possible = { readonly [K in keyof MediaPlace]: string | undefined }

/** `null` when it lies nowhere. */
function dropMissing({ url, param, hexKey, base64Key }: Possible): MediaPlace | null {
  if (url === undefined && param === undefined) return null
  return {
    ...(url === undefined ? {} : { url }),
    ...(param === undefined ? {} : { param }),
    ...(hexKey === undefined ? {} : { hexKey }),
    ...(base64Key === undefined ? {} : { base64Key }),
  }
}

const short = (value: unknown): string | undefined => {
  const words = filled(value)
  return words !== undefined && words.length <= MAX_CHARACTERS ? words : undefined
}

function toPlace(media: Json | undefined, hexKey: string | undefined): string | undefined {
  const place = dropMissing({
    url: short(media?.['full_url']),
    param: short(media?.['encrypt_query_param']),
    hexKey,
    base64Key: short(media?.['aes_key']),
  })
  return place === null ? undefined : JSON.stringify(place)
}

/** Types of voice messages by `encode_type`. */
const VOICES: ReadonlyMap<number, readonly [mime: string, name: string]> = new Map([
  [5, ['audio/amr', 'voice.amr']],
  [6, ['audio/silk', 'voice.silk']],
  [7, ['audio/mpeg', 'voice.mp3']],
])

/** The file of one item of a message; `undefined` when it has none that could be fetched. */
function readMedia(item: Json): MediaRef | undefined {
  const image = object(item['image_item'])
  if (image !== undefined) return toMediaRef('image', image, { hexKey: short(image['aeskey']) })
  const voice = object(item['voice_item'])
  if (voice !== undefined) {
    const [mime, name] = VOICES.get(integer(voice['encode_type']) ?? 0) ?? ['application/octet-stream', 'voice']
    return toMediaRef('voice', voice, { mime, name })
  }
  const file = object(item['file_item'])
  if (file !== undefined) {
    return toMediaRef('file', file, { name: filled(file['file_name'])?.slice(0, 256), sizeBytes: integer(file['len']) })
  }
  const video = object(item['video_item'])
  if (video !== undefined) {
    return toMediaRef('video', video, {
      mime: 'video/mp4',
      name: 'video.mp4',
      sizeBytes: integer(video['video_size']),
    })
  }
  return undefined
}

interface Known {
  readonly hexKey?: string | undefined
  readonly name?: string | undefined
  readonly mime?: string | undefined
  readonly sizeBytes?: number | undefined
}

function toMediaRef(kind: MediaRef['kind'], content: Json, known: Known): MediaRef | undefined {
  const { hexKey, name, mime, sizeBytes } = known
  const ref = toPlace(object(content['media']), hexKey)
  if (ref === undefined) return undefined
  return {
    kind,
    ref,
    ...(name === undefined ? {} : { name }),
    ...(mime === undefined ? {} : { mime }),
    ...(sizeBytes === undefined || sizeBytes <= 0 ? {} : { sizeBytes }),
  }
}

/** Protocol buffers may write a 64-bit number as a text of its digits. */
export function integer(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined
}

/** Returns a uint64 id as its exact digits; 0 means no id. */
export function id(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : undefined
  return typeof value === 'string' && /^[1-9]\d{0,19}$/.test(value) ? value : undefined
}
