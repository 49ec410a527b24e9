import { createDecipheriv } from 'node:crypto'
import type { FetchedMedia, MediaRef } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { download, fetchedMedia, mediaTooLarge, mediaUnavailable, mimeOf, requireFile } from '../wire/download.ts'
import { pictureType } from '../wire/picture-type.ts'
import { checkedUrl } from '../wire/server-url.ts'
import { wecomUrl } from './client.ts'
import { wecomLimits } from './limits.ts'
import { readMediaPlace } from './media-ref.ts'

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
  const url = checkedUrl(place?.url, 'web', { configured: wecomUrl(io) })
  if (place === null || url === null) throw mediaUnavailable('WeCom named no address that may be asked')
  const got = await download(io, url, maxBytes + PADDING, { signal, timeoutMs: DOWNLOAD_MS })
  if (!got.ok && got.problem === 'unavailable' && got.status !== null)
    throw mediaUnavailable(`${got.detail}; an address is good for five minutes`)
  const { bytes: sealed, headers } = requireFile(got, maxBytes)
  const bytes = place.aesKey === null ? sealed : decrypted(sealed, place.aesKey)
  if (bytes.byteLength > maxBytes) throw mediaTooLarge(maxBytes)
  const name = nameOf(headers.get('content-disposition'))
  return fetchedMedia(bytes, { name, mime: pictureType(bytes) ?? mimeOf(headers) })
}

/**
 * AES-256-CBC with the key's first half as initial vector. Some files arrive unencrypted: what does not end in a
 * padding is handed over as it came.
 */
export function decrypted(bytes: Uint8Array, aesKey: string): Uint8Array {
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
export function nameOf(disposition: string | null): string | undefined {
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
