import { ChannelError } from '../../errors.ts'
import type { FetchedMedia, MediaRef } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { type CallLimits, type Failed, readUpTo, type WireFailure, runCall } from './call.ts'

/** A downloaded file with its headers. */
export interface Downloaded {
  readonly ok: true
  readonly bytes: Uint8Array
  readonly headers: Headers
}

/** Result of a download. */
export type Download =
  | Downloaded
  | { readonly ok: false; readonly problem: 'too_large' }
  /** `status`: the file server's response; `null`: none. */
  | { readonly ok: false; readonly problem: 'unavailable'; readonly status: number | null; readonly detail: string }

/**
 * Downloads a file without any of our headers. Never throws.
 * @param url Checked by the caller.
 */
export async function download(
  io: Pick<PlatformIo, 'clock' | 'fetch'>,
  url: string | URL,
  maxBytes: number,
  limits: CallLimits,
): Promise<Download> {
  const got = await runCall(io, limits, (signal) => fetchFile(io, url, maxBytes, signal))
  return 'failure' in got ? toUnavailable(got) : got
}

const toUnavailable = ({ failure }: Failed<WireFailure>): Download => ({
  ok: false,
  problem: 'unavailable',
  status: null,
  detail: failure.detail,
})

async function fetchFile(
  io: Pick<PlatformIo, 'fetch'>,
  url: string | URL,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Download> {
  const response = await io.fetch(url, { signal, redirect: 'manual' })
  const { status, headers } = response
  if (status !== 200) {
    await response.body?.cancel()
    return { ok: false, problem: 'unavailable', status, detail: `HTTP ${status} for the file` }
  }
  const bytes = await readUpTo(response, maxBytes)
  return bytes === null ? { ok: false, problem: 'too_large' } : { ok: true, bytes, headers }
}

/** Returns the file's media type without parameters; `undefined` when the server names none. */
export function readMimeType(headers: Headers): string | undefined {
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return type === '' || type === 'application/octet-stream' ? undefined : type
}

/** Builds the file for the core, without unknown members. */
export const fetchedMedia = (
  bytes: Uint8Array,
  { name, mime }: { readonly name?: string | undefined; readonly mime?: string | undefined },
): FetchedMedia => ({
  bytes,
  ...(name === undefined || name === '' ? {} : { name }),
  ...(mime === undefined ? {} : { mime }),
})

/** Checks the announced size. @throws {ChannelError} `media_too_large` */
export function requireSize(media: MediaRef, maxBytes: number): void {
  if ((media.sizeBytes ?? 0) > maxBytes) throw mediaTooLarge(maxBytes)
}

/** Returns a downloaded file. @throws {ChannelError} `media_too_large`, `media_unavailable` */
export function requireFile(got: Download, maxBytes: number): Downloaded {
  if (got.ok) return got
  throw got.problem === 'too_large' ? mediaTooLarge(maxBytes) : mediaUnavailable(got.detail)
}

/** Creates the error for a file that is too large. */
export const mediaTooLarge = (maxBytes: number): ChannelError =>
  new ChannelError('media_too_large', { details: { max_bytes: maxBytes } })

/** Creates the error for a file that cannot be downloaded. @param why The end of a sentence, without a period. */
export const mediaUnavailable = (why: string): ChannelError =>
  new ChannelError('media_unavailable', { message: `Couldn't download the file: ${why}.` })

/** First bytes of these file types, in hexadecimal. */
const BEGINNINGS: readonly (readonly [mime: string, pattern: RegExp])[] = [
  ['image/jpeg', /^ffd8ff/],
  ['image/png', /^89504e470d0a1a0a/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
]

/** Returns the type of an image from its first bytes; `undefined` for anything else. */
export function pictureType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('hex')
  return BEGINNINGS.find(([, pattern]) => pattern.test(start))?.[0]
}
