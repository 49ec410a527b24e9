import { createDecipheriv, createHash } from 'node:crypto'
import type { FetchedMedia, MediaRef, OutboundFilePart, Refused } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import {
  download,
  fetchedMedia,
  mediaTooLarge,
  mediaUnavailable,
  readMimeType,
  pictureType,
  requireFile,
} from '../wire/download.ts'
import { filled } from '../wire/json.ts'
import { readOutboundFile } from '../wire/outbound-file.ts'
import { parseTrustedUrl } from '../wire/urls.ts'
import { wecomUrl } from './client.ts'
import { readMediaPlace } from './decode.ts'
import { fileName, type MediaType, mediaTypeFor, MIN_MEDIA_BYTES, ownId } from './encode.ts'
import { wecomLimits } from './limits.ts'
import { type Answer, toOutcome, type WecomFailure } from './outcome.ts'
import type { ReplySession } from './reply-session.ts'

const DOWNLOAD_MS = 60_000
/** The padding fills up to a multiple of this many bytes, and is never empty. */
const PADDING = 32

/**
 * Downloads and decrypts a file of a message. The address is good for about five minutes.
 * @throws {ChannelError} `media_too_large`, `media_unavailable`
 */
export async function fetchMedia(media: MediaRef, io: PlatformIo, signal: AbortSignal): Promise<FetchedMedia> {
  const maxBytes = wecomLimits.fileBytes.inbound
  const place = readMediaPlace(media.ref)
  const url = parseTrustedUrl(place?.url, 'web', { configured: wecomUrl(io) })
  if (place === null || url === null) throw mediaUnavailable('WeCom returned an untrusted URL')
  const got = await download(io, url, maxBytes + PADDING, { signal, timeoutMs: DOWNLOAD_MS })
  if (!got.ok && got.problem === 'unavailable' && got.status !== null)
    throw mediaUnavailable(`${got.detail}; download links expire after five minutes`)
  const { bytes: sealed, headers } = requireFile(got, maxBytes)
  const bytes = place.aesKey === null ? sealed : decrypt(sealed, place.aesKey)
  if (bytes.byteLength > maxBytes) throw mediaTooLarge(maxBytes)
  const name = parseFileName(headers.get('content-disposition'))
  return fetchedMedia(bytes, { name, mime: pictureType(bytes) ?? readMimeType(headers) })
}

/**
 * AES-256-CBC with the key's first half as initial vector. Some files arrive unencrypted: what does not end in a
 * padding is handed over as it came.
 */
export function decrypt(bytes: Uint8Array, aesKey: string): Uint8Array {
  const key = Buffer.from(aesKey, 'base64')
  if (key.length !== 32 || bytes.length === 0 || bytes.length % 16 !== 0) return bytes
  const decipher = createDecipheriv('aes-256-cbc', key, key.subarray(0, 16))
  decipher.setAutoPadding(false) // it knows no padding beyond 16 bytes
  const clear = Buffer.concat([decipher.update(bytes), decipher.final()])
  const padding = clear.at(-1) ?? 0
  if (padding < 1 || padding > PADDING || padding > clear.length) return bytes
  if (clear.subarray(-padding).some((byte) => byte !== padding)) return bytes
  return clear.subarray(0, -padding)
}

/** The file name of a `Content-Disposition`. */
export function parseFileName(disposition: string | null): string | undefined {
  const extended = /filename\*\s*=\s*UTF-8''([^;\s]+)/i.exec(disposition ?? '')?.[1]
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition ?? '')
  const name = extended ?? plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2]
  if (name === undefined) return undefined
  try {
    return decodeURIComponent(name)
  } catch {
    return name // a percent sign that is meant as one
  }
}

/** Before base64. */
const CHUNK_BYTES = 512 * 1024
/** A piece may come twice, so one without an answer is sent again. */
const CHUNK_ATTEMPTS = 3

type Uploaded = { readonly type: MediaType; readonly mediaId: string } | Refused

/** Brings a file to the platform in three steps. Nothing of it is shown, whatever becomes of them. */
export async function upload(talk: ReplySession, part: OutboundFilePart, signal: AbortSignal): Promise<Uploaded> {
  const bytes = await readOutboundFile(part, { maxBytes: wecomLimits.fileBytes.file, minBytes: MIN_MEDIA_BYTES })
  if (!(bytes instanceof Uint8Array)) return bytes
  const type = mediaTypeFor(part.mime, bytes.length)
  const call = (step: string, at: string, body: Readonly<Record<string, unknown>>): Promise<Answer> =>
    talk.call(`aibot_upload_media_${step}`, ownId('push', part.deliveryId, `${step} ${at}`), body, signal)
  const begun = await call('init', '', {
    type,
    filename: fileName(part.name),
    total_size: bytes.length,
    total_chunks: Math.ceil(bytes.length / CHUNK_BYTES),
    md5: createHash('md5').update(bytes).digest('hex'),
  })
  if (!begun.ok) return toUploadRefusal(begun.failure)
  const uploadId = filled(begun.body['upload_id'])
  if (uploadId === undefined) return missingMediaId()
  for (let index = 0; index * CHUNK_BYTES < bytes.length; index++) {
    const chunk = bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES)
    const body = { upload_id: uploadId, chunk_index: index, base64_data: chunk.toString('base64') }
    const failure = await sendChunk((attempt) => call('chunk', `${index} ${attempt}`, body))
    if (failure !== null) return toUploadRefusal(failure)
  }
  const done = await call('finish', '', { upload_id: uploadId })
  if (!done.ok) return toUploadRefusal(done.failure)
  const mediaId = filled(done.body['media_id'])
  return mediaId === undefined ? missingMediaId() : { type, mediaId }
}

async function sendChunk(send: (attempt: number) => Promise<Answer>): Promise<WecomFailure | null> {
  for (let attempt = 1; ; attempt++) {
    const answer = await send(attempt)
    if (answer.ok) return null
    if (answer.failure.kind !== 'unanswered' || attempt === CHUNK_ATTEMPTS) return answer.failure
  }
}

/** An unknown outcome of an upload is harmless: it can be repeated. */
function toUploadRefusal(failure: WecomFailure): Refused {
  const outcome = toOutcome(failure)
  if (outcome.status === 'refused') return outcome
  const detail = outcome.status === 'unknown' ? outcome.detail : ''
  return { status: 'refused', code: failure.kind === 'answer' ? 'content_rejected' : 'network', detail }
}

const missingMediaId = (): Refused => ({
  status: 'refused',
  code: 'network',
  detail: 'the upload response has no media id',
})
