import { isRecord } from '../../kit/http.ts'
import { Parameters, type Upload } from '../parameters.ts'
import { readFormatted } from '../entities/format.ts'
import { badRequest, TelegramFailure } from '../failure.ts'
import { toMediaFields, type FileKind, type StoredFile } from '../files.ts'
import type { BotState } from '../state.ts'
import type { Message } from '../wire.ts'
import { readMarkup, readPlacement, readWritableChat, type Call, type Method } from './target.ts'
import { post } from './text.ts'

const PHOTO_LIMIT = 10 * 1024 * 1024
const FILE_LIMIT = 50 * 1024 * 1024

/** Parameter name and folder by kind of file. */
const KINDS = {
  photo: 'photos',
  document: 'documents',
  voice: 'voice',
  audio: 'music',
  video: 'videos',
} as const satisfies Record<string, FileKind>

type MediaKind = keyof typeof KINDS

/** Returns the handler of `sendPhoto`, `sendDocument` etc.: by upload, `attach://` or file_id. */
export const sendMedia =
  (kind: MediaKind): Method =>
  (call) => {
    const chat = readWritableChat(call)
    const content = readMedia(call, kind, call.parameters.text(kind), call.parameters)
    return post(call, chat, { ...readPlacement(call.parameters, chat), ...content, ...readMarkup(call.parameters) })
  }

/** Handles `sendMediaGroup`: two to ten files as an album. */
export function sendMediaGroup(call: Call): readonly Message[] {
  const chat = readWritableChat(call)
  const items = call.parameters.array('media') ?? []
  if (items.length < 2 || items.length > 10) throw badRequest('wrong number of messages in the media group')
  const placement = readPlacement(call.parameters, chat)
  const contents = items.map((item) => {
    const kind = isRecord(item) && isMediaKind(item['type']) ? item['type'] : undefined
    if (!isRecord(item) || kind === undefined) throw badRequest('wrong type of the media group item')
    const media = typeof item['media'] === 'string' ? item['media'] : ''
    return readMedia(call, kind, media, new Parameters(item, call.parameters.files))
  })
  const groupId = String(call.bot.clock.now()) + String(call.bot.sent.last)
  return contents.map((content) => post(call, chat, { ...placement, media_group_id: groupId, ...content }))
}

const isMediaKind = (value: unknown): value is MediaKind => typeof value === 'string' && value in KINDS

function readMedia(call: Call, kind: MediaKind, reference: string, caption: Parameters): Partial<Message> {
  const file = readFile(call, kind, reference)
  const { text, entities } = readFormatted(caption, 'caption')
  return {
    ...toMediaFields(call.bot.files, kind, file),
    ...(text !== '' && { caption: text }),
    ...(entities.length > 0 && { caption_entities: entities }),
  }
}

function readFile({ bot, parameters }: Call, kind: MediaKind, reference: string): StoredFile {
  const attached = /^attach:\/\/(.+)$/.exec(reference)?.[1] ?? (reference === '' ? kind : '')
  if (attached !== '') return storeUpload(bot, kind, parameters.files.get(attached))
  const known = bot.files.get(reference)
  if (known) return known
  // the emulator makes no outside requests: every URL fails like one that the platform can't fetch
  if (/^https?:/i.test(reference)) throw badRequest('failed to get HTTP URL content')
  throw badRequest('wrong remote file identifier specified: Wrong string length')
}

function storeUpload(bot: BotState, kind: MediaKind, upload: Upload | undefined): StoredFile {
  if (upload === undefined) throw badRequest(`there is no ${kind} in the request`)
  if (upload.bytes.length === 0) throw badRequest('file must be non-empty')
  if (kind === 'photo' && upload.bytes.length > PHOTO_LIMIT) {
    throw badRequest(`too big file: ${PHOTO_LIMIT} bytes are the limit for a photo`)
  }
  if (upload.bytes.length > FILE_LIMIT) throw new TelegramFailure(413, 'Request Entity Too Large')
  return bot.files.add({ kind: KINDS[kind], name: upload.name, mimeType: upload.mimeType, bytes: upload.bytes })
}

/** Handles `getFile`. */
export function getFile({ bot, parameters }: Call): Readonly<Record<string, unknown>> {
  const file = bot.files.get(parameters.text('file_id'))
  if (file === undefined) throw badRequest('invalid file_id')
  return {
    file_id: file.fileId,
    file_unique_id: file.uniqueId,
    file_size: file.size,
    file_path: bot.files.getPath(file),
  }
}
