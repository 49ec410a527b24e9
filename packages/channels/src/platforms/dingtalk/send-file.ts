import type { Outcome, OutboundFilePart } from '../../message.ts'
import { nothingShown } from '../wire/call.ts'
import { contentRejected, readOutbound, uploadMs } from '../wire/outbound-file.ts'
import { fileMessage, fileNameOf, fileTypeOf, imageMessage, isImage, type RobotMessage } from './encode.ts'
import { dingtalkLimits } from './limits.ts'
import type { Answer } from './outcome.ts'
import { isExternal, refused, sendByApi, type SendingBot } from './send-text.ts'
import { zipOf } from './zip.ts'

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
