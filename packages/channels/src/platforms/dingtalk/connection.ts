import type { Connection } from '../../connection.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { createCards } from './cards.ts'
import { openClient } from './client.ts'
import type { DingtalkCredentials } from './credentials.ts'
import { fetchMedia } from './fetch-media.ts'
import { forgetRefusals, memoryOf } from './memory.ts'
import { sendFile } from './send-file.ts'
import { isExternal, liveWebhook, NO_WEBHOOK, sendText, type SendingBot } from './send-text.ts'
import { receive } from './stream.ts'
import { createTyping } from './typing.ts'

/** Opens nothing yet: the first request is made by `run` or `send`. */
export function connectDingtalk(credentials: DingtalkCredentials, io: PlatformIo): Connection {
  const clientId = credentials.client_id
  const memory = memoryOf(io, clientId)
  forgetRefusals(memory.health)
  const bot: SendingBot = { client: openClient(credentials, io), clientId, memory, io }
  const cards = createCards(bot)
  return {
    run: (inbox, signal) => receive(bot, inbox, signal),
    send(part, signal) {
      if (part.kind === 'file') return sendFile(bot, part, signal)
      return part.live === true ? cards.begin(part, signal) : sendText(bot, part, signal)
    },
    can: {
      ...createTyping(bot),
      edit: (part, messageId, signal) => cards.change(part, messageId, signal),
      fetchMedia: (media, signal) => fetchMedia(bot, media, signal),
      // a card is known by an id of ours; messages have no such key
      resend: (part) => part.kind === 'text' && part.live === true,
      allowance: (chat) => ({
        left: null,
        refused: isExternal(bot, { chat }) && liveWebhook(bot, chat.id) === null ? NO_WEBHOOK : null,
      }),
    },
  }
}
