import { createDecipheriv } from 'node:crypto'
import { ChannelError } from '../../errors.ts'
import type { FetchedMedia, MediaRef } from '../../message.ts'
import type { PlatformIo } from '../../platform.ts'
import { wecomLimits } from './limits.ts'
import { readMediaPlace } from './media-ref.ts'
import { checkedUrl } from './remote-url.ts'
import { limited } from './time-limit.ts'

const DOWNLOAD_MS = 60_000
/** The padding fills up to a multiple of this many bytes, and is never empty. */
const PADDING = 32

/**
 * Downloads and decrypts a file of a message. The address is good for about five minutes.
 * @param local The platform itself is a stand-in on this machine, and so may its files be.
 * @throws {ChannelError} `media_too_large`, `media_unavailable`
 */
export async function fetchMedia(
  media: MediaRef,
  io: PlatformIo,
  local: boolean,
  signal: AbortSignal,
): Promise<FetchedMedia> {
  const place = readMediaPlace(media.ref)
  const url = place === null ? null : checkedUrl(place.url, local)
  if (place === null || url === null) throw unavailable('WeCom named no address that may be asked.')
  const got = await limited(io.clock, DOWNLOAD_MS, signal, async (within, broken) => {
    try {
      return await download(io, url, within)
    } catch (error) {
      if (error instanceof ChannelError) throw error
      throw unavailable(broken() === 'time' ? 'It took too long.' : 'The connection failed.', error)
    }
  })
  const bytes = place.aesKey === null ? got.bytes : decrypted(got.bytes, place.aesKey)
  if (bytes.byteLength > wecomLimits.fileBytes.inbound) throw tooLarge()
  const mime = pictureType(bytes) ?? got.mime
  return {
    bytes,
    ...(got.name === undefined ? {} : { name: got.name }),
    ...(mime === undefined ? {} : { mime }),
  }
}

interface Downloaded {
  readonly bytes: Uint8Array
  readonly name: string | undefined
  readonly mime: string | undefined
}

async function download(io: PlatformIo, url: URL, signal: AbortSignal): Promise<Downloaded> {
  const response = await io.fetch(url, { signal, redirect: 'manual' })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw unavailable(`HTTP ${response.status}; an address is good for five minutes.`)
  }
  const bytes = await readUpTo(response, wecomLimits.fileBytes.inbound + PADDING)
  const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim()
  return {
    bytes,
    name: nameOf(response.headers.get('content-disposition')),
    mime: type === undefined || type === '' || type === 'application/octet-stream' ? undefined : type,
  }
}

async function readUpTo(response: Response, maxBytes: number): Promise<Uint8Array> {
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await response.body?.cancel()
    throw tooLarge()
  }
  if (response.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  const body = response.body as AsyncIterable<Uint8Array> // the body of a response is bytes
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > maxBytes) throw tooLarge() // leaving the loop cancels the body
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
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

const PICTURES: readonly [mime: string, start: readonly number[]][] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
]

/** The platform does not say of what type a picture is. */
const pictureType = (bytes: Uint8Array): string | undefined =>
  PICTURES.find(([, start]) => start.every((byte, at) => bytes[at] === byte))?.[0]

const tooLarge = (): ChannelError =>
  new ChannelError('media_too_large', { details: { max_bytes: wecomLimits.fileBytes.inbound } })

const unavailable = (why: string, cause?: unknown): ChannelError =>
  new ChannelError('media_unavailable', { message: `The platform did not hand over the file: ${why}`, cause })
