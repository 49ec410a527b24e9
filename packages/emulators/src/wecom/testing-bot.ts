import { WebSocket } from 'ws'
import { isRecord, parseJson } from '../kit/http.ts'
import { startWecomEmulator, type WecomEmulator, type WecomEmulatorOptions } from './emulator.ts'

type Fields = Readonly<Record<string, unknown>>

/** A frame of the platform. */
export interface Frame {
  readonly cmd: string
  readonly reqId: string
  /** 0 for a callback. */
  readonly errcode: number
  readonly errmsg: string
  readonly body: Fields
}

/** A socket of a bot. */
export interface BotSocket {
  readonly socket: WebSocket
  readonly closed: Promise<number>
  /** Sends a frame and resolves to its ack. Default `reqId`: a new one. */
  call(cmd: string, body?: Fields, reqId?: string): Promise<Frame>
  /** Sends a frame without waiting. */
  send(cmd: string, body: Fields, reqId: string): void
  /** Resolves to the next callback. */
  next(): Promise<Frame>
  /** Number of callbacks not yet read. */
  readonly waiting: number
  /** Sends a frame of a stream. */
  stream(reqId: string, id: string, content: string, finish?: boolean): Promise<Frame>
  push(chatid: string, content: string, more?: Fields): Promise<Frame>
}

/** An emulator, and bots that use plain frames. */
export interface Bench extends WecomEmulator, AsyncDisposable {
  connect(): Promise<BotSocket>
  /** Connects and subscribes. */
  subscribe(): Promise<BotSocket>
  /** Sends a message as Zhang and resolves to the callback's `req_id`. */
  hear(bot: BotSocket, text?: string): Promise<string>
}

/** A person. */
export const ZHANG = { id: 'zhang', name: 'Zhang' }

/** Starts an emulator; disposing of it also closes the bots' sockets. */
export async function openBench(options: WecomEmulatorOptions = {}): Promise<Bench> {
  const emulator = await startWecomEmulator(options)
  const { control, wsUrl } = emulator
  const sockets: WebSocket[] = []
  const connect = (): Promise<BotSocket> => {
    const socket = new WebSocket(wsUrl)
    sockets.push(socket)
    return botSocket(socket)
  }
  return {
    ...emulator,
    connect,
    async subscribe() {
      const bot = await connect()
      const { errcode, errmsg } = await bot.call('aibot_subscribe', (await control.bot()).credentials)
      if (errcode !== 0) throw new Error(errmsg)
      return bot
    },
    async hear(bot, text = 'hello') {
      await control.say({ from: ZHANG, text })
      return (await bot.next()).reqId
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.terminate()
      await emulator.close()
    },
  }
}

async function botSocket(socket: WebSocket): Promise<BotSocket> {
  const callbacks: Frame[] = []
  const acks = new Map<string, (frame: Frame) => void>()
  let wake: () => void = () => undefined
  let calls = 0
  socket.on('message', (raw: Buffer) => {
    const frame = readFrame(raw)
    if (frame.cmd === '') return acks.get(frame.reqId)?.(frame)
    callbacks.push(frame)
    wake()
  })
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const send: BotSocket['send'] = (cmd, body, reqId) =>
    socket.send(JSON.stringify({ cmd, headers: { req_id: reqId }, body }))
  const call: BotSocket['call'] = (cmd, body = {}, reqId = `${cmd}_${++calls}`) =>
    new Promise((resolve) => {
      acks.set(reqId, resolve)
      send(cmd, body, reqId)
    })
  return {
    socket,
    closed,
    call,
    send,
    get waiting() {
      return callbacks.length
    },
    async next() {
      for (let frame = callbacks.shift(); ; frame = callbacks.shift()) {
        if (frame) return frame
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    stream: (reqId, id, content, finish = false) =>
      call('aibot_respond_msg', { msgtype: 'stream', stream: { id, content, finish } }, reqId),
    push: (chatid, content, more = {}) =>
      call('aibot_send_msg', { chatid, msgtype: 'markdown', markdown: { content }, ...more }),
  }
}

function readFrame(raw: Buffer): Frame {
  const frame = parseJson(raw.toString('utf8'))
  if (!isRecord(frame) || !isRecord(frame['headers'])) throw new Error(`no frame: ${raw.toString('utf8')}`)
  const { cmd = '', errcode = 0, errmsg = '', body } = frame
  return {
    cmd: String(cmd),
    reqId: String(frame['headers']['req_id']),
    errcode: Number(errcode),
    errmsg: String(errmsg),
    body: isRecord(body) ? body : {},
  }
}
