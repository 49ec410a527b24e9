import type { Outcome, OutboundFilePart, FetchedMedia, MediaRef } from '../../message.ts'
import { asNotShown } from '../wire/call.ts'
import { download, fetchedMedia, mediaUnavailable, readMimeType, requireFile, requireSize } from '../wire/download.ts'
import { contentRejected, readOutboundFile, getUploadTimeoutMs } from '../wire/outbound-file.ts'
import { readMediaRef } from './decode.ts'
import { fileMessage, toFileName, getFileType, imageMessage, isImage, type RobotMessage } from './encode.ts'
import { apiUrl, parseDingtalkUrl } from './http.ts'
import { dingtalkLimits } from './limits.ts'
import { type Answer, describeFailure } from './outcome.ts'
import { isExternal, recordRefusal, SEND_MS, sendByApi, type SendingBot } from './send-text.ts'

/**
 * Uploads a file and sends it: a picture as such, a document as such, and what DingTalk does not take inside of a zip
 * archive. A webhook carries no files, so people outside of the organisation cannot get any.
 */
export async function sendFile(bot: SendingBot, part: OutboundFilePart, signal: AbortSignal): Promise<Outcome> {
  if (isExternal(bot, part)) return contentRejected("files can't be sent outside the organization")
  const content = await readOutboundFile(part, { maxBytes: dingtalkLimits.fileBytes.file })
  if (!(content instanceof Uint8Array)) return content
  const message = await uploadPart(bot, part, content, signal)
  if (message.ok) return sendByApi(bot, part, message.result, signal)
  return asNotShown(recordRefusal(bot, message.failure))
}

/** Brings the content to the platform. @returns the message that shows it. */
async function uploadPart(
  bot: SendingBot,
  part: OutboundFilePart,
  content: Buffer<ArrayBuffer>,
  signal: AbortSignal,
): Promise<Answer<RobotMessage>> {
  const name = toFileName(part.name)
  const upload = (type: 'image' | 'file', as: string, bytes: Buffer<ArrayBuffer>): Promise<Answer<string>> => {
    const limits = { signal, timeoutMs: getUploadTimeoutMs(bytes.length) }
    return bot.client.upload(type, as, new Blob([bytes], { type: part.mime }), limits)
  }
  if (isImage(part.mime)) {
    const answer = await upload('image', name, content)
    return answer.ok ? { ok: true, result: imageMessage(answer.result) } : answer
  }
  const type = getFileType(name)
  const shown = type === null ? `${name}.zip` : name
  const answer = await upload('file', shown, type === null ? await zipFile(name, content) : content)
  return answer.ok ? { ok: true, result: fileMessage(answer.result, shown, type ?? 'zip') } : answer
}

const DOWNLOAD_MS = 120_000

/** Downloads a file of a message. @throws {ChannelError} `media_too_large`, `media_unavailable` */
export async function fetchMedia(bot: SendingBot, media: MediaRef, signal: AbortSignal): Promise<FetchedMedia> {
  const maxBytes = dingtalkLimits.fileBytes.inbound
  requireSize(media, maxBytes)
  const { robotCode, code } = readMediaRef(media, bot.clientId)
  const body = { downloadCode: code, robotCode }
  const limits = { signal, timeoutMs: SEND_MS }
  const answer = await bot.client.api('POST', '/v1.0/robot/messageFiles/download', body, limits)
  if (!answer.ok) throw mediaUnavailable(describeFailure(answer.failure))
  const url = parseDingtalkUrl(answer.result['downloadUrl'], 'file', apiUrl(bot.io))
  if (url === null) throw mediaUnavailable('DingTalk returned no download URL')
  const got = await download(bot.io, url, maxBytes, { signal, timeoutMs: DOWNLOAD_MS })
  const { bytes, headers } = requireFile(got, maxBytes)
  return fetchedMedia(bytes, { name: media.name, mime: media.mime ?? readMimeType(headers) })
}

/** Makes an archive of the same file always the same; the format knows no earlier day. */
const ARCHIVE_DATE = new Date(1980, 0, 1)

/** Returns a ZIP archive that holds one file. */
async function zipFile(name: string, content: Uint8Array): Promise<Buffer<ArrayBuffer>> {
  const { zip } = await import('fflate') // only files that DingTalk does not take as they are need it
  const archive = Promise.withResolvers<Buffer<ArrayBuffer>>()
  zip({ [name]: [content, { mtime: ARCHIVE_DATE }] }, (error, bytes) => {
    if (error) archive.reject(error)
    else archive.resolve(Buffer.from(bytes))
  })
  return archive.promise
}
