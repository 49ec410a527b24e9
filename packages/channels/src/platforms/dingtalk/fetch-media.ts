import { ChannelError } from '../../errors.ts'
import type { FetchedMedia, MediaRef } from '../../message.ts'
import { readMediaRef } from './decode.ts'
import { apiUrl, checkedUrl } from './hosts.ts'
import { fetchFile } from './http.ts'
import { dingtalkLimits } from './limits.ts'
import { sentenceOf } from './outcome.ts'
import { SEND_MS, type SendingBot } from './send-text.ts'

const DOWNLOAD_MS = 120_000

/** Asks where a file lies and gets it. @throws {ChannelError} `media_too_large`, `media_unavailable` */
export async function fetchMedia(bot: SendingBot, media: MediaRef, signal: AbortSignal): Promise<FetchedMedia> {
  const maxBytes = dingtalkLimits.fileBytes.inbound
  const { robotCode, code } = readMediaRef(media, bot.clientId)
  const body = { downloadCode: code, robotCode }
  const limits = { signal, timeoutMs: SEND_MS }
  const answer = await bot.client.api('POST', '/v1.0/robot/messageFiles/download', body, limits)
  if (!answer.ok) throw unavailable(sentenceOf(answer.failure))
  const url = checkedUrl(answer.result['downloadUrl'], 'file', apiUrl(bot.io))
  if (url === null) throw unavailable('DingTalk named no place to get it from')
  const got = await fetchFile(bot.io, url, maxBytes, { signal, timeoutMs: DOWNLOAD_MS })
  if (!got.ok) {
    if (got.problem === 'too_large') throw new ChannelError('media_too_large', { details: { max_bytes: maxBytes } })
    throw unavailable(got.detail)
  }
  const mime = media.mime ?? got.mime
  return {
    bytes: got.bytes,
    ...(media.name === undefined ? {} : { name: media.name }),
    ...(mime === undefined ? {} : { mime }),
  }
}

const unavailable = (why: string): ChannelError =>
  new ChannelError('media_unavailable', { message: `The platform did not hand over the file: ${why}.` })
