import type { Connection } from '../../connection.ts'
import type { Chat, OutboundTextPart, Outcome, OutboundPart, FetchedMedia, MediaRef } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { nothingShown } from '../wire/call.ts'
import { type Download, fetchedMedia, mediaUnavailable, mimeOf, requireFile, requireSize } from '../wire/download.ts'
import { object } from '../wire/json.ts'
import { readOutbound, uploadMs } from '../wire/outbound-file.ts'
import { type DiscordClient, openClient, trustedUrl } from './client.ts'
import { discordApiUrl, type DiscordCredentials, discordIdentity } from './credentials.ts'
import { type AttachmentRef, attachmentsOf, expiryOf, forwardedIn, readRef } from './decode.ts'
import { editBody, fileName, messageBody, nonceOf } from './encode.ts'
import { attempts, discordFindSent, seenMessages } from './find-sent.ts'
import { discordLimits } from './limits.ts'
import { type Answer, codeOf, outcomeOf, sentenceOf, UNKNOWN_CHANNEL } from './outcome.ts'
import { newMemory, receive } from './receive.ts'
import type { RestCall } from './sdk.ts'
import { idOf } from './snowflake.ts'
import { createDirectory, type DiscordWorld, healthOf } from './world.ts'

const EDIT_MS = 30_000
const TYPING_MS = 10_000

/** Opens nothing yet: the first request is made by `run` or `send`. */
export function connectDiscord(credentials: DiscordCredentials, io: PlatformIo): Connection {
  const token = credentials.bot_token
  const botId = discordIdentity(credentials)
  const client = openClient(token, discordApiUrl(io), io)
  const seen = seenMessages()
  const tried = attempts(io.clock.now)
  const directory = createDirectory(client, botId)
  const world: DiscordWorld = { io, client, token, botId, seen, directory, health: healthOf(io, botId) }
  const memory = newMemory()

  async function edit(part: OutboundTextPart, messageId: string, signal: AbortSignal): Promise<Outcome> {
    if (idOf(part.chat.id) === undefined || idOf(messageId) === undefined) return NO_SUCH_MESSAGE
    const path = `/channels/${part.chat.id}/messages/${messageId}` as const
    const call = { method: 'PATCH', path, body: editBody(part) } as const
    const answer = await client.call(call, { signal, timeoutMs: EDIT_MS })
    return answer.ok ? { status: 'delivered', messageId } : outcomeOf(answer.failure)
  }

  async function typing(chat: Chat, signal: AbortSignal): Promise<void> {
    if (idOf(chat.id) === undefined) return
    const call = { method: 'POST', path: `/channels/${chat.id}/typing` } as const
    const answer = await client.call(call, { signal, timeoutMs: TYPING_MS })
    if (!answer.ok) io.log.debug('Discord typing sign not shown', { why: sentenceOf(answer.failure) })
  }

  return {
    run: (inbox, signal) => receive(world, memory, inbox, signal),
    async send(part, signal) {
      tried.began(part.deliveryId)
      const outcome = await sendPart(client, part, signal)
      if (outcome.status !== 'unknown') tried.ended(part.deliveryId)
      if (outcome.status === 'delivered') {
        const { messageId } = outcome
        seen.see({ channelId: part.chat.id, messageId, nonce: nonceOf(part.deliveryId) })
      }
      return outcome
    },
    can: {
      edit,
      typing,
      fetchMedia: (media, signal) => fetchMedia(client, media, io.clock.now(), signal),
      resend: (part, triedAtMs) => tried.canRepeat(part.deliveryId, triedAtMs),
      findSent: discordFindSent(client, seen, botId),
    },
  }
}

const NO_SUCH_MESSAGE: Outcome = { status: 'refused', code: 'content_rejected', detail: 'there is no such message' }

const SEND_MS = 30_000

/** One message, one outcome. */
async function sendPart(client: DiscordClient, part: OutboundPart, signal: AbortSignal): Promise<Outcome> {
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

const ASK_MS = 15_000
const DOWNLOAD_MS = 120_000
/** An address that ends so soon may end during the download. */
const SOON_MS = 60_000

/** @throws {ChannelError} `media_too_large`, `media_unavailable` */
async function fetchMedia(
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
