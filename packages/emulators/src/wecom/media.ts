import { createCipheriv, createHash } from 'node:crypto'
import { evictOldest } from '../kit/bounded-log.ts'
import type { SayFile } from '../kit/control.ts'
import { type FrameCall, countUpload } from './call.ts'
import { WecomFailure } from './faults.ts'
import type { MediaType, Upload, WecomState } from './state.ts'

const MB = 1024 * 1024
/** Maximum file size by type, in bytes. */
const SIZES: Readonly<Record<MediaType, number>> = { file: 20 * MB, image: 10 * MB, voice: 2 * MB, video: 10 * MB }
const SMALLEST = 5
const CHUNKS = 100
const CHUNK_BYTES = 512 * 1024

/** Starts an upload and returns its id. @throws {WecomFailure} when the size or type isn't allowed */
export function uploadInit({ state, body }: FrameCall): Readonly<Record<string, unknown>> {
  const { type, filename, total_size: size, total_chunks: total, md5 = '' } = body
  if (!isMediaType(type) || typeof filename !== 'string' || filename === '' || typeof md5 !== 'string') return invalid()
  if (!isCount(size) || !isCount(total) || total < 1 || total > CHUNKS) return invalid()
  if (size > SIZES[type]) throw new WecomFailure(type === 'image' ? 93018 : 40058)
  if (size < SMALLEST) throw new WecomFailure(type === 'image' ? 93017 : 40058)
  countUpload(state)
  const uploadId = state.nextId('U')
  const untilMs = state.clock.now() + state.times.uploadLifeMs
  state.uploads.set(uploadId, { type, name: filename, size, total, md5, untilMs, chunks: new Map() })
  evictOldest(state.uploads, 100)
  return { upload_id: uploadId }
}

/** Stores a chunk. Chunks can arrive in any order and repeatedly; the SDK counts from 0, the documentation's sample from 1. */
export function uploadChunk({ state, body }: FrameCall): undefined {
  const upload = requireUpload(state, body['upload_id'])
  const { chunk_index: index, base64_data: data } = body
  if (!isCount(index) || index > upload.total || typeof data !== 'string') return invalid()
  const bytes = Buffer.from(data, 'base64')
  if (bytes.length > CHUNK_BYTES || bytes.length === 0) return invalid()
  upload.chunks.set(index, bytes)
}

/** Assembles a file and returns its media id. @throws {WecomFailure} 40058 when a chunk is missing or altered */
export function uploadFinish({ state, body }: FrameCall): Readonly<Record<string, unknown>> {
  const upload = requireUpload(state, body['upload_id'])
  const indexes = [...upload.chunks.keys()].toSorted((a, b) => a - b)
  const bytes = Buffer.concat(indexes.map((index) => upload.chunks.get(index) ?? Buffer.alloc(0)))
  const isWhole = indexes.length === upload.total && bytes.length === upload.size
  const isIntact = upload.md5 === '' || createHash('md5').update(bytes).digest('hex') === upload.md5.toLowerCase()
  if (!isWhole || !isIntact) return invalid()
  state.uploads.delete(String(body['upload_id']))
  const mediaId = state.nextId('media_')
  const now = state.clock.now()
  const { type, name } = upload
  state.media.put(mediaId, { type, name, mimeType: '', bytes, untilMs: now + state.times.mediaIdLifeMs })
  return { type, media_id: mediaId, created_at: Math.floor(now / 1000) }
}

function requireUpload(state: WecomState, id: unknown): Upload {
  const upload = typeof id === 'string' ? state.uploads.get(id) : undefined
  if (upload === undefined || upload.untilMs <= state.clock.now()) return invalid()
  return upload
}

const isMediaType = (value: unknown): value is MediaType =>
  value === 'file' || value === 'image' || value === 'voice' || value === 'video'

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 0

function invalid(): never {
  throw new WecomFailure(40058)
}

const KIND_NAMES = { image: 'image.jpg', file: 'file.bin', voice: 'voice.amr', video: 'video.mp4' } as const

/** Address and decryption key of a person's file. */
interface DownloadLink {
  readonly url: string
  readonly aeskey: string
}

/** Decodes a file to send. @throws {RangeError} when the content isn't base64 */
export function readFile({ base64, name, kind }: SayFile): { readonly name: string; readonly bytes: Buffer } {
  if (typeof base64 !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) {
    throw new RangeError('The content of a file must be base64')
  }
  return { name: name ?? KIND_NAMES[kind], bytes: Buffer.from(base64, 'base64') }
}

/** Offers a file for download, encrypted with its own key. */
export function offerDownload(state: WecomState, url: string, name: string, bytes: Uint8Array): DownloadLink {
  const id = state.nextId('D')
  const aesKey = createHash('sha256').update(`wecom file ${id}`).digest()
  const untilMs = state.clock.now() + state.times.downloadLifeMs
  state.downloads.put(id, { name, mimeType: 'application/octet-stream', bytes, untilMs, aesKey })
  const key = aesKey.toString('base64')
  // the platform sends keys with and without padding
  return { url: `${url}/media/${id}`, aeskey: Number(id.slice(1)) % 2 === 0 ? key : key.replaceAll('=', '') }
}

/** Encrypts with AES-256-CBC; the IV is the first 16 bytes of the key, PKCS#7 padding to 32 bytes. */
export function encrypt(bytes: Uint8Array, aesKey: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-cbc', aesKey, aesKey.subarray(0, 16)).setAutoPadding(false)
  const padding = 32 - (bytes.length % 32)
  return Buffer.concat([cipher.update(bytes), cipher.update(Buffer.alloc(padding, padding)), cipher.final()])
}
