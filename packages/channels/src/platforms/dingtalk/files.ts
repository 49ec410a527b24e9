import { promisify } from 'node:util'
import { crc32, deflateRaw } from 'node:zlib'
import type { Outcome, OutboundFilePart, FetchedMedia, MediaRef } from '../../message.ts'
import { nothingShown } from '../wire/call.ts'
import { download, fetchedMedia, mediaUnavailable, mimeOf, requireFile, requireSize } from '../wire/download.ts'
import { contentRejected, readOutbound, uploadMs } from '../wire/outbound-file.ts'
import { readMediaRef } from './decode.ts'
import { fileMessage, fileNameOf, fileTypeOf, imageMessage, isImage, type RobotMessage } from './encode.ts'
import { apiUrl, namedUrl } from './http.ts'
import { dingtalkLimits } from './limits.ts'
import { type Answer, sentenceOf } from './outcome.ts'
import { isExternal, refused, SEND_MS, sendByApi, type SendingBot } from './send-text.ts'

/**
 * Uploads a file and sends it: a picture as such, a document as such, and what DingTalk does not take inside of a zip
 * archive. A webhook carries no files, so people outside of the organisation cannot get any.
 */
export async function sendFile(bot: SendingBot, part: OutboundFilePart, signal: AbortSignal): Promise<Outcome> {
  if (isExternal(bot, part)) return contentRejected('DingTalk takes no files for people outside of the organisation')
  const content = await readOutbound(part, { most: dingtalkLimits.fileBytes.file })
  if (!(content instanceof Uint8Array)) return content
  const message = await uploaded(bot, part, content, signal)
  if (message.ok) return sendByApi(bot, part, message.result, signal)
  return nothingShown(refused(bot, message.failure))
}

/** Brings the content to the platform. @returns the message that shows it. */
async function uploaded(
  bot: SendingBot,
  part: OutboundFilePart,
  content: Buffer<ArrayBuffer>,
  signal: AbortSignal,
): Promise<Answer<RobotMessage>> {
  const name = fileNameOf(part.name)
  const upload = (type: 'image' | 'file', as: string, bytes: Buffer<ArrayBuffer>): Promise<Answer<string>> => {
    const limits = { signal, timeoutMs: uploadMs(bytes.length) }
    return bot.client.upload(type, as, new Blob([bytes], { type: part.mime }), limits)
  }
  if (isImage(part.mime)) {
    const answer = await upload('image', name, content)
    return answer.ok ? { ok: true, result: imageMessage(answer.result) } : answer
  }
  const type = fileTypeOf(name)
  const shown = type === null ? `${name}.zip` : name
  const answer = await upload('file', shown, type === null ? await zipOf(name, content) : content)
  return answer.ok ? { ok: true, result: fileMessage(answer.result, shown, type ?? 'zip') } : answer
}

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

const deflate = promisify(deflateRaw)

/** General purpose bit 11: the name is UTF-8. */
const UTF8 = 1 << 11
const DEFLATED = 8
const VERSION = 20
/** 1 January 1980, the first day that the format knows: an archive of the same file is always the same. */
const DATE = (1 << 5) | 1

/**
 * A zip archive that holds one file.
 * @see PKWARE APPNOTE.TXT 6.3.10, sections 4.3.7 (local header), 4.3.12 (central directory), 4.3.16 (its end)
 */
async function zipOf(name: string, content: Uint8Array): Promise<Buffer<ArrayBuffer>> {
  const path = Buffer.from(name)
  const packed = await deflate(content)
  const common = Buffer.alloc(26)
  common.writeUInt16LE(VERSION, 0)
  common.writeUInt16LE(UTF8, 2)
  common.writeUInt16LE(DEFLATED, 4)
  common.writeUInt16LE(0, 6)
  common.writeUInt16LE(DATE, 8)
  common.writeUInt32LE(crc32(content), 10)
  common.writeUInt32LE(packed.length, 14)
  common.writeUInt32LE(content.length, 18)
  common.writeUInt16LE(path.length, 22)
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, path, packed])
  // version made by, then as above, then comment, disk and attributes, all empty, and the offset 0
  const central = Buffer.concat([Buffer.from('PK\x01\x02'), word(VERSION), common, Buffer.alloc(14), path])
  const end = Buffer.alloc(18)
  end.writeUInt16LE(1, 4)
  end.writeUInt16LE(1, 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(local.length, 12)
  return Buffer.concat([local, central, Buffer.from('PK\x05\x06'), end])
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}
