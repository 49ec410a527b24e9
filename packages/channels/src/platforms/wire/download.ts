import { ChannelError } from '../../errors.ts'
import type { FetchedMedia, MediaRef } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { type CallLimits, type Failed, readUpTo, type WireFailure, within } from './call.ts'

export interface Downloaded {
  readonly ok: true
  readonly bytes: Uint8Array
  readonly headers: Headers
}

export type Download =
  | Downloaded
  | { readonly ok: false; readonly problem: 'too_large' }
  /** `status`: what the server of the file answered; `null`: nothing. */
  | { readonly ok: false; readonly problem: 'unavailable'; readonly status: number | null; readonly detail: string }

/**
 * Gets a file, without any header of ours. Never throws.
 * @param url Checked by the caller.
 */
export async function download(
  io: Pick<PlatformIo, 'clock' | 'fetch'>,
  url: string | URL,
  maxBytes: number,
  limits: CallLimits,
): Promise<Download> {
  const got = await within(io, limits, (signal) => fetchFile(io, url, maxBytes, signal))
  return 'failure' in got ? unanswered(got) : got
}

const unanswered = ({ failure }: Failed<WireFailure>): Download => ({
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

/** The type that the server gave a file, without parameters; `undefined` when it says nothing. */
export function mimeOf(headers: Headers): string | undefined {
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return type === '' || type === 'application/octet-stream' ? undefined : type
}

/** A file as the core takes it: what is not known is left out. */
export const fetchedMedia = (
  bytes: Uint8Array,
  { name, mime }: { readonly name?: string | undefined; readonly mime?: string | undefined },
): FetchedMedia => ({
  bytes,
  ...(name === undefined || name === '' ? {} : { name }),
  ...(mime === undefined ? {} : { mime }),
})

/** @throws {ChannelError} `media_too_large` when the platform says so beforehand */
export function requireSize(media: MediaRef, maxBytes: number): void {
  if ((media.sizeBytes ?? 0) > maxBytes) throw mediaTooLarge(maxBytes)
}

/** @throws {ChannelError} `media_too_large`, `media_unavailable` */
export function requireFile(got: Download, maxBytes: number): Downloaded {
  if (got.ok) return got
  throw got.problem === 'too_large' ? mediaTooLarge(maxBytes) : mediaUnavailable(got.detail)
}

export const mediaTooLarge = (maxBytes: number): ChannelError =>
  new ChannelError('media_too_large', { details: { max_bytes: maxBytes } })

/** @param why The end of a sentence, without its full stop. */
export const mediaUnavailable = (why: string): ChannelError =>
  new ChannelError('media_unavailable', { message: `The platform did not hand over the file: ${why}.` })

/** How files of these types begin, in hexadecimal. */
const BEGINNINGS: readonly (readonly [mime: string, pattern: RegExp])[] = [
  ['image/jpeg', /^ffd8ff/],
  ['image/png', /^89504e470d0a1a0a/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
]

/** The type of a picture by its first bytes, where the platform does not say it; `undefined` for anything else. */
export function pictureType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('hex')
  return BEGINNINGS.find(([, pattern]) => pattern.test(start))?.[0]
}
