import type { FetchedMedia, MediaRef } from '../../message.ts'
import { type Download, fetchedMedia, mediaUnavailable, mimeOf, requireFile, requireSize } from '../wire/download.ts'
import { object } from '../wire/json.ts'
import type { DiscordClient } from './client.ts'
import { forwardedIn } from './decode.ts'
import { type AttachmentRef, attachmentsOf, expiryOf, readRef } from './decode-media.ts'
import { discordLimits } from './limits.ts'
import { sentenceOf } from './outcome.ts'
import { trustedUrl } from './urls.ts'

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
  requireSize(media, maxBytes)
  const ref = readRef(media.ref)
  if (ref === null) throw mediaUnavailable('it is not known where it is')
  const endsAtMs = expiryOf(ref.url)
  const hasExpired = endsAtMs !== null && endsAtMs - SOON_MS < nowMs
  let got = hasExpired ? null : await download(client, ref.url, maxBytes, signal)
  if (got === null || isGone(got)) {
    got = await download(client, await freshUrl(client, ref, signal), maxBytes, signal)
  }
  const { bytes, headers } = requireFile(got, maxBytes)
  return fetchedMedia(bytes, { name: media.name, mime: media.mime ?? mimeOf(headers) })
}

const isGone = (got: Download): boolean =>
  !got.ok && got.problem === 'unavailable' && (got.status === 403 || got.status === 404)

/** Reading the message again makes Discord sign a new address. */
async function freshUrl(client: DiscordClient, ref: AttachmentRef, signal: AbortSignal): Promise<string> {
  const path = `/channels/${ref.channelId}/messages/${ref.messageId}` as const
  const answer = await client.call({ method: 'GET', path }, { signal, timeoutMs: ASK_MS })
  if (!answer.ok) throw mediaUnavailable(sentenceOf(answer.failure))
  const message = object(answer.result) ?? {}
  const forwarded = forwardedIn(message)
  const held = [message, ...(forwarded === undefined ? [] : [forwarded])].flatMap(attachmentsOf)
  const found = held.find(({ id }) => id === ref.attachmentId)
  if (found === undefined) throw mediaUnavailable('the message does not hold it any more')
  return found.url
}

async function download(client: DiscordClient, url: string, maxBytes: number, signal: AbortSignal): Promise<Download> {
  const trusted = trustedUrl(url, 'web', client.apiUrl)
  if (trusted === null) throw mediaUnavailable('its address is none of Discord’s')
  return client.download(trusted, maxBytes, { signal, timeoutMs: DOWNLOAD_MS })
}
