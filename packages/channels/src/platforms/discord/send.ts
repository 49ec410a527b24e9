import { readFile, stat } from 'node:fs/promises'
import type { Outcome, OutboundFilePart, OutboundPart } from '../../message.ts'
import type { DiscordClient } from './client.ts'
import { fileName, messageBody } from './encode.ts'
import { object } from '../wire/json.ts'
import { idOf } from './snowflake.ts'
import { discordLimits } from './limits.ts'
import { type Answer, codeOf, outcomeOf, UNKNOWN_CHANNEL } from './outcome.ts'
import type { RestCall } from './sdk.ts'

const SEND_MS = 30_000
/** An upload may take as long as a slow line (about 2 Mbit/s) needs, on top of `SEND_MS`. */
const UPLOAD_BYTES_PER_MS = 250

/** One message, one outcome. */
export async function sendPart(client: DiscordClient, part: OutboundPart, signal: AbortSignal): Promise<Outcome> {
  if (idOf(part.chat.id) === undefined) return notThere(`there is no channel ${part.chat.id.slice(0, 40)}`)
  const file = part.kind === 'file' ? await readPart(part) : null
  if (typeof file === 'string') return { status: 'refused', code: 'content_rejected', detail: file }
  const call: RestCall = {
    method: 'POST',
    path: `/channels/${part.chat.id}/messages`,
    body: messageBody(part),
    ...(file === null ? {} : { file }),
  }
  const timeoutMs = SEND_MS + Math.ceil((file?.bytes.byteLength ?? 0) / UPLOAD_BYTES_PER_MS)
  const answer = await client.call(call, { signal, timeoutMs })
  if (answer.ok) return shown(answer.result)
  const isUnknown = codeOf(answer.failure) === UNKNOWN_CHANNEL
  return isUnknown && part.chat.kind === 'direct'
    ? openPrivateChannel(client, part.chat.id, answer, signal)
    : outcomeOf(answer.failure)
}

const notThere = (detail: string): Outcome => ({ status: 'refused', code: 'recipient_unreachable', detail })

/** The answer to a send. Without the id of a message it says nothing about one. */
function shown(result: unknown): Outcome {
  const messageId = idOf(object(result)?.['id'])
  if (messageId === undefined) return { status: 'unknown', detail: 'the answer named no message' }
  return { status: 'delivered', messageId }
}

/** The id may be a person's: nobody has written to the bot yet. Asking again yields the same channel. */
async function openPrivateChannel(
  client: DiscordClient,
  userId: string,
  refusal: Extract<Answer, { ok: false }>,
  signal: AbortSignal,
): Promise<Outcome> {
  const call = { method: 'POST', path: '/users/@me/channels', body: { recipient_id: userId } } as const
  const answer = await client.call(call, { signal, timeoutMs: SEND_MS })
  const refused = outcomeOf(refusal.failure)
  if (!answer.ok) {
    const outcome = outcomeOf(answer.failure)
    if (outcome.status === 'unknown') return { status: 'refused', code: 'network', detail: outcome.detail }
    return outcome.status === 'refused' && outcome.code === 'content_rejected' ? refused : outcome
  }
  const toChatId = idOf(object(answer.result)?.['id'])
  if (toChatId === undefined || toChatId === userId) return refused
  return { status: 'refused', code: 'chat_moved', detail: 'a private channel was opened', toChatId }
}

/** The file, or why it cannot be sent. */
async function readPart(part: OutboundFilePart): Promise<NonNullable<RestCall['file']> | string> {
  const file = await stat(part.path).catch(() => null)
  if (file === null || !file.isFile()) return 'the file to send is gone'
  const maxBytes = discordLimits.fileBytes.file
  if (file.size > maxBytes) return `the file has ${file.size} bytes, Discord takes ${maxBytes}`
  const bytes = await readFile(part.path).catch(() => null)
  if (bytes === null) return 'the file to send cannot be read'
  return { name: fileName(part), mime: part.mime, bytes }
}
