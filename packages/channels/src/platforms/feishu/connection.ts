import type { Connection } from '../../connection.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { openClient } from './client.ts'
import type { FeishuCredentials } from './credentials.ts'
import { fetchFile, sendFile } from './files.ts'
import { receive } from './receive.ts'
import { openSending } from './send.ts'
import { typingSign } from './typing.ts'

/** Opens nothing yet: the first request is made by `run` or `send`. */
export function connectFeishu(credentials: FeishuCredentials, io: PlatformIo): Connection {
  const client = openClient(credentials, io)
  const sending = openSending(client, io)
  const sign = typingSign(client, io)
  return {
    run: (inbox, signal) => receive({ credentials, client, io, inbox }, signal),
    send: (part, signal) =>
      part.kind === 'text' ? sending.text(part, signal) : sendFile(client, sending, part, signal),
    can: {
      edit: (part, messageId, signal) => sending.edit(part, messageId, signal),
      resend: (part, triedAtMs) => sending.resend(part, triedAtMs),
      async typing(_chat, signal, messageId) {
        if (messageId !== undefined) await sign.show(messageId, signal)
      },
      async typingDone(_chat, signal, messageId) {
        if (messageId !== undefined) await sign.remove(messageId, signal)
      },
      fetchMedia: (media, signal) => fetchFile(client, media, signal),
    },
  }
}
