import { createHash, randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { ChannelError } from '../../errors.ts'
import type { FetchedMedia, MediaRef, OutboundFilePart, Refused } from '../../message.ts'
import type { PlatformIo } from '../../platform.ts'
import { download, downloadUrl, upload, uploadUrl } from './cdn.ts'
import type { WeixinClient } from './client.ts'
import { weixinCdnUrl } from './credentials.ts'
import { PADDING_BYTES, readKey, seal, unseal } from './crypt.ts'
import { type MediaPlace, readPlace } from './decode-media.ts'
import { fileItem, fileKindOf, type Item, type SealedFile, uploadBody } from './encode.ts'
import { filled } from '../wire/json.ts'
import { weixinLimits } from './limits.ts'
import { outcomeBeforeSending, sentenceOf } from './outcome.ts'
import { checkedUrl } from './server-url.ts'

const CALL_MS = 15_000
const DOWNLOAD_MS = 120_000
/** An upload may take as long as a slow line (about 2 Mbit/s) needs, on top of `CALL_MS`. */
const UPLOAD_BYTES_PER_MS = 250

/** Encrypts and uploads a file. @returns the item that shows it, or why it cannot be sent: nothing is shown yet. */
export async function uploadFile(
  client: WeixinClient,
  io: PlatformIo,
  part: OutboundFilePart,
  signal: AbortSignal,
): Promise<Item | Refused> {
  const plain = await readOutbound(part.path)
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
  const timeoutMs = CALL_MS + Math.ceil(cipher.length / UPLOAD_BYTES_PER_MS)
  const uploaded = await upload(io, url, cipher, { signal, timeoutMs })
  return uploaded.ok ? fileItem(file, uploaded.param) : outcomeBeforeSending(uploaded.failure)
}

async function readOutbound(path: string): Promise<Uint8Array | Refused> {
  const { file: maxBytes } = weixinLimits.fileBytes
  const found = await stat(path).catch(() => null)
  if (found === null || !found.isFile()) return contentRejected('the file to send is gone')
  if (found.size > maxBytes) return contentRejected(`the file has ${found.size} bytes, at most ${maxBytes} are sent`)
  return (await readFile(path).catch(() => null)) ?? contentRejected('the file to send cannot be read')
}

function uploadPlace(body: Readonly<Record<string, unknown>>, fileKey: string, cdn: string): string | null {
  const full = filled(body['upload_full_url'])
  const checked = full === undefined ? null : checkedUrl(full, cdn)
  if (checked !== null) return checked
  const param = filled(body['upload_param'])
  return param === undefined ? null : uploadUrl(cdn, param, fileKey)
}

const contentRejected = (detail: string): Refused => ({ status: 'refused', code: 'content_rejected', detail })

/** Downloads and decrypts. @throws {ChannelError} `media_too_large`, `media_unavailable` */
export async function fetchWeixinMedia(io: PlatformIo, media: MediaRef, signal: AbortSignal): Promise<FetchedMedia> {
  const maxBytes = weixinLimits.fileBytes.inbound
  if ((media.sizeBytes ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const place = readPlace(media.ref)
  const url = place === null ? null : downloadPlace(place, weixinCdnUrl(io))
  if (place === null || url === null) throw unavailable('it is not said where the file lies, or nobody may ask there.')
  const key = readKey(place.hexKey, place.base64Key)
  if (key === undefined) throw unavailable('the key of the file is not understood.')
  const got = await download(io, url, maxBytes + PADDING_BYTES, { signal, timeoutMs: DOWNLOAD_MS })
  if (!got.ok && 'problem' in got) throw tooLarge(maxBytes)
  if (!got.ok) throw unavailable(`${sentenceOf(got.failure)}.`)
  const bytes = key === null ? got.bytes : unseal(got.bytes, key)
  if (bytes === null) throw unavailable('it cannot be decrypted with the key that came with it.')
  if (bytes.length > maxBytes) throw tooLarge(maxBytes)
  const mime = media.mime ?? (media.kind === 'image' ? imageType(bytes) : undefined)
  return {
    bytes,
    ...(media.name === undefined ? {} : { name: media.name }),
    ...(mime === undefined ? {} : { mime }),
  }
}

function downloadPlace({ url, param }: MediaPlace, cdn: string): string | null {
  const checked = url === undefined ? null : checkedUrl(url, cdn)
  return checked ?? (param === undefined ? null : downloadUrl(cdn, param))
}

/** How files of these types begin; Weixin does not say which one a picture is. */
const SIGNATURES: readonly (readonly [mime: string, pattern: RegExp])[] = [
  ['image/jpeg', /^ffd8ff/],
  ['image/png', /^89504e470d0a1a0a/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
]

function imageType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('hex')
  return SIGNATURES.find(([, pattern]) => pattern.test(start))?.[0]
}

const tooLarge = (maxBytes: number): ChannelError =>
  new ChannelError('media_too_large', { details: { max_bytes: maxBytes } })

const unavailable = (why: string): ChannelError =>
  new ChannelError('media_unavailable', { message: `The platform did not hand over the file: ${why}` })
