import { ChannelError } from '../../errors.ts'
import type { FetchedMedia, MediaRef } from '../../message.ts'
import type { DiscordClient, Download } from './client.ts'
import { type AttachmentRef, attachmentsOf, expiryOf, readRef } from './decode-media.ts'
import { object } from '../wire/json.ts'
import { discordLimits } from './limits.ts'
import { sentenceOf } from './outcome.ts'
import { isTrusted } from './urls.ts'

const ASK_MS = 15_000
const DOWNLOAD_MS = 120_000
/** An address that ends so soon may end during the download. */
const SOON_MS = 60_000

/** @throws {ChannelError} `media_too_large`, `media_unavailable` */
export async function fetchMedia(
  client: DiscordClient,
  media: MediaRef,
  nowMs: number,
  signal: AbortSignal,
): Promise<FetchedMedia> {
  const maxBytes = discordLimits.fileBytes.inbound
  if ((media.sizeBytes ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const ref = readRef(media.ref)
  if (ref === null) throw unavailable('it is not known where it is')
  const endsAtMs = expiryOf(ref.url)
  const hasExpired = endsAtMs !== null && endsAtMs - SOON_MS < nowMs
  let got = hasExpired ? null : await download(client, ref.url, maxBytes, signal)
  if (got === null || (!got.ok && got.problem === 'gone')) {
    got = await download(client, await freshUrl(client, ref, signal), maxBytes, signal)
  }
  if (!got.ok) throw got.problem === 'too_large' ? tooLarge(maxBytes) : unavailable(got.detail)
  const mime = media.mime ?? got.mime
  return {
    bytes: got.bytes,
    ...(media.name === undefined ? {} : { name: media.name }),
    ...(mime === undefined ? {} : { mime }),
  }
}

/** Reading the message again makes Discord sign a new address. */
async function freshUrl(client: DiscordClient, ref: AttachmentRef, signal: AbortSignal): Promise<string> {
  const path = `/channels/${ref.channelId}/messages/${ref.messageId}` as const
  const answer = await client.call({ method: 'GET', path }, { signal, timeoutMs: ASK_MS })
  if (!answer.ok) throw unavailable(sentenceOf(answer.failure))
  const message = object(answer.result) ?? {}
  const found = attachmentsOf(message).find(({ id }) => id === ref.attachmentId)
  if (found === undefined) throw unavailable('the message does not hold it any more')
  return found.url
}

async function download(client: DiscordClient, url: string, maxBytes: number, signal: AbortSignal): Promise<Download> {
  if (!isTrusted(url, 'web', client.apiUrl)) throw unavailable('its address is none of Discord’s')
  return client.download(url, maxBytes, { signal, timeoutMs: DOWNLOAD_MS })
}

const tooLarge = (maxBytes: number): ChannelError =>
  new ChannelError('media_too_large', { details: { max_bytes: maxBytes } })

const unavailable = (why: string): ChannelError =>
  new ChannelError('media_unavailable', { message: `The platform did not hand over the file: ${why}.` })
