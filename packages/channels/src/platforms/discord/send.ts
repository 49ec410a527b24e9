import type { Outcome, OutboundPart } from '../../message.ts'
import { nothingShown } from '../wire/call.ts'
import { object } from '../wire/json.ts'
import { readOutbound, uploadMs } from '../wire/outbound-file.ts'
import type { DiscordClient } from './client.ts'
import { fileName, messageBody } from './encode.ts'
import { idOf } from './snowflake.ts'
import { discordLimits } from './limits.ts'
import { type Answer, codeOf, outcomeOf, UNKNOWN_CHANNEL } from './outcome.ts'
import type { RestCall } from './sdk.ts'

const SEND_MS = 30_000

/** One message, one outcome. */
export async function sendPart(client: DiscordClient, part: OutboundPart, signal: AbortSignal): Promise<Outcome> {
  if (idOf(part.chat.id) === undefined) return notThere(`there is no channel ${part.chat.id.slice(0, 40)}`)
  const bytes = part.kind === 'file' ? await readOutbound(part, { most: discordLimits.fileBytes.file }) : null
  if (bytes !== null && !(bytes instanceof Uint8Array)) return bytes
  const call: RestCall = {
    method: 'POST',
    path: `/channels/${part.chat.id}/messages`,
    body: messageBody(part),
    ...(part.kind === 'file' && bytes !== null ? { file: { name: fileName(part), mime: part.mime, bytes } } : {}),
  }
  const answer = await client.call(call, { signal, timeoutMs: uploadMs(bytes?.length ?? 0) })
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
    const outcome = nothingShown(outcomeOf(answer.failure))
    return outcome.status === 'refused' && outcome.code === 'content_rejected' ? refused : outcome
  }
  const toChatId = idOf(object(answer.result)?.['id'])
  if (toChatId === undefined || toChatId === userId) return refused
  return { status: 'refused', code: 'chat_moved', detail: 'a private channel was opened', toChatId }
}
