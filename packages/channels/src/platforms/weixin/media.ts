import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { FetchedMedia, MediaRef, OutboundFilePart, Refused } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { type CallLimits, failed, type Failed, createRedactor, readRetryAfter, runCall } from '../wire/call.ts'
import {
  download,
  fetchedMedia,
  mediaTooLarge,
  mediaUnavailable,
  pictureType,
  requireFile,
  requireSize,
} from '../wire/download.ts'
import { filled, type Json } from '../wire/json.ts'
import { contentRejected, readOutboundFile, getUploadTimeoutMs } from '../wire/outbound-file.ts'
import { parseTrustedUrl } from '../wire/urls.ts'
import type { WeixinClient } from './client.ts'
import { weixinCdnUrl } from './credentials.ts'
import { readPlace } from './decode.ts'
import { fileItem, chooseFileKind, type Item, type SealedFile, uploadBody } from './encode.ts'
import { weixinLimits } from './limits.ts'
import { toPreSendOutcome, type WeixinFailure } from './outcome.ts'

const CALL_MS = 15_000
const DOWNLOAD_MS = 120_000

/** Encrypts and uploads a file. @returns the item that shows it, or why it cannot be sent: nothing is shown yet. */
export async function uploadFile(
  client: WeixinClient,
  io: PlatformIo,
  part: OutboundFilePart,
  signal: AbortSignal,
): Promise<Item | Refused> {
  const plain = await readOutboundFile(part, { maxBytes: weixinLimits.fileBytes.file })
  if (!(plain instanceof Uint8Array)) return plain
  const { image: maxImageBytes } = weixinLimits.fileBytes
  const key = randomBytes(16).toString('hex')
  const cipher = seal(plain, key)
  const file: SealedFile = {
    kind: chooseFileKind(part.mime, plain.length, maxImageBytes),
    name: part.name.replace(/\p{Cc}/gu, ' ').trim() || 'file',
    key,
    fileKey: randomBytes(16).toString('hex'),
    md5: createHash('md5').update(plain).digest('hex'),
    plainBytes: plain.length,
    cipherBytes: cipher.length,
  }
  const limits = { signal, timeoutMs: CALL_MS }
  const place = await client.post('ilink/bot/getuploadurl', uploadBody(file, part.chat.id), limits)
  if (!place.ok) return toPreSendOutcome(place.failure)
  const url = chooseUploadUrl(place.body, file.fileKey, weixinCdnUrl(io))
  if (url === null) return contentRejected('Weixin returned no upload URL')
  const uploaded = await upload(io, url, cipher, { signal, timeoutMs: getUploadTimeoutMs(cipher.length) })
  return uploaded.ok ? fileItem(file, uploaded.param) : toPreSendOutcome(uploaded.failure)
}

const chooseUploadUrl = (body: Json, fileKey: string, cdn: string): string | null =>
  chooseUrl(body['upload_full_url'], filled(body['upload_param']), cdn, (param) => uploadUrl(cdn, param, fileKey))

/** The URL that was named, or the one that is made of a parameter; `null` when there is neither. */
function chooseUrl(
  url: unknown,
  param: string | undefined,
  cdn: string,
  urlFor: (param: string) => string,
): string | null {
  const named = parseTrustedUrl(url, 'web', { configured: cdn })
  if (named !== null) return named.href
  return param === undefined ? null : urlFor(param)
}

/** Downloads and decrypts. @throws {ChannelError} `media_too_large`, `media_unavailable` */
export async function fetchWeixinMedia(io: PlatformIo, media: MediaRef, signal: AbortSignal): Promise<FetchedMedia> {
  const maxBytes = weixinLimits.fileBytes.inbound
  requireSize(media, maxBytes)
  const cdn = weixinCdnUrl(io)
  const place = readPlace(media.ref)
  const url = place === null ? null : chooseUrl(place.url, place.param, cdn, (param) => downloadUrl(cdn, param))
  if (place === null || url === null) throw mediaUnavailable('it has no trusted URL')
  const key = readKey(place.hexKey, place.base64Key)
  if (key === undefined) throw mediaUnavailable('its key is malformed')
  const got = await download(io, url, maxBytes + PADDING_BYTES, { signal, timeoutMs: DOWNLOAD_MS })
  const file = requireFile(got, maxBytes)
  const bytes = key === null ? file.bytes : unseal(file.bytes, key)
  if (bytes === null) throw mediaUnavailable("couldn't decrypt it with its key")
  if (bytes.length > maxBytes) throw mediaTooLarge(maxBytes)
  return fetchedMedia(bytes, { name: media.name, mime: media.mime ?? pictureType(bytes) })
}

type Upload = { readonly ok: true; readonly param: string } | Failed<WeixinFailure>

const UPLOAD_TRIES = 3
const PARAM_CHARACTERS = 8_192

const downloadUrl = (cdn: string, param: string): string =>
  `${cdn}/download?encrypted_query_param=${encodeURIComponent(param)}`

const uploadUrl = (cdn: string, param: string, fileKey: string): string =>
  `${cdn}/upload?encrypted_query_param=${encodeURIComponent(param)}&filekey=${encodeURIComponent(fileKey)}`

/** Puts a file there. A server that stumbles is asked again: nothing is shown by an upload. Never throws. */
async function upload(
  io: PlatformIo,
  url: string,
  cipher: Uint8Array<ArrayBuffer>,
  limits: CallLimits,
): Promise<Upload> {
  for (let tries = 1; ; tries++) {
    const got = await uploadOnce(io, url, cipher, limits)
    const stumbled = !got.ok && got.failure.kind === 'foreign' && got.failure.status >= 500
    if (!stumbled || tries === UPLOAD_TRIES) return got
  }
}

const uploadOnce = (
  io: PlatformIo,
  url: string,
  cipher: Uint8Array<ArrayBuffer>,
  limits: CallLimits,
): Promise<Upload> =>
  runCall<Upload>(io, limits, async (signal) => {
    const headers = { 'Content-Type': 'application/octet-stream' }
    const response = await io.fetch(url, { method: 'POST', headers, body: cipher, signal, redirect: 'manual' })
    await response.body?.cancel()
    if (response.status !== 200) return failed(refusal(response))
    const param = response.headers.get('x-encrypted-param') ?? ''
    if (param !== '' && param.length <= PARAM_CHARACTERS) return { ok: true, param }
    return failed({ kind: 'foreign', status: 502, detail: 'the upload response has no x-encrypted-param' })
  })

function refusal(response: Response): WeixinFailure {
  const { status } = response
  const words = createRedactor()(response.headers.get('x-error-message') ?? '')
  const retryAfterMs = readRetryAfter(response)
  const detail = `HTTP ${status} for the file${words === '' ? '' : `: ${words}`}`
  return { kind: 'foreign', status, detail, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

const ALGORITHM = 'aes-128-ecb'
const HEX_KEY = /^[\da-f]{32}$/i
/** One more block than the content, at most: PKCS#7 always pads. */
const PADDING_BYTES = 16

/** @param key 32 hexadecimal digits. */
export function seal(plain: Uint8Array, key: string): Uint8Array<ArrayBuffer> {
  const cipher = createCipheriv(ALGORITHM, Buffer.from(key, 'hex'), null)
  return Buffer.concat([cipher.update(plain), cipher.final()])
}

/** `null`: these bytes were not encrypted with this key. @param key 32 hexadecimal digits. */
export function unseal(bytes: Uint8Array, key: string): Uint8Array | null {
  const decipher = createDecipheriv(ALGORITHM, Buffer.from(key, 'hex'), null)
  try {
    return Buffer.concat([decipher.update(bytes), decipher.final()])
  } catch {
    return null // wrong length or padding
  }
}

/**
 * Returns the key of a file, 32 hexadecimal digits; `null`: not encrypted, `undefined`: malformed.
 * @param hex    `aeskey` of a picture, which counts before the other.
 * @param base64 `aes_key` of any file: of the 16 bytes themselves, or of their hexadecimal text.
 */
export function readKey(hex: string | undefined, base64: string | undefined): string | null | undefined {
  if (hex !== undefined && HEX_KEY.test(hex)) return hex
  if (base64 === undefined) return hex === undefined ? null : undefined
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 16) return bytes.toString('hex')
  const inner = bytes.toString('latin1')
  return HEX_KEY.test(inner) ? inner : undefined
}
