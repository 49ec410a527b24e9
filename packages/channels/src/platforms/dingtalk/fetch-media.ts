import type { FetchedMedia, MediaRef } from '../../message.ts'
import { download, fetchedMedia, mediaUnavailable, mimeOf, requireFile, requireSize } from '../wire/download.ts'
import { readMediaRef } from './decode.ts'
import { apiUrl, namedUrl } from './hosts.ts'
import { dingtalkLimits } from './limits.ts'
import { sentenceOf } from './outcome.ts'
import { SEND_MS, type SendingBot } from './send-text.ts'

const DOWNLOAD_MS = 120_000

/** Asks where a file lies and gets it. @throws {ChannelError} `media_too_large`, `media_unavailable` */
export async function fetchMedia(bot: SendingBot, media: MediaRef, signal: AbortSignal): Promise<FetchedMedia> {
  const maxBytes = dingtalkLimits.fileBytes.inbound
  requireSize(media, maxBytes)
  const { robotCode, code } = readMediaRef(media, bot.clientId)
  const body = { downloadCode: code, robotCode }
  const limits = { signal, timeoutMs: SEND_MS }
  const answer = await bot.client.api('POST', '/v1.0/robot/messageFiles/download', body, limits)
  if (!answer.ok) throw mediaUnavailable(sentenceOf(answer.failure))
  const url = namedUrl(answer.result['downloadUrl'], 'file', apiUrl(bot.io))
  if (url === null) throw mediaUnavailable('DingTalk named no place to get it from')
  const got = await download(bot.io, url, maxBytes, { signal, timeoutMs: DOWNLOAD_MS })
  const { bytes, headers } = requireFile(got, maxBytes)
  return fetchedMedia(bytes, { name: media.name, mime: media.mime ?? mimeOf(headers) })
}
