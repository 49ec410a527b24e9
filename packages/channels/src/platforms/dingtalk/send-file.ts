import { readFile, stat } from 'node:fs/promises'
import type { Outcome, OutboundFilePart } from '../../message.ts'
import { fileMessage, fileNameOf, fileTypeOf, imageMessage, isImage, type RobotMessage } from './encode.ts'
import { dingtalkLimits } from './limits.ts'
import type { Answer } from './outcome.ts'
import { isExternal, refused, SEND_MS, sendByApi, type SendingBot } from './send-text.ts'
import { zipOf } from './zip.ts'

/** An upload may take as long as a slow line (about 2 Mbit/s) needs, on top of `SEND_MS`. */
const UPLOAD_BYTES_PER_MS = 250

const contentRejected = (detail: string): Outcome => ({ status: 'refused', code: 'content_rejected', detail })

/**
 * Uploads a file and sends it: a picture as such, a document as such, and what DingTalk does not take inside of a zip
 * archive. A webhook carries no files, so people outside of the organisation cannot get any.
 */
export async function sendFile(bot: SendingBot, part: OutboundFilePart, signal: AbortSignal): Promise<Outcome> {
  const file = await stat(part.path).catch(() => null)
  if (file === null || !file.isFile()) return contentRejected('the file to send is gone')
  if (isExternal(bot, part)) return contentRejected('DingTalk takes no files for people outside of the organisation')
  const maxBytes = dingtalkLimits.fileBytes.file
  if (file.size > maxBytes) return contentRejected(`the file has ${file.size} bytes, DingTalk takes ${maxBytes}`)
  const content = await readFile(part.path).catch(() => null)
  if (content === null) return contentRejected('the file to send cannot be read')
  const message = await uploaded(bot, part, content, signal)
  if (message.ok) return sendByApi(bot, part, message.result, signal)
  const outcome = refused(bot, message.failure)
  // however the upload ended, nobody has seen anything of it
  return outcome.status === 'unknown' ? { status: 'refused', code: 'network', detail: outcome.detail } : outcome
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
    const timeoutMs = SEND_MS + Math.ceil(bytes.length / UPLOAD_BYTES_PER_MS)
    return bot.client.upload(type, as, new Blob([bytes], { type: part.mime }), { signal, timeoutMs })
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
