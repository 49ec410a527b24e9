import { createHash, randomBytes } from 'node:crypto'
import type { FetchedMedia, MediaRef, OutboundFilePart, Refused } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { download, fetchedMedia, mediaTooLarge, mediaUnavailable, requireFile, requireSize } from '../wire/download.ts'
import { contentRejected, readOutbound, uploadMs } from '../wire/outbound-file.ts'
import { pictureType } from '../wire/picture-type.ts'
import { checkedUrl } from '../wire/server-url.ts'
import { downloadUrl, upload, uploadUrl } from './cdn.ts'
import type { WeixinClient } from './client.ts'
import { weixinCdnUrl } from './credentials.ts'
import { PADDING_BYTES, readKey, seal, unseal } from './crypt.ts'
import { readPlace } from './decode-media.ts'
import { fileItem, fileKindOf, type Item, type SealedFile, uploadBody } from './encode.ts'
import { filled, type Json } from '../wire/json.ts'
import { weixinLimits } from './limits.ts'
import { outcomeBeforeSending } from './outcome.ts'

const CALL_MS = 15_000
const DOWNLOAD_MS = 120_000

/** Encrypts and uploads a file. @returns the item that shows it, or why it cannot be sent: nothing is shown yet. */
export async function uploadFile(
  client: WeixinClient,
  io: PlatformIo,
  part: OutboundFilePart,
  signal: AbortSignal,
): Promise<Item | Refused> {
  const plain = await readOutbound(part, { most: weixinLimits.fileBytes.file })
  if (!(plain instanceof Uint8Array)) return plain
  const { image: maxImageBytes } = weixinLimits.fileBytes
  const key = randomBytes(16).toString('hex')
  const cipher = seal(plain, key)
  const file: SealedFile = {
    kind: fileKindOf(part.mime, plain.length, maxImageBytes),
    name: part.name.replace(/\p{Cc}/gu, ' ').trim() || 'file',
    key,
    fileKey: randomBytes(16).toString('hex'),
    md5: createHash('md5').update(plain).digest('hex'),
    plainBytes: plain.length,
    cipherBytes: cipher.length,
  }
  const limits = { signal, timeoutMs: CALL_MS }
  const place = await client.post('ilink/bot/getuploadurl', uploadBody(file, part.chat.id), limits)
  if (!place.ok) return outcomeBeforeSending(place.failure)
  const url = uploadPlace(place.body, file.fileKey, weixinCdnUrl(io))
  if (url === null) return contentRejected('Weixin named no place for the file')
  const uploaded = await upload(io, url, cipher, { signal, timeoutMs: uploadMs(cipher.length) })
  return uploaded.ok ? fileItem(file, uploaded.param) : outcomeBeforeSending(uploaded.failure)
}

const uploadPlace = (body: Json, fileKey: string, cdn: string): string | null =>
  placeAt(body['upload_full_url'], filled(body['upload_param']), cdn, (param) => uploadUrl(cdn, param, fileKey))

/** The URL that was named, or the one that is made of a parameter; `null` when there is neither. */
function placeAt(
  url: unknown,
  param: string | undefined,
  cdn: string,
  urlFor: (param: string) => string,
): string | null {
  const named = checkedUrl(url, 'web', { configured: cdn })
  if (named !== null) return named.href
  return param === undefined ? null : urlFor(param)
}

/** Downloads and decrypts. @throws {ChannelError} `media_too_large`, `media_unavailable` */
export async function fetchWeixinMedia(io: PlatformIo, media: MediaRef, signal: AbortSignal): Promise<FetchedMedia> {
  const maxBytes = weixinLimits.fileBytes.inbound
  requireSize(media, maxBytes)
  const cdn = weixinCdnUrl(io)
  const place = readPlace(media.ref)
  const url = place === null ? null : placeAt(place.url, place.param, cdn, (param) => downloadUrl(cdn, param))
  if (place === null || url === null)
    throw mediaUnavailable('it is not said where the file lies, or nobody may ask there')
  const key = readKey(place.hexKey, place.base64Key)
  if (key === undefined) throw mediaUnavailable('the key of the file is not understood')
  const got = await download(io, url, maxBytes + PADDING_BYTES, { signal, timeoutMs: DOWNLOAD_MS })
  const file = requireFile(got, maxBytes)
  const bytes = key === null ? file.bytes : unseal(file.bytes, key)
  if (bytes === null) throw mediaUnavailable('it cannot be decrypted with the key that came with it')
  if (bytes.length > maxBytes) throw mediaTooLarge(maxBytes)
  return fetchedMedia(bytes, { name: media.name, mime: media.mime ?? pictureType(bytes) })
}
