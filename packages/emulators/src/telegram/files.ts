import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { badRequest } from './failure.ts'
import type { DocumentRef, Message, PhotoSize } from './wire.ts'

/** Largest file that a bot may download from the cloud, bytes. */
const DOWNLOAD_LIMIT = 20 * 1024 * 1024

export type FileKind = 'photos' | 'documents' | 'voice' | 'music' | 'videos'

export interface StoredFile {
  readonly fileId: string
  readonly uniqueId: string
  /** As in `getFile`, below the bot's file root. */
  readonly path: string
  readonly name: string
  readonly mimeType: string
  /** Bytes; above `bytes.length` for a file that only pretends to be large. */
  readonly size: number
  readonly bytes: Uint8Array
}

interface NewFile {
  readonly kind: FileKind
  readonly name: string
  readonly mimeType: string
  readonly bytes: Uint8Array
  readonly size?: number | undefined
}

/** The files of one bot; when they pass `capacityBytes` together the oldest are forgotten. */
export class FileStore {
  readonly #botId: number
  readonly #capacityBytes: number
  readonly #byId = new Map<string, StoredFile>()
  readonly #byPath = new Map<string, StoredFile>()
  #count = 0
  #held = 0
  /** Folder that stands for the disk of a server in local mode; null: cloud. */
  localDirectory: string | null = null

  constructor(botId: number, capacityBytes: number) {
    this.#botId = botId
    this.#capacityBytes = capacityBytes
  }

  add(file: NewFile): StoredFile {
    const number = this.#count++
    const stored: StoredFile = {
      fileId: `${this.#botId.toString(36)}_${file.kind}_${number}_AgACAgIAAxkBAAI`,
      uniqueId: `AQAD${this.#botId.toString(36)}${number.toString(36)}`,
      path: `${file.kind}/file_${number}${extension(file)}`,
      name: file.name,
      mimeType: file.mimeType,
      size: file.size ?? file.bytes.length,
      bytes: file.bytes,
    }
    this.#byId.set(stored.fileId, stored)
    this.#byPath.set(stored.path, stored)
    this.#held += stored.bytes.length
    for (const oldest of this.#byId.values()) {
      if (this.#held <= this.#capacityBytes || oldest === stored) break
      this.#byId.delete(oldest.fileId)
      this.#byPath.delete(oldest.path)
      this.#held -= oldest.bytes.length
    }
    return stored
  }

  /** A smaller form of a photo, with an id of its own and the same bytes. */
  thumbnailOf(file: StoredFile): StoredFile {
    const fileId = `${file.fileId}_s`
    const known = this.#byId.get(fileId)
    if (known) return known
    const path = file.path.replace(/(\.\w+)?$/, '_s$1')
    const thumbnail = { ...file, fileId, uniqueId: `${file.uniqueId}s`, path, size: Math.min(file.size, 1_500) }
    this.#byId.set(fileId, thumbnail)
    this.#byPath.set(path, thumbnail)
    this.#held += file.bytes.length
    return thumbnail
  }

  get(fileId: string): StoredFile | undefined {
    return this.#byId.get(fileId)
  }

  byPath(path: string): StoredFile | undefined {
    const file = this.#byPath.get(path)
    return file && file.size <= DOWNLOAD_LIMIT ? file : undefined
  }

  /** What `getFile` calls `file_path`. @throws {TelegramFailure} 400 above 20 MB, except in local mode. */
  pathOf(file: StoredFile): string {
    if (this.localDirectory === null) {
      if (file.size > DOWNLOAD_LIMIT) throw badRequest('file is too big')
      return file.path
    }
    const path = join(this.localDirectory, file.path)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, file.bytes)
    return path
  }
}

function extension({ kind, name }: NewFile): string {
  if (kind === 'photos') return '.jpg'
  if (kind === 'voice') return '.oga'
  return /\.[a-z0-9]{1,8}$/i.exec(name)?.[0] ?? ''
}

/** The member of a message that shows a file. A photo comes in two sizes, the smaller first. */
export function mediaOf(
  files: FileStore,
  kind: 'photo' | 'document' | 'voice' | 'audio' | 'video',
  file: StoredFile,
): Partial<Message> {
  const reference = { file_id: file.fileId, file_unique_id: file.uniqueId, file_size: file.size }
  const named: DocumentRef = {
    ...reference,
    file_name: file.name,
    mime_type: file.mimeType || 'application/octet-stream',
  }
  switch (kind) {
    case 'photo':
      return { photo: photoSizes(files, file) }
    case 'document':
      return { document: named }
    case 'voice':
      return { voice: { ...reference, mime_type: file.mimeType || 'audio/ogg', duration: 1 } }
    case 'audio':
      return { audio: { ...named, duration: 1 } }
    case 'video':
      return { video: { ...named, duration: 1, width: 640, height: 360 } }
  }
}

function photoSizes(files: FileStore, file: StoredFile): readonly PhotoSize[] {
  const { width, height } = dimensions(file.bytes)
  const scale = 90 / Math.max(width, height, 90)
  const thumbnail = files.thumbnailOf(file)
  return [
    {
      file_id: thumbnail.fileId,
      file_unique_id: thumbnail.uniqueId,
      file_size: thumbnail.size,
      width: Math.max(1, Math.round(width * scale)),
      height: Math.max(1, Math.round(height * scale)),
    },
    { file_id: file.fileId, file_unique_id: file.uniqueId, file_size: file.size, width, height },
  ]
}

interface Dimensions {
  readonly width: number
  readonly height: number
}

/** Of a PNG or a JPEG; anything else is taken for 800 by 600. */
function dimensions(bytes: Uint8Array): Dimensions {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isPng = view.length >= 24 && view.readUInt32BE(0) === 0x89504e47
  if (isPng) return { width: view.readUInt32BE(16), height: view.readUInt32BE(20) }
  return jpegDimensions(view) ?? { width: 800, height: 600 }
}

/** Walks the segments to the frame header. @see ITU-T T.81, B.1.1 and B.2.2 */
function jpegDimensions(view: Buffer): Dimensions | null {
  if (view.length < 4 || view.readUInt16BE(0) !== 0xffd8) return null
  for (let at = 2; at + 9 <= view.length && view[at] === 0xff; at += 2 + view.readUInt16BE(at + 2)) {
    const marker = view.readUInt8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: view.readUInt16BE(at + 7), height: view.readUInt16BE(at + 5) }
  }
  return null
}
