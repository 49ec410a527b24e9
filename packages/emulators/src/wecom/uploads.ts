import { createHash } from 'node:crypto'
import { forgetOldest } from '../kit/forget-oldest.ts'
import { WecomFailure } from './faults.ts'
import type { Call } from './call.ts'
import { countUpload } from './limits.ts'
import type { MediaType, Upload, WecomState } from './state.ts'

const MB = 1024 * 1024
/** Largest file by type, bytes. */
const SIZES: Readonly<Record<MediaType, number>> = { file: 20 * MB, image: 10 * MB, voice: 2 * MB, video: 10 * MB }
const SMALLEST = 5
const CHUNKS = 100
const CHUNK_BYTES = 512 * 1024

/** Begins a file. @returns the id for its pieces. @throws {WecomFailure} for a wrong size or type */
export function uploadInit({ state, body }: Call): Readonly<Record<string, unknown>> {
  const { type, filename, total_size: size, total_chunks: total, md5 = '' } = body
  if (!isMediaType(type) || typeof filename !== 'string' || filename === '' || typeof md5 !== 'string') return invalid()
  if (!isCount(size) || !isCount(total) || total < 1 || total > CHUNKS) return invalid()
  if (size > SIZES[type]) throw new WecomFailure(type === 'image' ? 93018 : 40058)
  if (size < SMALLEST) throw new WecomFailure(type === 'image' ? 93017 : 40058)
  countUpload(state)
  const uploadId = state.nextId('U')
  const untilMs = state.clock.now() + state.times.uploadLifeMs
  state.uploads.set(uploadId, { type, name: filename, size, total, md5, untilMs, chunks: new Map() })
  forgetOldest(state.uploads, 100)
  return { upload_id: uploadId }
}

/** Pieces come in any order and may come again; the library counts from 0, the document's sample from 1. */
export function uploadChunk({ state, body }: Call): undefined {
  const upload = find(state, body['upload_id'])
  const { chunk_index: index, base64_data: data } = body
  if (!isCount(index) || index > upload.total || typeof data !== 'string') return invalid()
  const bytes = Buffer.from(data, 'base64')
  if (bytes.length > CHUNK_BYTES || bytes.length === 0) return invalid()
  upload.chunks.set(index, bytes)
}

/** Puts a file together. @returns its media id. @throws {WecomFailure} 40058 when a piece is missing or changed */
export function uploadFinish({ state, body }: Call): Readonly<Record<string, unknown>> {
  const upload = find(state, body['upload_id'])
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

function find(state: WecomState, id: unknown): Upload {
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
