import type { Connection } from '../../connection.ts'
import type { Chat, OutboundTextPart, Outcome, OutboundPart, FetchedMedia, MediaRef } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { asNotShown } from '../wire/call.ts'
import {
  type Download,
  fetchedMedia,
  mediaUnavailable,
  readMimeType,
  requireFile,
  requireSize,
} from '../wire/download.ts'
import { object } from '../wire/json.ts'
import { readOutboundFile, getUploadTimeoutMs } from '../wire/outbound-file.ts'
import { type DiscordClient, openClient, parseDiscordUrl } from './client.ts'
import { discordApiUrl, type DiscordCredentials, discordIdentity } from './credentials.ts'
import { type AttachmentRef, readAttachments, readExpiryMs, readForwarded, readRef } from './decode.ts'
import { editBody, fileName, messageBody, createNonce } from './encode.ts'
import { trackAttempts, discordFindSent, createSeenMessages } from './find-sent.ts'
import { discordLimits } from './limits.ts'
import { type Answer, getErrorCode, toOutcome, describeFailure, UNKNOWN_CHANNEL } from './outcome.ts'
import { createMemory, receive } from './receive.ts'
import type { RestCall } from './sdk.ts'
import { readSnowflake } from './snowflake.ts'
import { createDirectory, type DiscordWorld, getBotHealth } from './world.ts'

const EDIT_MS = 30_000
const TYPING_MS = 10_000

/** Creates a connection. The first request is made by `run` or `send`. */
export function connectDiscord(credentials: DiscordCredentials, io: PlatformIo): Connection {
  const token = credentials.bot_token
  const botId = discordIdentity(credentials)
  const client = openClient(token, discordApiUrl(io), io)
  const seen = createSeenMessages()
  const tried = trackAttempts(io.clock.now)
  const directory = createDirectory(client, botId)
  const world: DiscordWorld = { io, client, token, botId, seen, directory, health: getBotHealth(io, botId) }
  const memory = createMemory()

  async function edit(part: OutboundTextPart, messageId: string, signal: AbortSignal): Promise<Outcome> {
    if (readSnowflake(part.chat.id) === undefined || readSnowflake(messageId) === undefined) return NO_SUCH_MESSAGE
    const path = `/channels/${part.chat.id}/messages/${messageId}` as const
    const call = { method: 'PATCH', path, body: editBody(part) } as const
    const answer = await client.call(call, { signal, timeoutMs: EDIT_MS })
    return answer.ok ? { status: 'delivered', messageId } : toOutcome(answer.failure)
  }

  async function typing(chat: Chat, signal: AbortSignal): Promise<void> {
    if (readSnowflake(chat.id) === undefined) return
    const call = { method: 'POST', path: `/channels/${chat.id}/typing` } as const
    const answer = await client.call(call, { signal, timeoutMs: TYPING_MS })
    if (!answer.ok) io.log.debug("Couldn't show the Discord typing indicator", { why: describeFailure(answer.failure) })
  }

  return {
    run: (inbox, signal) => receive(world, memory, inbox, signal),
    async send(part, signal) {
      tried.began(part.deliveryId)
      const outcome = await sendPart(client, part, signal)
      if (outcome.status !== 'unknown') tried.ended(part.deliveryId)
      if (outcome.status === 'delivered') {
        const { messageId } = outcome
        seen.see({ channelId: part.chat.id, messageId, nonce: createNonce(part.deliveryId) })
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

const NO_SUCH_MESSAGE: Outcome = { status: 'refused', code: 'content_rejected', detail: "the message doesn't exist" }

const SEND_MS = 30_000

/** One message, one outcome. */
async function sendPart(client: DiscordClient, part: OutboundPart, signal: AbortSignal): Promise<Outcome> {
  if (readSnowflake(part.chat.id) === undefined) return unreachable(`unknown channel ${part.chat.id.slice(0, 40)}`)
  const bytes = part.kind === 'file' ? await readOutboundFile(part, { maxBytes: discordLimits.fileBytes.file }) : null
  if (bytes !== null && !(bytes instanceof Uint8Array)) return bytes
  const call: RestCall = {
    method: 'POST',
    path: `/channels/${part.chat.id}/messages`,
    body: messageBody(part),
    ...(part.kind === 'file' && bytes !== null ? { file: { name: fileName(part), mime: part.mime, bytes } } : {}),
  }
  const answer = await client.call(call, { signal, timeoutMs: getUploadTimeoutMs(bytes?.length ?? 0) })
  if (answer.ok) return toSendOutcome(answer.result)
  const isUnknown = getErrorCode(answer.failure) === UNKNOWN_CHANNEL
  return isUnknown && part.chat.kind === 'direct'
    ? openPrivateChannel(client, part.chat.id, answer, signal)
    : toOutcome(answer.failure)
}

const unreachable = (detail: string): Outcome => ({ status: 'refused', code: 'recipient_unreachable', detail })

/** The answer to a send. Without the id of a message it says nothing about one. */
function toSendOutcome(result: unknown): Outcome {
  const messageId = readSnowflake(object(result)?.['id'])
  if (messageId === undefined) return { status: 'unknown', detail: 'the response has no message id' }
  return { status: 'delivered', messageId }
}

/** The id may be a user's who has not written yet. Opening the channel again returns the same one. */
async function openPrivateChannel(
  client: DiscordClient,
  userId: string,
  refusal: Extract<Answer, { ok: false }>,
  signal: AbortSignal,
): Promise<Outcome> {
  const call = { method: 'POST', path: '/users/@me/channels', body: { recipient_id: userId } } as const
  const answer = await client.call(call, { signal, timeoutMs: SEND_MS })
  const refused = toOutcome(refusal.failure)
  if (!answer.ok) {
    const outcome = asNotShown(toOutcome(answer.failure))
    return outcome.status === 'refused' && outcome.code === 'content_rejected' ? refused : outcome
  }
  const toChatId = readSnowflake(object(answer.result)?.['id'])
  if (toChatId === undefined || toChatId === userId) return refused
  return { status: 'refused', code: 'chat_moved', detail: 'opened a direct message channel', toChatId }
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
  if (ref === null) throw mediaUnavailable('its location is unknown')
  const endsAtMs = readExpiryMs(ref.url)
  const hasExpired = endsAtMs !== null && endsAtMs - SOON_MS < nowMs
  let got = hasExpired ? null : await downloadTrusted(client, ref.url, maxBytes, signal)
  if (got === null || isGone(got)) {
    got = await downloadTrusted(client, await freshUrl(client, ref, signal), maxBytes, signal)
  }
  const { bytes, headers } = requireFile(got, maxBytes)
  return fetchedMedia(bytes, { name: media.name, mime: media.mime ?? readMimeType(headers) })
}

const isGone = (got: Download): boolean =>
  !got.ok && got.problem === 'unavailable' && (got.status === 403 || got.status === 404)

/** Reading the message again makes Discord sign a new address. */
async function freshUrl(client: DiscordClient, ref: AttachmentRef, signal: AbortSignal): Promise<string> {
  const path = `/channels/${ref.channelId}/messages/${ref.messageId}` as const
  const answer = await client.call({ method: 'GET', path }, { signal, timeoutMs: ASK_MS })
  if (!answer.ok) throw mediaUnavailable(describeFailure(answer.failure))
  const message = object(answer.result) ?? {}
  const forwarded = readForwarded(message)
  const held = [message, ...(forwarded === undefined ? [] : [forwarded])].flatMap(readAttachments)
  const found = held.find(({ id }) => id === ref.attachmentId)
  if (found === undefined) throw mediaUnavailable('the message no longer contains it')
  return found.url
}

async function downloadTrusted(
  client: DiscordClient,
  url: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Download> {
  const trusted = parseDiscordUrl(url, 'web', client.apiUrl)
  if (trusted === null) throw mediaUnavailable("its URL isn't one of Discord's")
  return client.download(trusted, maxBytes, { signal, timeoutMs: DOWNLOAD_MS })
}
