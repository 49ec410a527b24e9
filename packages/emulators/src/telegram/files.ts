import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { badRequest } from './failure.ts'
import type { DocumentRef, Message, PhotoSize } from './wire.ts'

/** Largest file that a bot can download from the cloud, in bytes. */
const DOWNLOAD_LIMIT = 20 * 1024 * 1024

/** Folders of files. */
export type FileKind = 'photos' | 'documents' | 'voice' | 'music' | 'videos'

/** A stored file. */
export interface StoredFile {
  readonly fileId: string
  readonly uniqueId: string
  /** Path in `getFile`, below the bot's file root. */
  readonly path: string
  readonly name: string
  readonly mimeType: string
  /** Reported size, in bytes; can exceed `bytes.length`. */
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

/** Files of a bot. When their total size exceeds `capacityBytes`, the oldest are evicted. */
export class FileStore {
  readonly #botId: number
  readonly #capacityBytes: number
  readonly #byId = new Map<string, StoredFile>()
  readonly #byPath = new Map<string, StoredFile>()
  #count = 0
  #held = 0
  /** Folder for files in local mode; `null`: cloud. */
  localDirectory: string | null = null

  constructor(botId: number, capacityBytes: number) {
    this.#botId = botId
    this.#capacityBytes = capacityBytes
  }

  /** Stores a file. */
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

  /** Returns the thumbnail of a photo: same content, own id. */
  makeThumbnail(file: StoredFile): StoredFile {
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

  /** Returns a file by its id. */
  get(fileId: string): StoredFile | undefined {
    return this.#byId.get(fileId)
  }

  /** Returns a file by its path, unless it is too large to download. */
  findByPath(path: string): StoredFile | undefined {
    const file = this.#byPath.get(path)
    return file && file.size <= DOWNLOAD_LIMIT ? file : undefined
  }

  /** Returns `file_path` for `getFile`. @throws {TelegramFailure} 400 above 20 MB, except in local mode */
  getPath(file: StoredFile): string {
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

/** Returns the field of a message for a file. Photos have two sizes, smaller first. */
export function toMediaFields(
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
  const thumbnail = files.makeThumbnail(file)
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

/** Returns the dimensions of a PNG or JPEG, and 800 by 600 for anything else. */
function dimensions(bytes: Uint8Array): Dimensions {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isPng = view.length >= 24 && view.readUInt32BE(0) === 0x89504e47
  if (isPng) return { width: view.readUInt32BE(16), height: view.readUInt32BE(20) }
  return jpegDimensions(view) ?? { width: 800, height: 600 }
}

/** Reads the frame header. @see ITU-T T.81, B.1.1 and B.2.2 */
function jpegDimensions(view: Buffer): Dimensions | null {
  if (view.length < 4 || view.readUInt16BE(0) !== 0xffd8) return null
  for (let at = 2; at + 9 <= view.length && view[at] === 0xff; at += 2 + view.readUInt16BE(at + 2)) {
    const marker = view.readUInt8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: view.readUInt16BE(at + 7), height: view.readUInt16BE(at + 5) }
  }
  return null
}
