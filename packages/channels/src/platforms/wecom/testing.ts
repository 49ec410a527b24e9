import { once } from 'node:events'
import type { WecomEmulator } from '@gatepost/emulators'
import { onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import type { Connection } from '../../connection.ts'
import type { Chat, InboundMessage, OutboundTextPart } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { manualClock, type ManualClock } from '../../testing/clock.ts'
import { object, parseJson } from '../wire/json.ts'
import { run, type Run, testIo, type TestIo } from '../wire/testing.ts'
import { wecom } from './platform.ts'
import { startWecomWorld, type WecomWorld } from './wecom.contract.ts'

/** The direct chat of tests. */
export const ann: Chat = { id: 'ann', kind: 'direct' }

/** A bot that runs, and what it has told. */
export interface Bot extends Omit<Run, 'message' | 'until'> {
  readonly world: WecomWorld
  readonly control: WecomEmulator['control']
  readonly clock: ManualClock
  readonly io: PlatformIo
  readonly connection: Connection
  hear(text: string, how?: Partial<Parameters<WecomEmulator['control']['say']>[0]>): Promise<InboundMessage>
  /** Frames of this kind that came to the platform; a body too long to be kept is `undefined`. */
  frames(method: string): Promise<readonly { readonly reqId: string; readonly body: unknown }[]>
}

interface BotOptions {
  readonly lastHeardMs?: (nowMs: number) => number
  readonly accept?: () => Promise<void>
  /** Before it connects. */
  readonly prepare?: (world: WecomWorld) => Promise<unknown>
}

/** Starts a bot whose emulator lives in the same time. */
export async function startBot(options: BotOptions = {}): Promise<Bot> {
  const clock = manualClock(Date.now())
  const world = await startWecomWorld({ clock })
  onTestFinished(() => world.close())
  const { control } = world.emulator
  await options.prepare?.(world)
  const io = testIo({ clock, random: () => 0.5, host: world.host })
  const connection = wecom.connect(world.credentials, io)
  const { lastHeardMs, accept } = options
  const { until, ...heard } = run(connection, {
    lastHeardMs: lastHeardMs?.(clock.now()) ?? null,
    ...(accept === undefined ? {} : { accept }),
  })
  return {
    ...heard,
    world,
    control,
    clock,
    io,
    connection,
    async hear(text, how = {}) {
      await until(() => heard.signs() > 0)
      const { messageId } = await control.say({ from: { id: 'ann' }, text, ...how })
      await until(() => heard.messages.some((message) => message.messageId === messageId))
      return heard.messages.find((message) => message.messageId === messageId) as InboundMessage // just found
    },
    async frames(method) {
      const requests = await control.requests({ method })
      return requests.map(({ headers, body }) => ({ reqId: String(headers['req_id']), body: parseJson(body) }))
    },
  }
}

let parts = 0

/** A text for Ann, with a delivery id of its own. */
export const textPart = (body: string, more: Partial<OutboundTextPart> = {}): OutboundTextPart => ({
  kind: 'text',
  deliveryId: `turn-${++parts}.1`,
  chat: ann,
  body,
  plain: false,
  ...more,
})

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
