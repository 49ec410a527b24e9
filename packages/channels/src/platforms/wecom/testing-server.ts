import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import type { Connection } from '../../connection.ts'
import { object, parseJson } from '../wire/json.ts'
import { testIo, type TestIo } from '../wire/testing.ts'
import { wecom } from './platform.ts'

interface Line {
  send(frame: unknown): void
  /** As it is. */
  raw(data: string | Buffer): void
}

/** A server that says what no emulator would. @param subscribed What it says after a subscription. */
export async function startServer(
  subscribed: (line: Line) => void,
  frame?: (line: Line, frame: unknown) => void,
): Promise<{ readonly io: TestIo; readonly connection: Connection; subscriptions(): number }> {
  const listening = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(listening, 'listening')
  onTestFinished(() => {
    for (const socket of listening.clients) socket.terminate()
    listening.close()
  })
  let subscriptions = 0
  listening.on('connection', (socket) => {
    const line: Line = { send: (value) => socket.send(JSON.stringify(value)), raw: (data) => socket.send(data) }
    socket.on('message', (data: Buffer) => {
      const came = parseJson(data.toString())
      const { cmd, headers } = object(came) ?? {}
      if (cmd !== 'aibot_subscribe') return frame?.(line, came)
      subscriptions++
      line.send({ headers, errcode: 0, errmsg: 'ok' })
      subscribed(line)
    })
  })
  const address = listening.address()
  const port = typeof address === 'object' ? address?.port : 0
  const io = testIo({ host: () => `ws://127.0.0.1:${port}` })
  const connection = wecom.connect({ bot_id: 'aibTest', secret: 'the-secret-of-the-test' }, io)
  return { io, connection, subscriptions: () => subscriptions }
}

/** A message of Ann. */
export const callback = (msgid: unknown, more: object = {}): object => ({
  cmd: 'aibot_msg_callback',
  headers: { req_id: `R-${String(msgid)}` },
  body: { msgid, chattype: 'single', from: { userid: 'ann' }, msgtype: 'text', text: { content: 'hello' }, ...more },
})
